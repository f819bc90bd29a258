"""Where a demo's daemon runs: an environment that says which broker and which folder, and the settings it makes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from biographer.daemon.settings import PREFIX, Settings, read_settings
from biographer.ops.broker import Broker

_KEPT = (f"{PREFIX}MODELS_", f"{PREFIX}PERCEIVE_", f"{PREFIX}LANGUAGE_", f"{PREFIX}ASK_")
"""What of a user's own settings holds in a demo too."""

VIDEOS = "videos"
"""Where, in the state folder, a demo puts videos of clips that are too large for its broker."""


@dataclass(frozen=True, slots=True)
class DemoPlace:
    """An environment, and the settings that a daemon reads from it."""

    environ: Mapping[str, str]
    settings: Settings

    @classmethod
    def beside(cls, broker: Broker, folder: Path, environ: Mapping[str, str]) -> "DemoPlace":
        """Return one for a broker of our own and a state folder; the user's settings of models stay."""
        kept = {name: text for name, text in environ.items() if not name.startswith(PREFIX) or name.startswith(_KEPT)}
        ours = {
            **{f"KAFKA_{name}".upper(): str(value).lower() for name, value in broker.settings.items()},
            "STATE_FOLDER": str(folder),
            "CLIPS_ROOTS": str(folder / VIDEOS),
            "HTTP_PORT": "0",
            # The demo's recording has a day of its own, whatever day it is here.
            "ORDER_FUTURE_S": "0",
        }
        whole = {**kept, **{PREFIX + name: text for name, text in ours.items()}}
        return cls(whole, read_settings(None, whole))
