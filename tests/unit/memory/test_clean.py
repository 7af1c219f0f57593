"""Text and JSON made fit for PostgreSQL and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.clean import clean_json, clean_text


class Level(Enum):
    HIGH = "high\x00"


@dataclass
class Booking:
    account: str
    amount: Decimal


class Unknown:
    pass


@pytest.mark.parametrize(
    ("given_text", "clean"),
    [
        ("a\x00b", "ab"),
        ("bell\x07 escape\x1b[0m delete\x7f next\x85", "bell escape[0m delete next"),
        ("tab\tline\nstays", "tab\tline\nstays"),
        ("dos\r\nmac\rend", "dos\nmac\nend"),
        ("lone \ud800 high and \udc00 low", "lone  high and  low"),
        ("pair \ud83d\ude00", "pair \U0001f600"),
        ("high before a letter \ud83da", "high before a letter a"),
        ("Größe €1.000 日本 😀", "Größe €1.000 日本 😀"),
        ("\ufeffmark", "\ufeffmark"),
    ],
)
def test_text_keeps_all_but_control_characters_and_lone_surrogates(given_text: str, clean: str) -> None:
    assert clean_text(given_text) == clean


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"k\x00ey": ["a\x00", {"b": "c\ud800"}]}, {"key": ["a", {"b": "c"}]}),
        ({1: "int key", None: "none key"}, {"1": "int key", "None": "none key"}),
        ([float("nan"), float("inf"), -float("inf"), 1.5], ["NaN", "Infinity", "-Infinity", 1.5]),
        ((1, True, None), [1, True, None]),
        ({"b", "a"}, ["a", "b"]),
        (b"\x00\xff", "[2 bytes]"),
        (Unknown(), "[Unknown]"),
        (10**400, "[number too large]"),
        (datetime(2026, 3, 1, tzinfo=UTC), "2026-03-01T00:00:00+00:00"),
        (date(2026, 3, 1), "2026-03-01"),
        (Decimal("10.50"), "10.50"),
        (UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (Level.HIGH, "high"),
        (Booking("4711\x00", Decimal("1.0")), {"account": "4711", "amount": "1.0"}),
    ],
)
def test_any_value_becomes_plain_json(value: object, clean: object) -> None:
    assert clean_json(value) == clean


def test_what_contains_itself_ends() -> None:
    loop: list[object] = []
    loop += [loop, loop]
    assert clean_json(loop) == ["[nested too deep]", "[nested too deep]"]


def test_what_is_nested_deeper_than_a_stack_ends() -> None:
    deep: object = "bottom"
    for _ in range(5000):
        deep = [deep]
    assert "nested too deep" in json.dumps(clean_json(deep))


any_text = st.text(st.characters(codec=None)) | st.text(alphabet="\x00\r\n\t\ud83d\ude00a", max_size=8)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=20,
)


@given(any_text)
def test_clean_text_is_storable_and_stays_as_it_is(text: str) -> None:
    clean = clean_text(text)
    clean.encode("utf-8")
    assert "\x00" not in clean
    assert clean_text(clean) == clean


@given(any_json)
def test_clean_json_is_storable_and_stays_as_it_is(value: object) -> None:
    clean = clean_json(value)
    json.dumps(clean, ensure_ascii=False, allow_nan=False).encode("utf-8")
    assert clean_json(clean) == clean
