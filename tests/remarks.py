"""Remarks that tests make up about clips of `recordings` and `sightings`: what a model might have written."""

from itertools import chain

from recordings import meaning

from biographer.state.amendment import NOWHERE, Amended, Amendment, FiledPiece, FiledRemark, Written
from biographer.state.authorship import Authorship
from biographer.state.caption import Caption
from biographer.state.cast import Casting
from biographer.state.description import Confidence, Description, Mode
from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.relation import Party, PartyKind, Relation, RelationKind
from biographer.state.stretch import Stretch
from biographer.state.texts import Vectors
from biographer.state.told import texts_of
from biographer.state.triple import Triple

AUTHOR = Authorship("small", "describe@000000000000")


def description(clip, track, known_us, name="cup", summary="It stands there.", author=AUTHOR):
    return Description(
        clip=clip,
        track=track,
        known_us=known_us,
        mode=Mode.DEFERRED,
        author=author,
        name=name,
        is_person=False,
        appearance="",
        location="",
        action="",
        action_evidence="",
        event="",
        summary=summary,
        mark="",
        lasting="",
        sources=(),
        confidence=Confidence.HIGH,
    )


def described(number, clip, track, known_us, summary, **more):
    """The piece of one observation's description."""
    remark = description(clip, track, known_us, summary=summary, **more)
    return written(Piece.of_observation("description", number), (clip,), remark)


def captioned(number, clip, text):
    """The piece of a local episode's caption; `clip` is the record."""
    stretch = Stretch.of_clip(clip)
    return written(Piece.of_stretch("caption", stretch, number), (clip.name,), Caption(stretch, AUTHOR, text))


def summarised(window, names, text):
    """The piece of a closed window's summary."""
    stretch = Stretch(window.scale, window.start_us, window.end_us, window.known_us, names, window.version)
    return written(Piece.of_stretch("summary", stretch, -1), names, Caption(stretch, AUTHOR, text))


def named(window, words):
    """The piece of a closed window's names and facts: each word of a clip is one, and its first meets its last."""
    stretch = Stretch(window.scale, window.start_us, window.end_us, window.known_us, tuple(words), window.version)
    span = (window.start_us, window.end_us)
    where = {word: tuple(clip for clip in words if word in words[clip]) for word in sorted(set(chain(*words.values())))}
    mentions = [Mention(stretch, AUTHOR, word, NameKind.OTHER, clips, *span) for word, clips in where.items()]
    facts = [Triple(stretch, AUTHOR, told[0], "meets", told[-1], (clip,), *span) for clip, told in words.items()]
    return written(Piece.of_stretch("names", stretch, -1), words, *mentions, *facts)


def related(number, clip, source, target, track=None):
    """The piece of a local episode's one relation, whose source may be pointed at."""
    stretch = Stretch.of_clip(clip)
    parties = (Party(source, PartyKind.PERSON, track), Party(target, PartyKind.OBJECT))
    relation = Relation(stretch, AUTHOR, parties[0], RelationKind.USES, parties[1], clip.start_us, clip.end_us, "")
    return written(Piece.of_stretch("relations", stretch, number), (clip.name,), relation)


def written(piece, clips, *remarks):
    vectors = {text: meaning(text) for remark in remarks for text in texts_of(remark)}
    return Written(piece, remarks[0].known_us, tuple(clips), tuple(remarks), vectors)


def amendment(*pieces):
    return Amendment(pieces)


def amend(memory, *pieces):
    """File pieces without a store; the observations of a clip are its tracks from 0 on."""
    filed = []
    for number, one in enumerate(pieces, memory.index.told.last_piece + 1):
        clip = max((memory.clips[name] for name in one.clips), default=-1)
        remarks = tuple(FiledRemark(remark, _observed(memory, clip, remark)) for remark in one.remarks)
        filed.append(FiledPiece(number, one.piece, one.known_us, clip, remarks, Vectors.of(one.vectors)))
    memory.amend(Amended(memory.version + 1, tuple(filed)))


def _observed(memory, clip, remark):
    if not isinstance(remark, Description | Casting):
        return NOWHERE
    return int(memory.index.first_observation[clip]) + remark.track


def cast_as(number, clip, *names):
    """The piece of a local episode's castings, of its tracks from 0 on; `clip` is the record, None leaves one open."""
    stretch = Stretch.of_clip(clip)
    remarks = [Casting(stretch, AUTHOR, track, name, "a red shirt", "the shirt") for track, name in enumerate(names)]
    return written(Piece.of_stretch("cast", stretch, number), (clip.name,), *remarks)
