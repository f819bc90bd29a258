"""The one error tree: each class says what its catcher is to do.

A message names the thing, the value and the remedy. Nothing else of the project defines exceptions.
"""


class BiographerError(Exception):
    """Base of all errors that this project raises on purpose."""


class RefusedError(BiographerError):
    """The request is at fault: refuse it, tell the caller why, change nothing."""


class BadClipError(BiographerError):
    """The clip is at fault: send it to the dead letters with this reason and go on with the next."""


class TransientError(BiographerError):
    """The surroundings are at fault for now: try again with back-off, lose nothing."""


class FatalError(BiographerError):
    """Neither retrying nor skipping is right: stop, and say what an operator must do."""
