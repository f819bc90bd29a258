"""Naming the people of a clip jointly, and distilling what each wears of a day (GEB appendix, naming).

The paper assigns and consolidates once, over the whole recording; here a clip is cast by the profiles known before it.
A name is kept only where the model is sure and says why, and never for two who were seen apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Part, Picture, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import fenced, told, wearer_named
from biographer.models.form import Form
from biographer.models.lines_shown import lines_shown, nearest
from biographer.models.prompt import Prompt
from biographer.models.words_cut import words_cut
from biographer.state.cast import Casting, Profile
from biographer.state.line import Line
from biographer.state.name import called, name_key, names_nobody
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

_TOKENS_MAX = 1200
_MOST_NOTES = 30
_NO_EVIDENCE = frozenset({"", "none", "n/a"})


class PersonForm(Form, frozen=True):
    """Who one number is."""

    number: int
    name: Annotated[str, msgspec.Meta(max_length=100)] | None
    clothing: Annotated[str, msgspec.Meta(max_length=400)]
    evidence: Annotated[str, msgspec.Meta(max_length=400)]
    sure: bool


class CastForm(Form, frozen=True):
    """What the model fills in of a clip."""

    people: Annotated[list[PersonForm], msgspec.Meta(max_length=40)]


class ProfileForm(Form, frozen=True):
    """What one person wears."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    clothing: Annotated[str, msgspec.Meta(max_length=400)]
    shared: Annotated[str, msgspec.Meta(max_length=400)]


class ProfilesForm(Form, frozen=True):
    """What the model fills in of a day."""

    profiles: Annotated[list[ProfileForm], msgspec.Meta(max_length=40)]


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """The people of a clip: track to JPEG crops; `known` is name to what is worn today ("" where unknown).

    `apart` are pairs of tracks that were seen at different places at once. All of it is known by the clip's end.
    """

    stretch: Stretch
    people: Mapping[int, tuple[bytes, ...]]
    known: Mapping[str, str]
    lines: tuple[Line, ...]
    apart: frozenset[tuple[int, int]]


def casting(ensemble: Ensemble, prompt: Prompt, wearer: str) -> ChatRequest:
    """Return the request; pure."""
    stretch = ensemble.stretch
    parts: list[Part] = [wearer_named(wearer)]
    for track, files in sorted(ensemble.people.items()):
        parts += [f"Number {track}:", *(Picture(file) for file in files)]
    heard = nearest((one for one in ensemble.lines if one.end_us <= stretch.known_us), stretch.start_us, stretch.end_us)
    worn = (f"{told(name, 40)}: {told(clothing) or 'not noted'}" for name, clothing in sorted(ensemble.known.items()))
    parts.append(fenced("known names", worn))
    parts.append(fenced("seen apart", (f"{left} and {right}" for left, right in sorted(ensemble.apart))))
    parts.append(lines_shown(heard, stretch.start_us))
    return ChatRequest(prompt, (Turn("user", tuple(parts)),), tokens_max=_TOKENS_MAX)


def cast(ensemble: Ensemble, answer: Filled[CastForm] | Unusable, wearer: str) -> tuple[Casting, ...] | Unwritten:
    """Return a record for each person the model spoke of, in order of tracks; pure.

    Names given without certainty or reason, to the wearer, or to two seen apart are left open for all concerned.
    """
    if isinstance(answer, Unusable):
        return Unwritten("cast", ensemble.stretch, answer.author, answer.reason)
    forms = {form.number: form for form in reversed(answer.form.people) if form.number in ensemble.people}
    names = {number: _sure_name(form, wearer) for number, form in forms.items()}
    torn = {
        name_key(name)
        for left, right in ensemble.apart
        if (name := names.get(left)) and name_key(name) == name_key(names.get(right) or "")
    }
    kept = {number: None if name and name_key(name) in torn else name for number, name in names.items()}
    return tuple(
        Casting(
            ensemble.stretch,
            answer.author,
            number,
            kept[number],
            words_cut(form.clothing, 20),
            words_cut(form.evidence, 15),
        )
        for number, form in sorted(forms.items())
    )


def profiling(notes: Mapping[str, Sequence[str]], prompt: Prompt) -> ChatRequest:
    """Return the request for a day's profiles, of name to notes on clothing (the last 30 of each); pure."""
    rows = (
        f"{told(name, 40)}: {told(note, 160)}"
        for name, several in sorted(notes.items())
        for note in several[-_MOST_NOTES:]
    )
    return ChatRequest(prompt, (Turn("user", (fenced("notes", rows),)),), tokens_max=_TOKENS_MAX)


def profiled(
    notes: Mapping[str, Sequence[str]], day_us: int, known_us: int, answer: Filled[ProfilesForm] | Unusable
) -> tuple[Profile, ...] | Unusable:
    """Return the profiles of those that notes were given of, each once; pure."""
    if isinstance(answer, Unusable):
        return answer
    own = {name_key(name): name for name in notes}
    found: dict[str, Profile] = {}
    for form in answer.form.profiles:
        key = name_key(form.name)
        if key in own and form.clothing.strip():
            worn, shared = words_cut(form.clothing, 25), words_cut(form.shared, 25)
            found.setdefault(key, Profile(own[key], day_us, known_us, answer.author, worn, shared))
    return tuple(found.values())


class CastingDirector:
    """Casts clips and distils profiles by one vision-language model."""

    def __init__(self, model: ChatModel, cast_prompt: Prompt, profile_prompt: Prompt, wearer: str) -> None:
        self._model, self._cast, self._profile, self._wearer = model, cast_prompt, profile_prompt, wearer

    async def cast(self, ensemble: Ensemble) -> tuple[Casting, ...] | Unwritten:
        """Return who is who; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = casting(ensemble, self._cast, self._wearer)
        return cast(ensemble, await self._model.fill(request, CastForm), self._wearer)

    async def profile(
        self, notes: Mapping[str, Sequence[str]], day_us: int, known_us: int
    ) -> tuple[Profile, ...] | Unusable:
        """Return a day's profiles; raises TransientError and RefusedError as `ChatModel.fill`."""
        answer = await self._model.fill(profiling(notes, self._profile), ProfilesForm)
        return profiled(notes, day_us, known_us, answer)


def _sure_name(form: PersonForm, wearer: str) -> str | None:
    if not form.sure or form.name is None or form.evidence.strip(" .").casefold() in _NO_EVIDENCE:
        return None
    name = called(words_cut(form.name, 5), wearer)
    return None if names_nobody(name) or name == wearer else name
