"""Which language roles the settings fill, with what, and what serves instead where nobody plays one."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum

from biographer.daemon.language_section import Language
from biographer.daemon.secret import secret
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.state.errors import RefusedError


class LanguageRole(StrEnum):
    """What a model at an endpoint can be asked to do."""

    DESCRIBER = "describer"
    CAPTIONER = "captioner"
    SUMMARISER = "summariser"
    EXTRACTOR = "extractor"
    RELATER = "relater"
    CHRONICLER = "chronicler"
    CASTER = "caster"
    PLANNER = "planner"
    CONTROLLER = "controller"
    JUDGE = "judge"
    ANSWERER = "answerer"
    TEXT_EMBEDDER = "text_embedder"
    EMBEDDER = "embedder"
    TRANSCRIBER = "transcriber"


ANSWERING = frozenset({LanguageRole.PLANNER, LanguageRole.CONTROLLER, LanguageRole.JUDGE, LanguageRole.ANSWERER})
"""Roles that somebody waits for."""

TEXTS_S = 20.0
"""Seconds at most that an answer of the text embedder is waited for: clips, questions and the start wait for it."""

NAMED_ONLY = frozenset({LanguageRole.TEXT_EMBEDDER, LanguageRole.EMBEDDER, LanguageRole.TRANSCRIBER})
"""Roles that `language.model` does not play: they take models of another kind."""

INSTEAD: Mapping[LanguageRole, str] = {
    LanguageRole.DESCRIBER: "observations keep plain words: label, colours, size, place, lines heard",
    LanguageRole.CAPTIONER: "a local episode is its lines and what was found in it",
    LanguageRole.SUMMARISER: "windows are extracts of their local episodes",
    LanguageRole.EXTRACTOR: "no names and no triples",
    LanguageRole.RELATER: "no relations in the entity scene graph",
    LanguageRole.CHRONICLER: "no chains of topics and events",
    LanguageRole.CASTER: "nobody is named but by a user's word",
    LanguageRole.PLANNER: "a question is one step",
    LanguageRole.CONTROLLER: "a question is one search",
    LanguageRole.JUDGE: "all that a search brings is kept",
    LanguageRole.ANSWERER: "questions get evidence, and no answer in words",
    LanguageRole.TEXT_EMBEDDER: "texts are embedded by perceive.text_embedder",
    LanguageRole.EMBEDDER: "identity rests on perceive.embedder",
    LanguageRole.TRANSCRIBER: "sound is not listened to; lines come with clips",
}
"""What happens without."""


@dataclass(frozen=True, slots=True)
class Played:
    """A role, the model that plays it, and where."""

    role: LanguageRole
    model: str
    endpoint: LanguageEndpoint


def played(section: Language) -> tuple[Played, ...]:
    """Return the roles that somebody plays; empty without any address.

    Raises RefusedError for a role that there is not, one without an address, and a key's file that cannot be read.
    """
    _check(section)
    found = [(role, _model(section, role), section.urls.get(role, section.url)) for role in LanguageRole]
    return tuple(Played(role, model, endpoint_of(section, role)) for role, model, url in found if model and url)


def off(section: Language) -> dict[LanguageRole, str]:
    """Return the roles that nobody plays, and what serves instead. Raises as `played`."""
    return without({one.role for one in played(section)})


def without(playing: Container[LanguageRole]) -> dict[LanguageRole, str]:
    """Return the other roles, and what serves instead."""
    return {role: instead for role, instead in INSTEAD.items() if role not in playing}


def endpoint_of(section: Language, role: LanguageRole) -> LanguageEndpoint:
    """Return where a role is asked, with the key for that place: ours for `url` is sent nowhere else."""
    url = section.urls.get(role, section.url)
    key = _key(section.key, section.key_file, "language.key_file") if url == section.url else ""
    if role in section.key_files:
        key = _key("", section.key_files[role], f"language.key_files.{role.value}")
    return LanguageEndpoint(
        url=url,
        key=key,
        connect_s=section.connect_s,
        answer_s=min(section.answer_s, TEXTS_S) if role is LanguageRole.TEXT_EMBEDDER else section.answer_s,
        concurrency=section.concurrency,
        tries=section.tries,
        pause_first_s=section.pause_first_s,
        pause_last_s=section.pause_last_s,
        breaker_failures=section.breaker_failures,
        breaker_pause_s=section.breaker_pause_s,
    )


def _model(section: Language, role: LanguageRole) -> str:
    if role in section.off:
        return ""
    return section.models.get(role, "" if role in NAMED_ONLY else section.model)


def _check(section: Language) -> None:
    given = {"models": section.models, "urls": section.urls, "key_files": section.key_files, "off": section.off}
    for setting, names in given.items():
        for name in names:
            if name not in set(LanguageRole):
                known = ", ".join(LanguageRole)
                raise RefusedError(f"language.{setting} names {name!r:.60}, which is no role; roles are {known}")
    if section.url and not section.model and not section.models:
        raise RefusedError("language.url is set without language.model; name the model that it serves")
    if not section.url and (section.model or section.models) and not section.urls:
        raise RefusedError("language.model is set without language.url; set the address that serves it")


def _key(value: str, file: str, setting: str) -> str:
    # A blank is no letter of a key, as it may be of a password.
    return secret(value, file, setting).strip() if file else value
