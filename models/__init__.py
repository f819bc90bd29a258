"""Pixels and words to observations and text: the runtime, detector, tracker, embedder, describer and their catalogue.

Nothing here knows of Kafka, the store or the daemon.
"""
