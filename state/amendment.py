"""Amendments: what is said about clips that were applied before, added to a memory in one step like a clip.

Nothing is edited: a remark is a further record, known since its inputs were there. `Amendment` is what is asked for;
`Amended` is the same decided: numbered and tied to what it is about, for the store to write and the memory to adopt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from biographer.state.observation import Embedding
from biographer.state.piece import Piece
from biographer.state.remark import Remark
from biographer.state.texts import Vectors

NOWHERE = -1
"""The number of the observation or clip where something is about none."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """One piece with all that came of it, be it nothing; `vectors` are those of its texts, of one embedder.

    `clips` names the clips that it is about. All its remarks are known since `known_us`.
    """

    piece: Piece
    known_us: int
    clips: tuple[str, ...]
    remarks: tuple[Remark, ...]
    vectors: Mapping[str, Embedding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Amendment:
    """Pieces that are added together: one version of the memory, one transaction."""

    written: tuple[Written, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FiledRemark:
    """A remark, and the number of the observation that it is about; NOWHERE for others."""

    remark: Remark
    observation: int


@dataclass(frozen=True, slots=True, eq=False)
class FiledPiece:
    """A piece under its number; `clip` is the latest clip that it is about, by number."""

    number: int
    piece: Piece
    known_us: int
    clip: int
    remarks: tuple[FiledRemark, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Amended:
    """All that an amendment adds, and the version that it makes."""

    version: int
    pieces: tuple[FiledPiece, ...]
