"""Summaries of windows: the texts of the scale that `state.caption.MADE_FROM` names, to one text about all of it.

MAGIC-Video makes each scale from the one below, over the whole recording at its end. Here a window is written once it
has closed, of what lies inside it alone.
"""

from collections.abc import Sequence
from datetime import tzinfo

from biographer.models.captioning import CaptionForm
from biographer.models.chat import ChatRequest, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import wearer_named
from biographer.models.prompt import Prompt
from biographer.models.told_texts import TimedText, clock, texts_shown
from biographer.models.words_cut import words_cut
from biographer.state.caption import Caption
from biographer.state.errors import RefusedError
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

_TOKENS_MAX = 600
_WORDS_MAX = 220


def summarising(stretch: Stretch, texts: Sequence[TimedText], prompt: Prompt, wearer: str, zone: tzinfo) -> ChatRequest:
    """Return the request; pure. Raises RefusedError for a text that starts outside the window: it would leak."""
    for text in texts:
        if not stretch.start_us <= text.start_us < stretch.end_us:
            raise RefusedError(
                f"a text of {clock(text.start_us, zone)} is outside the window from {clock(stretch.start_us, zone)}; "
                f"summarise a window from what starts in it"
            )
    span = f"{clock(stretch.start_us, zone)} to {clock(stretch.end_us, zone)}"
    parts = (f"{wearer_named(wearer)} The stretch: {span}.", texts_shown("texts", texts, zone))
    return ChatRequest(prompt, (Turn("user", parts),), tokens_max=_TOKENS_MAX)


def summarised(stretch: Stretch, answer: Filled[CaptionForm] | Unusable) -> Caption | Unwritten:
    """Return the record of an answer; pure."""
    if isinstance(answer, Unusable):
        return Unwritten("summary", stretch, answer.author, answer.reason)
    return Caption(stretch, answer.author, words_cut(answer.form.text, _WORDS_MAX))


class Summariser:
    """Summarises windows by one model."""

    def __init__(self, model: ChatModel, prompt: Prompt, wearer: str, zone: tzinfo) -> None:
        self._model, self._prompt, self._wearer, self._zone = model, prompt, wearer, zone

    async def summarise(self, stretch: Stretch, texts: Sequence[TimedText]) -> Caption | Unwritten:
        """Return what it says; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = summarising(stretch, texts, self._prompt, self._wearer, self._zone)
        return summarised(stretch, await self._model.fill(request, CaptionForm))
