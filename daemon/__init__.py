"""The running service: settings, the pipeline, health, metrics and logs."""
