"""Biographer: a memory for wearable video, built while it records.

The one import name of the distribution. Its subpackages are the folders at the top of the repository,
reached through relative links beside this file; nothing else lives here.
"""

__version__ = "0.1.0"
