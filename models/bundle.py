"""Bundles: model files that are made together from what one published package holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from biographer.models.packages import Package

Sources: TypeAlias = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Where weights come from and what becomes of them.

    `sources` maps the paths taken from `package` to their SHA-256 (hex); `makes` maps each file of the weights folder
    to how it is made of them. `licence` is an SPDX expression; `notice` is what is written beside the files.
    """

    name: str
    package: Package
    sources: Mapping[str, str]
    makes: Mapping[str, Callable[[Sources], bytes]]
    licence: str
    notice: str
    download_mb: int
    size_mb: int

    @property
    def notice_file(self) -> str:
        """The name of the file that carries the licence."""
        return f"{self.name}.LICENSE.txt"
