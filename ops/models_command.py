"""`biographer models`: which models are known, fetching their weights, and whether they run here."""

import asyncio
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole, off, played
from biographer.daemon.parts import models_folder, models_named, models_needed, runtime_of
from biographer.daemon.settings import Settings
from biographer.models.catalogue import MODELS, KnownModel, Role, load_detector, load_embedder, load_text_embedder
from biographer.models.weights import present, pull
from biographer.ops.models_export import export_model
from biographer.ops.options import config_option, json_option, settings_of
from biographer.ops.tables import Row, show
from biographer.state.description import Mode
from biographer.state.errors import BiographerError, FatalError, RefusedError
from biographer.streams.array_frame import ArrayFrame


@click.group()
def models() -> None:
    """List, fetch and check the models that are known."""


models.add_command(export_model)


@models.command("list")
@config_option
@json_option
def list_models(*, config: Path | None, as_json: bool) -> None:
    """List the catalogue: role, licence, size, and whether the weights are here; and who plays which language role."""
    settings = settings_of(config)
    folder = models_folder(settings)
    rows = [_row(model, folder) for model in MODELS.values()]
    language = _language_rows(settings)
    head = {"folder": str(folder), **({"language": language} if as_json else {})}
    show("models", rows, as_json=as_json, head=head, hidden=("file",))
    if not as_json:
        show("language", language, as_json=False)


@models.command("pull")
@click.argument("names", nargs=-1)
@config_option
def pull_models(*, names: tuple[str, ...], config: Path | None) -> None:
    """Fetch the weights of NAMES, or of the models that the settings name."""
    settings = settings_of(config)
    for bundle in {model.bundle.name: model.bundle for model in _chosen(names, settings)}.values():
        pull(bundle, models_folder(settings), click.echo)


@models.command("check")
@click.argument("names", nargs=-1)
@config_option
@json_option
def check_models(*, names: tuple[str, ...], config: Path | None, as_json: bool) -> None:
    """Load NAMES (or what the settings name) and run each once on a grey picture; fail where one does not run.

    Without NAMES, language endpoints are asked too whether they serve what the settings want of them.
    """
    settings = settings_of(config)
    known = [(model.role, model.name) for model in _chosen(names, settings)]
    rows = list(_checked(known if names else models_named(settings).items(), settings))
    rows += [] if names else asyncio.run(_asked(settings))
    show("checks", rows, as_json=as_json)
    failed = [str(row["name"]) for row in rows if not row["runs"]]
    if failed:
        raise FatalError(f"{', '.join(failed)} do not run here; the reasons stand above")


def _chosen(names: Sequence[str], settings: Settings) -> list[KnownModel]:
    if not names:
        return list(models_needed(settings))
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise RefusedError(f"model {unknown[0]!r} is not in the catalogue; known are {', '.join(sorted(MODELS))}")
    return [MODELS[name] for name in names]


def _row(model: KnownModel, folder: Path) -> Row:
    bundle = model.bundle
    return {
        "name": model.name,
        "role": model.role,
        "present": present(bundle, folder),
        "source": bundle.package.title,
        "licence": bundle.licence,
        "download_mb": bundle.download_mb,
        "size_mb": bundle.size_mb,
        "file": str(folder / model.file),
    }


def _checked(named: Iterable[tuple[Role, str]], settings: Settings) -> Iterator[Row]:
    for role, name in named:
        try:
            yield {"name": name, "runs": True, "result": _run(role, name, settings)}
        except BiographerError as error:
            yield {"name": name, "runs": False, "result": str(error)}


def _unasked(role: LanguageRole, settings: Settings) -> str:
    """Return what is to be said of a role that somebody plays and nobody asks."""
    waits = role is LanguageRole.EMBEDDER and Mode(settings.language.mode) is not Mode.INLINE
    return " (asked inline alone: language.mode)" if waits else ""


def _language_rows(settings: Settings) -> list[Row]:
    """Return each language role with the model that plays it, or what serves instead."""
    playing: dict[LanguageRole, Row] = {
        one.role: {
            "role": one.role.value,
            "model": one.model,
            "where": one.endpoint.url + _unasked(one.role, settings),
        }
        for one in played(settings.language)
    }
    absent: dict[LanguageRole, Row] = {
        role: {"role": role.value, "model": None, "where": f"off: {instead}"}
        for role, instead in off(settings.language).items()
    }
    rows = {**playing, **absent}
    return [rows[role] for role in LanguageRole]


async def _asked(settings: Settings) -> list[Row]:
    """Return whether each endpoint serves what is wanted of it."""
    section = msgspec.structs.replace(settings.language, tries=1)
    language = LanguageModels(section, clock=time.monotonic, random=random.random, wall=time.time)
    try:
        checked = await language.checked()
    finally:
        await language.close()
    return [
        {"name": role.value, "runs": not isinstance(said, BiographerError), "result": str(said)}
        for role, said in checked.items()
    ]


def _run(role: Role, name: str, settings: Settings) -> str:
    folder, runtime = models_folder(settings), runtime_of(settings)
    grey = np.full((64, 64, 3), 128, np.uint8)
    if role == "embedder":
        vectors = load_embedder(name, folder, runtime).embed([grey])
        return f"{vectors.shape[1]} numbers a crop"
    if role == "text_embedder":
        vectors = load_text_embedder(name, folder, runtime).embed(["a cup"])
        return f"{vectors.shape[1]} numbers a text"
    detector = load_detector(name, folder, runtime)
    detector.detect([ArrayFrame(0, grey)])
    return f"{len(detector.labels)} labels"
