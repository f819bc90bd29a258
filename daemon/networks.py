"""The networks that the settings name, loaded and run once before the daemon calls itself ready."""

from dataclasses import dataclass

import numpy as np

from biographer.daemon.parts import models_folder, models_named, perceiver_settings, runtime_of
from biographer.daemon.picture_vectors import PictureVectors
from biographer.daemon.settings import Settings
from biographer.daemon.text_vectors import TextVectors
from biographer.models.catalogue import load_detector, load_embedder, load_text_embedder
from biographer.models.describer import PlainDescriber
from biographer.models.detector_settings import DetectorSettings
from biographer.models.perceiver import Perceiver
from biographer.models.roles import Detector, Embedder
from biographer.streams.array_frame import ArrayFrame


@dataclass(frozen=True, slots=True)
class Networks:
    """The detector and the embedders; None where the settings say none."""

    detector: Detector | None
    embedder: Embedder | None
    texts: TextVectors | None = None

    @property
    def pictures(self) -> PictureVectors | None:
        """What looks at a picture that is given as a query."""
        return None if self.embedder is None else PictureVectors(self.embedder)

    @classmethod
    def load(cls, settings: Settings, texts: TextVectors | None = None) -> "Networks":
        """Open all, but for a text embedder where `texts` does that; slow.

        Raises RefusedError for one that is unknown or not pulled, FatalError where none runs it.
        """
        named, folder = models_named(settings), models_folder(settings)
        if not named:
            return cls(None, None, texts)
        runtime = runtime_of(settings)
        detector = embedder = None
        if "detector" in named:
            found = DetectorSettings(score=settings.perceive.score)
            detector = load_detector(named["detector"], folder, runtime, found)
        if "embedder" in named:
            embedder = load_embedder(named["embedder"], folder, runtime)
        if "text_embedder" in named and texts is None:
            texts = TextVectors(load_text_embedder(named["text_embedder"], folder, runtime))
        return cls(detector, embedder, texts)

    def warm(self) -> None:
        """Run each once, so that the first clip does not pay for what a first run allocates or compiles."""
        picture = np.zeros((64, 64, 3), np.uint8)
        if self.detector is not None:
            self.detector.detect([ArrayFrame(0, picture)])
        if self.embedder is not None:
            self.embedder.embed([picture])
        if self.texts is not None:
            self.texts.of_question("warm")

    def perceiver(self, settings: Settings) -> Perceiver:
        """Return the perceiver that uses them."""
        return Perceiver(self.detector, self.embedder, PlainDescriber(), perceiver_settings(settings))
