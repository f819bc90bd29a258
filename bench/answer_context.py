"""What an answer was made from: the request that its model was sent, without pictures, and how many tokens that is."""

from dataclasses import dataclass, replace

from biographer.daemon.question_loop import Progress, Stage
from biographer.daemon.question_prompts import QuestionPrompts
from biographer.models.token_counter import TokenCounter


@dataclass(frozen=True, slots=True)
class Reading:
    """The prompts of a question loop, which keep to its budget by its own counter, and the counter that tells."""

    prompts: QuestionPrompts
    counter: TokenCounter

    def tokens(self, progress: Progress) -> int:
        """Return the tokens of all text of the answering request: instruction, question, searches, evidence."""
        request = self.prompts.request(replace(progress, stage=Stage.ANSWER, drafted=None))
        return self.counter.count(request.text)

    def items(self, progress: Progress) -> int:
        """Return how many of the items that were kept the answering request had room for."""
        return len(self.prompts.evidence(progress))
