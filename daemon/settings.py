"""The one typed place of all settings: read once from a TOML file and the environment, refused whole where one is bad.

Sections and their fields live in `sections`; what is built from them in `parts`. The environment is passed in.
"""

import difflib
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec

from biographer.daemon import sections
from biographer.daemon.ask_section import Ask
from biographer.daemon.language_section import Language
from biographer.daemon.search_section import Search
from biographer.state.errors import RefusedError

PREFIX = "BIOGRAPHER_"
"""Every setting is also BIOGRAPHER_<SECTION>_<NAME> in the environment, which goes before the file."""

CONFIG = "BIOGRAPHER_CONFIG"
"""Where the command line finds the file; not a setting."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the daemon is told, by section; the defaults are for a first try on one machine."""

    state: sections.State = sections.State()
    kafka: sections.Kafka = sections.Kafka()
    perceive: sections.Perceive = sections.Perceive()
    association: sections.Association = sections.Association()
    order: sections.Order = sections.Order()
    search: Search = Search()
    models: sections.Models = sections.Models()
    language: Language = Language()
    ask: Ask = Ask()
    pipeline: sections.Pipeline = sections.Pipeline()
    clips: sections.Clips = sections.Clips()
    http: sections.Http = sections.Http()
    client: sections.Client = sections.Client()
    log: sections.Log = sections.Log()


def read_settings(file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings of a TOML file and the environment.

    Raises RefusedError that lists every unknown key (with the nearest known one) and every bad value.
    """
    given = _file_values(file) if file else {}
    problems: list[str] = []
    values = {name: dict(_in_file(name, section, problems)) for name, section in _sections(given, problems)}
    for name, key, text in _environment(environ, problems):
        values.setdefault(name, {})[key] = text
    built = {name: _section(name, values.get(name, {}), problems) for name in _kinds()}
    if problems:
        raise RefusedError("settings are refused:\n" + "\n".join(f"  {problem}" for problem in problems))
    return _placed(msgspec.structs.replace(Settings(), **built), environ)


def _placed(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """Choose the user's cache folder for models where none is set."""
    if settings.models.folder:
        return settings
    cache = environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME', '~')}/.cache"
    models = msgspec.structs.replace(settings.models, folder=f"{cache}/biographer/models")
    return msgspec.structs.replace(settings, models=models)


def _file_values(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"settings file {file} can't be read: {error}; name a readable TOML file") from error
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(f"settings file {file} is not TOML: {error}") from error


def _sections(given: Mapping[str, Any], problems: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, section in given.items():
        if name not in _kinds():
            problems.append(f"[{name}] is no section; {_nearest(name, _kinds())}")
        elif not isinstance(section, dict):
            problems.append(f"{name} = {section!r} is no section; write [{name}] and its settings below it")
        else:
            yield name, section


def _in_file(name: str, section: Mapping[str, Any], problems: list[str]) -> Iterator[tuple[str, Any]]:
    known = _fields(name)
    for key, value in section.items():
        if key in known and sections.marked(known[key], "outside_files"):
            remedy = f"set {key}_file, or the environment variable"
            problems.append(f"{name}.{key} = (secret): files are read by many; {remedy}")
        else:
            yield key, value


def _environment(environ: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, str, str]]:
    known = {f"{PREFIX}{section}_{key}".upper(): (section, key) for section in _kinds() for key in _fields(section)}
    for variable, text in sorted(environ.items()):
        if not variable.startswith(PREFIX) or variable == CONFIG:
            continue
        if variable in known:
            yield (*known[variable], text)
        else:
            problems.append(f"environment variable {variable} is no setting; {_nearest(variable, known)}")


def _section(name: str, values: Mapping[str, Any], problems: list[str]) -> sections.Section:
    fields, known = {}, _fields(name)
    for key, value in values.items():
        field = known.get(key)
        if field is None:
            problems.append(f"{name}.{key} is no setting; {_nearest(key, known)}")
            continue
        try:
            fields[key] = _typed(value, field.type)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            shown = "(secret)" if sections.marked(field, "secret") else f"{value!r:.80}"
            problems.append(f"{name}.{key} = {shown}: {error}; it is: {description(field)}")
    return _kinds()[name](**fields)


def _typed(value: object, kind: object) -> object:
    """Convert one value; text (as from the environment) becomes what the setting is: JSON, or items between commas."""
    inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if isinstance(value, str) and inner is not str and get_origin(inner) is not None:
        if value.lstrip()[:1] in ("[", "{"):
            value = msgspec.json.decode(value)
        elif get_origin(inner) is tuple:
            value = [item.strip() for item in value.split(",") if item.strip()]
    typed = msgspec.convert(value, kind, strict=not isinstance(value, str))
    if isinstance(typed, float) and not math.isfinite(typed):
        raise msgspec.ValidationError("Expected a finite number")
    return typed


def description(field: msgspec.structs.FieldInfo) -> str:
    """Return what a setting means."""
    metas = [meta for meta in get_args(field.type)[1:] if isinstance(meta, msgspec.Meta) and meta.description]
    return metas[-1].description or "" if metas else ""


def _kinds() -> dict[str, type[sections.Section]]:
    return {field.name: field.type for field in msgspec.structs.fields(Settings)}


def _fields(section: str) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(_kinds()[section])}


def _nearest(name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else "SETTINGS.md lists those there are"
