"""Workloads and measurements; each is a command that prints one JSON object."""
