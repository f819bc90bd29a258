"""From an amendment to what it adds: numbered, tied to what it is about, and refused where it does not fit the memory.

Decides and changes nothing; reads the memory and its store.
"""

from biographer.state.amendment import NOWHERE, Amended, Amendment, FiledPiece, FiledRemark, Written
from biographer.state.cast import Casting
from biographer.state.change import Change
from biographer.state.description import Description, Undescribable
from biographer.state.episode import LOCAL
from biographer.state.errors import RefusedError
from biographer.state.memory import Memory
from biographer.state.perceived import Perceived
from biographer.state.piece import Piece
from biographer.state.remark import Remark
from biographer.state.remark_rows import key_of
from biographer.state.store import Store
from biographer.state.texts import Vectors
from biographer.state.told import texts_of


def amended(amendment: Amendment, memory: Memory, store: Store) -> Amended | None:
    """Return what an amendment adds, None where all its pieces are there already.

    Raises RefusedError where only some are, where it is known before or after what it is about, or is about nothing.
    """
    pieces = [one.piece for one in amendment.written]
    known = [piece for piece in pieces if is_written(store, piece)]
    if len(known) == len(pieces):
        return None
    if known or len(set(pieces)) < len(pieces):
        raise RefusedError(
            f"an amendment with pieces that are written already, such as {(known or pieces)[0]}; ask anew"
        )
    ((first,),) = store.select("SELECT coalesce(max(number), -1) + 1 FROM piece")
    filed = (_filed(number, one, memory, store) for number, one in enumerate(amendment.written, first))
    return Amended(memory.version + 1, tuple(filed))


def written_inline(change: Change, perceived: Perceived) -> Amendment:
    """Return what was written about a clip and its observations before these were associated."""
    numbers = {one.track: number for number, one in enumerate(change.observations, change.first_observation)}
    known, clips = {**perceived.texts, **perceived.told}, (change.clip.name,)
    written = []
    if perceived.heard is not None:
        remarks = (perceived.heard,) if perceived.heard.lines else ()
        vectors = {text: known[text] for text in perceived.heard.texts if text in known}
        piece = Piece("hearing", LOCAL, change.clip_number)
        written.append(Written(piece, perceived.heard.known_us, clips, remarks, vectors))
    for remark in perceived.remarks:
        vectors = {text: known[text] for text in texts_of(remark) if text in known}
        piece = Piece.of_observation("description", numbers[remark.track])
        written.append(Written(piece, remark.known_us, clips, (remark,), vectors))
    return Amendment(tuple(written))


def is_written(store: Store, piece: Piece) -> bool:
    """Whether a piece is there."""
    query = "SELECT 1 FROM piece WHERE writing = ? AND scale = ? AND place = ? AND version = ?"
    return bool(store.fetch(query, key_of(piece)))


def _filed(number: int, one: Written, memory: Memory, store: Store) -> FiledPiece:
    unknown = [name for name in one.clips if name not in memory.clips]
    if unknown:
        raise RefusedError(f"{one.piece} is about clip {unknown[0]!r}, which is not known; apply it first")
    clip = max((memory.clips[name] for name in one.clips), default=NOWHERE)
    # Of a time to come it would be shown in a log that is cut before it.
    if one.known_us > memory.known_us:
        raise RefusedError(
            f"{one.piece} is known since {one.known_us}, after all else ({memory.known_us}); wait for that"
        )
    if any(remark.known_us != one.known_us for remark in one.remarks):
        raise RefusedError(f"{one.piece} holds remarks known at another time than its own, {one.known_us}; part them")
    remarks = tuple(FiledRemark(remark, _observation(remark, memory, store)) for remark in one.remarks)
    return FiledPiece(number, one.piece, one.known_us, clip, remarks, Vectors.of(one.vectors))


def _observation(remark: Remark, memory: Memory, store: Store) -> int:
    if not isinstance(remark, Description | Undescribable | Casting):
        return NOWHERE
    query = "SELECT number FROM observation WHERE clip = ? AND track = ?"
    found = store.fetch(query, (memory.clips.get(remark.clip, NOWHERE), remark.track))
    if not found:
        raise RefusedError(f"track {remark.track} of clip {remark.clip!r} is no observation here; apply the clip first")
    number: int = found[0][0]
    return number
