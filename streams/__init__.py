"""Clips in and changes out: the clip schema, the Kafka source and sink, decoding, segmenting, dead letters.

Nothing here knows what is done with a clip.
"""
