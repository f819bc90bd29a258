"""After a start every memory is opened and made searchable unasked; who asks before that hears how far it is."""

import msgspec
import pytest
import structlog
from api_rig import ODD, Rig, fill, filmed
from daemon_doubles import NO_NETWORKS

from biographer.daemon import live
from biographer.daemon.health import Health
from biographer.daemon.language import LanguageModels
from biographer.daemon.settings import Settings, read_settings
from biographer.daemon.start import Start
from biographer.state.folder import StateFolder
from biographer.state.learning import Learning
from biographer.state.rule import Rule


async def test_a_start_opens_every_memory_and_learns_it_unasked(tmp_path):
    """OSU-NLP-Group/HippoRAG#94: search works after a restart, with nothing in the topic."""
    rig = Rig(tmp_path)
    fill(rig, ODD)
    rig.close()
    settings = msgspec.structs.replace(
        Settings(), state=msgspec.structs.replace(Settings().state, folder=str(rig.folder.path))
    )
    health = Health()
    health.report("start", None)
    folder = StateFolder(rig.folder.path, Rule())
    assert folder.at_hand(ODD) is None
    await Start(settings, health, structlog.get_logger()).recall(folder)
    assert folder.at_hand(ODD) is not None
    assert [reason for reason in health.reasons() if reason.startswith("memory")] == []
    folder.close()


async def test_memories_that_are_being_opened_are_told_of_until_they_are_whatever_is_loaded_meanwhile(tmp_path):
    """One stream of a week takes seconds; models may be there before it."""
    health = Health()
    health.report("memory", "opening stream 's', 1 of 1")
    settings = read_settings(None, {**NO_NETWORKS, "BIOGRAPHER_STATE_FOLDER": str(tmp_path)})
    models = LanguageModels(settings.language, clock=float, random=float, wall=float)
    await Start(settings, health, structlog.get_logger()).load(models)
    assert "memory: opening stream 's', 1 of 1" in health.reasons()


async def test_a_search_before_that_is_told_to_come_again(tmp_path, monkeypatch):
    rig = Rig(tmp_path)
    rig.apply("s", filmed("s", 0, 5.0))
    rig.close()
    monkeypatch.setattr(live, "_PATIENCE_S", 0.01)
    with pytest.MonkeyPatch.context() as never:
        never.setattr(Learning, "learn", lambda _: None)
        rig = Rig(tmp_path)
        async with rig.client() as client:
            answer = await client.post("/v1/streams/s/search", json={"text": "cup"})
            assert answer.status_code == 503
            assert "0 of 1 clips are learned" in answer.json()["detail"]
            assert int(answer.headers["retry-after"]) >= 1
    async with rig.client() as client:
        monkeypatch.setattr(live, "_PATIENCE_S", 20.0)
        assert (await client.post("/v1/streams/s/search", json={"text": "cup"})).status_code == 200
    rig.close()
