"""A long text in pieces, and how much of a prompt a text takes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twofold.memory.pieces import pieces, shortened, shown_bytes

texts = st.text(st.sampled_from("ab 1\n.<é漢😀\u2028"), max_size=200)


@given(texts, st.integers(min_value=8, max_value=60))
@example("x" * 100, 8)
def test_the_pieces_are_the_whole_text_and_none_is_longer_than_allowed(text: str, most: int) -> None:
    made = list(pieces(text, most))
    assert "".join(made) == text
    assert all(piece and shown_bytes(piece) <= most for piece in made)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three.\n\nFour five. Six", "One two three.\n\n"),
        ("One two three four\nfive six seven", "One two three four\n"),
        ("One two three four. Five six seven", "One two three four. "),
        ("Company 1000 and company 1010 too", "Company 1000 and company "),
        ("x" * 40, "x" * 26),
        ("一二三四五六七。八九十", "一二三四五六七。"),
    ],
    ids=["paragraph", "line", "sentence", "word", "one long word", "Chinese sentence"],
)
def test_a_piece_ends_where_something_ends(text: str, first: str) -> None:
    assert next(pieces(text, 26)) == first


@given(st.lists(st.sampled_from(["1000", "US_PRIMARY", "11-25", "and"]), min_size=5, max_size=60).map(" ".join))
def test_no_word_that_fits_a_piece_is_cut(text: str) -> None:
    assert [word for piece in pieces(text, 24) for word in piece.split()] == text.split()


@given(texts, st.integers(min_value=30, max_value=90))
def test_a_shortened_text_keeps_its_end_and_says_how_much_is_left_out(text: str, most: int) -> None:
    short = shortened(text, most)
    if shown_bytes(text) <= most:
        assert short == text
    else:
        assert "characters left out]" in short
        assert shown_bytes(short) <= most + 34
        assert text.startswith(short.partition(" [")[0])
        assert text.endswith(short.rpartition("] ")[2])


def test_two_thirds_of_what_is_shown_are_the_end() -> None:
    short = shortened("a" * 5_000 + " Shall I use company 1010?", 1_200)
    assert short.startswith("a" * 400 + " [")
    assert short.endswith("Shall I use company 1010?")
    assert len(short.rpartition("] ")[2]) == 800


@pytest.mark.parametrize(("text", "size"), [("ab", 2), ("é", 2), ("漢", 3), ("a\nb", 7), ("<", 3), ("", 0)])
def test_a_text_counts_with_the_bytes_it_takes_as_shown(text: str, size: int) -> None:
    assert shown_bytes(text) == size
