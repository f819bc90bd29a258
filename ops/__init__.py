"""What an operator types and deploys: the command line and the deployment files."""
