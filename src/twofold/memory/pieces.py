"""How much of a prompt a text takes, and a long one in pieces: all of it, cut at paragraphs, lines or words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

# A line break is shown with an indent, and brackets of markup as wider ones: counted so, a text never takes more.
_SHOWN = str.maketrans(
    dict.fromkeys("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n    ") | {"<": "\u2039", ">": "\u203a"}
)
_BREAKS = ("\n\n", "\n", ". ", "\u3002")
_SPACES = " \t\n\u00a0\u3000"
_HEAD, _TAIL = 1, 2


def shown_bytes(text: str) -> int:
    """Return how many bytes of UTF-8 a turn's text takes at most in a prompt.

    Bytes, because a token is about four of them in English, and three in German or Chinese alike; a character
    is a token in one language and a quarter of one in another.
    """
    return len(text.translate(_SHOWN).encode("utf-8", "surrogatepass"))


def pieces(text: str, most_bytes: int) -> Iterator[str]:
    """Yield `text` in pieces of at most `most_bytes` as shown; together they are the text, character by character.

    A piece ends after a paragraph, a line or a sentence where one ends in its second half, else after a word;
    only a word longer than a piece is cut.
    """
    while len(text) > most_bytes or shown_bytes(text) > most_bytes:
        fitting = bisect_right(
            range(1, min(len(text), most_bytes) + 1), most_bytes, key=lambda n: shown_bytes(text[:n])
        )
        end = _end(text[: max(fitting, 1)], text)
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def shortened(text: str, most_bytes: int) -> str:
    """Return `text`, or its beginning and its end, and how much is left out between; the end is twice as long."""
    if shown_bytes(text) <= most_bytes:
        return text
    part = most_bytes // (_HEAD + _TAIL)
    head = next(pieces(text, part * _HEAD))
    tail = text[-part * _TAIL :]
    while shown_bytes(tail) > part * _TAIL:
        tail = tail[-(len(tail) * 3 // 4) :]
    left_out = len(text) - len(head) - len(tail)
    return f"{head.rstrip()} [{left_out} characters left out] {tail.lstrip()}"


def _end(fitting: str, text: str) -> int:
    """Return where the piece ends of which `fitting` is the most that it can hold."""
    for mark in _BREAKS:
        at = fitting.rfind(mark)
        if at >= len(fitting) // 2:
            return at + len(mark)
    if text[len(fitting) : len(fitting) + 1] in set(_SPACES):
        return len(fitting)
    return max((fitting.rfind(space) for space in _SPACES), default=-1) + 1 or len(fitting)
