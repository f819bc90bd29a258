"""Counting tokens before asking."""

from biographer.models.token_counter import QuarterCounter, TokenizerCounter


def test_quarters():
    counter = QuarterCounter()
    assert [counter.count(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert counter.name == "characters/4"


def test_a_tokenizer_counts_all_of_a_long_text(weights_folder):
    counter = TokenizerCounter("minilm-l6", weights_folder / "minilm-l6-int8.tokenizer.json")
    assert counter.count("") == 0
    assert counter.count("where is my cup") == 4
    assert counter.count("cup " * 5000) == 5000
