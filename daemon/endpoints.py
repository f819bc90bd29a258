"""The table of the API: every path, what it takes and gives, and who may ask. Nothing is routed that is not here."""

from biographer.daemon import api_queries as queries
from biographer.daemon import api_records as records
from biographer.daemon.api_ask import AskApi
from biographer.daemon.api_ask_records import ASK_EVENTS, AskQuery, AskResult, OfAsk
from biographer.daemon.api_chain_records import ChainPage, OfChains
from biographer.daemon.api_chains import ChainApi
from biographer.daemon.api_clip_records import ChangeRecord, ClipDetail, ClipPage, EpisodePage
from biographer.daemon.api_entity_records import Biography, EntityPage, ObservationPage
from biographer.daemon.api_graph_records import Graph
from biographer.daemon.api_media import ANY, JPEG, PNG, VIDEOS, MediaApi
from biographer.daemon.api_memory import MemoryApi
from biographer.daemon.api_relation_records import OfRelations, RelationList
from biographer.daemon.api_relations import RelationApi
from biographer.daemon.api_ruling_records import (
    NameOrder,
    OfRuled,
    OfRuling,
    OfRulings,
    OtherOrder,
    RulingList,
    RulingMade,
    SplitOrder,
)
from biographer.daemon.api_rulings import RulingApi
from biographer.daemon.api_search import SearchApi
from biographer.daemon.api_search_records import OfSearch, SearchQuery, SearchResult
from biographer.daemon.api_session import SessionApi
from biographer.daemon.api_uploads import TAKEN, UploadApi
from biographer.daemon.endpoint import Endpoint
from biographer.daemon.events import EVENTS, EventApi

_STREAMS = "/v1/streams"
_STREAM = f"{_STREAMS}/{{stream}}"
_CLIPS = f"{_STREAM}/clips"
_CLIP = f"{_CLIPS}/{{clip}}"
_ENTITY = f"{_STREAM}/entities/{{entity}}"
_RULINGS = f"{_STREAM}/rulings"
_OBSERVATION = f"{_STREAM}/observations/{{observation}}"
_SMALL = 4096
_ASKED = 256 * 1024
_ANSWERS = (
    "An answer with citations, or, as events, what leads to it: snapshot, plan, round, search (evidence as found), "
    "judged, answering, repair, and last answer (the same record) or problem."
)
_CHANGES = (
    "Each change as it is committed; resumable. Events: snapshot, where one begins; change for each clip; words, which "
    "bears nothing, where something was written about earlier ones."
)
_QUESTION = 12 * 1024 * 1024
"""A picture of 8 MB in base64, and words."""


def memory_endpoints(api: MemoryApi) -> list[Endpoint]:
    """Return the reads of records."""
    of = queries
    return [
        Endpoint("listStreams", "GET", _STREAMS, "The streams that one may see.", "read",
                 api.streams, of.AtTime, result=records.StreamList),
        Endpoint("getStream", "GET", _STREAM, "One stream in numbers.", "read",
                 api.stream, of.OfStream, result=records.StreamRecord),
        Endpoint("listEntities", "GET", f"{_STREAM}/entities", "A page of entities.", "read",
                 api.entities, of.OfEntities, result=EntityPage),
        Endpoint("getEntity", "GET", f"{_STREAM}/entities/{{entity}}", "An entity's biography.", "read",
                 api.entity, of.OfEntity, result=Biography),
        Endpoint("getObservation", "GET", _OBSERVATION, "One observation with its way through the clip.", "read",
                 api.observation, of.OfObservation, result=ObservationPage),
        Endpoint("listEpisodes", "GET", f"{_STREAM}/episodes", "A page of episodes in order of event time.", "read",
                 api.episodes, of.OfEpisodes, result=EpisodePage),
        Endpoint("listClips", "GET", _CLIPS, "A page of clips in order of event time.", "read",
                 api.clips, of.OfClips, result=ClipPage),
        Endpoint("getClip", "GET", _CLIP, "One clip: its lines, what was seen, what was written.", "read",
                 api.clip, of.OfClip, result=ClipDetail),
        Endpoint("getGraph", "GET", f"{_STREAM}/graph/{{node}}", "What lies around a node of the graph.", "read",
                 api.graph, of.OfNode, result=Graph),
    ]  # fmt: skip


def media_endpoints(api: MediaApi) -> list[Endpoint]:
    """Return the reads of pixels."""
    of = queries
    return [
        Endpoint("getCrop", "GET", f"{_OBSERVATION}/crop/{{n}}", "One picture of an observation.", "read",
                 api.crop, of.OfCrop, media=(JPEG, PNG, ANY)),
        Endpoint("getFrame", "GET", f"{_CLIP}/frame", "The frame of a clip that was on show at a time.", "read",
                 api.frame, of.OfFrame, media=(JPEG,)),
        Endpoint("getVideo", "GET", f"{_CLIP}/video", "A clip's kept file, or ranges of it.", "read",
                 api.video, of.OfClip, media=(*VIDEOS, ANY)),
    ]  # fmt: skip


def search_endpoints(api: SearchApi, asking: AskApi, relations: RelationApi, chains: ChainApi) -> list[Endpoint]:
    """Return what answers questions."""
    return [
        Endpoint("search", "POST", f"{_STREAM}/search", "Evidence for a question, and how to read it.", "read",
                 api.search, OfSearch, SearchQuery, body_max=_QUESTION, result=SearchResult),
        Endpoint("findRelations", "GET", f"{_STREAM}/relations", "Who did what with whom, strictest first.", "read",
                 relations.relations, OfRelations, result=RelationList),
        Endpoint("listChains", "GET", f"{_STREAM}/chains", "Facts by topic and steps by event, over time.", "read",
                 chains.chains, OfChains, result=ChainPage),
        Endpoint("ask", "POST", f"{_STREAM}/ask", _ANSWERS, "read",
                 asking.ask, OfAsk, AskQuery, body_max=_ASKED, result=AskResult, media=(EVENTS,), events=ASK_EVENTS),
    ]  # fmt: skip


def live_endpoints(events: EventApi, uploads: UploadApi) -> list[Endpoint]:
    """Return what comes out as it is committed, and what goes in."""
    of = queries
    return [
        Endpoint("followEvents", "GET", f"{_STREAM}/events", _CHANGES, "read",
                 events.events, of.OfEvents, media=(EVENTS,),
                 events={"snapshot": records.SnapshotRecord, "change": ChangeRecord}),
        Endpoint("uploadClip", "POST", _CLIPS, "Send a clip: a clip message, or a video alone.", "write",
                 uploads.upload, of.OfUpload, takes=TAKEN, result=records.Accepted, status=202),
    ]  # fmt: skip


def ruling_endpoints(api: RulingApi) -> list[Endpoint]:
    """Return what users say about who is who."""
    return [
        Endpoint("nameEntity", "POST", f"{_ENTITY}/name", "Give an entity its name.", "write",
                 api.name, OfRuled, NameOrder, body_max=_SMALL, result=RulingMade),
        Endpoint("mergeEntity", "POST", f"{_ENTITY}/merge", "Say that another entity is this one.", "write",
                 api.merge, OfRuled, OtherOrder, body_max=_SMALL, result=RulingMade),
        Endpoint("splitEntity", "POST", f"{_ENTITY}/split", "Say that observations of it are of another.", "write",
                 api.split, OfRuled, SplitOrder, body_max=_ASKED, result=RulingMade),
        Endpoint("setApart", "POST", f"{_ENTITY}/apart", "Say that another entity is not this one.", "write",
                 api.apart, OfRuled, OtherOrder, body_max=_SMALL, result=RulingMade),
        Endpoint("undoRuling", "POST", f"{_RULINGS}/{{ruling}}/undo", "Withdraw a ruling.", "write",
                 api.undo, OfRuling, result=RulingMade),
        Endpoint("listRulings", "GET", _RULINGS, "What users said about who is who, in order.", "read",
                 api.rulings, OfRulings, result=RulingList),
    ]  # fmt: skip


def session_endpoints(api: SessionApi) -> list[Endpoint]:
    """Return signing in and out."""
    path = "/v1/session"
    return [
        Endpoint("signIn", "POST", path, "Exchange a token for a session cookie.", None,
                 api.begin, body=queries.SignIn, body_max=_SMALL, result=records.Who),
        Endpoint("whoAmI", "GET", path, "Who one is to the daemon.", "any", api.who, result=records.Who),
        Endpoint("signOut", "DELETE", path, "End the session.", None, api.end, status=204),
    ]  # fmt: skip
