"""BM25 against its own definition, over what is visible and nothing else."""

import math
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.postings import K1, B, Postings
from biographer.state.visible import Visible

documents = st.lists(st.lists(st.sampled_from("abcde"), max_size=8), min_size=1, max_size=12)


def by_definition(docs, query):
    mean = max(1.0, sum(map(len, docs)) / len(docs))
    scores = []
    for doc in docs:
        total = 0.0
        for term, times in Counter(query).items():
            holding = sum(term in other for other in docs)
            rarity = times * math.log(1 + (len(docs) - holding + 0.5) / (holding + 0.5))
            count = doc.count(term)
            total += rarity * (K1 + 1) * count / (count + K1 * (1 - B + B * len(doc) / mean))
        scores.append(total)
    return scores


@given(documents, st.lists(st.sampled_from("abcdez"), min_size=1, max_size=4), st.data())
def test_scores_are_those_of_an_index_of_the_visible_documents_alone(docs, query, data):
    postings = Postings()
    for doc in docs:
        postings.add(doc, len(doc))
    count = data.draw(st.integers(0, len(docs)))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
    for visible in (Visible(count), Visible(count, mask)):
        chosen = visible.numbers()
        scores, most = postings.scores(query, visible)
        expected = np.zeros(count)
        if len(chosen):
            expected[chosen] = by_definition([docs[number] for number in chosen], query)
        np.testing.assert_allclose(scores, expected, atol=1e-12)
        assert scores.max(initial=0.0) <= most + 1e-12


def test_no_terms_or_no_documents_score_nothing():
    postings = Postings()
    assert postings.scores(["a"], Visible(0))[1] == 0.0
    postings.add([], 0)
    scores, most = postings.scores([], Visible(1))
    assert scores.tolist() == [0.0]
    assert most == 0.0
