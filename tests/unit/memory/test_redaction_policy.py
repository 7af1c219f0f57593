"""What a policy says about each kind of secret is what happens to it, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.memory.redaction_cases import HARMLESS_TEXTS, SECRET_TEXTS
from tests.unit.memory.test_redaction import any_json, any_text
from twofold.memory.errors import SettingsInvalid
from twofold.memory.jsontypes import Json
from twofold.memory.redaction import ACTIONS, DEFAULT, KINDS, Redactor
from twofold.settings import load_settings

IBAN = "DE89 3704 0044 0532 0130 00"

policies = st.dictionaries(st.sampled_from(KINDS), st.sampled_from(ACTIONS)).map(Redactor.of)
everything_dropped = Redactor.of(dict.fromkeys(KINDS, "drop"))


def test_all_kinds_are_masked_by_default_but_the_iban_which_is_kept() -> None:
    assert Redactor.of({}) == DEFAULT
    assert DEFAULT.kept == {"iban"}
    assert DEFAULT.dropped == frozenset()
    assert DEFAULT.text(f"pay to {IBAN}") == f"pay to {IBAN}"


@pytest.mark.parametrize(
    ("iban", "masked"),
    [
        (IBAN, True),
        ("DE89370400440532013000", True),
        ("gb29 nwbk 6016 1331 9268 19", True),
        ("NL91-ABNA-0417-1643-00", True),
        ("NO93 8601 1117 947", True),
        ("MT84MALT011000012345MTLCAST001S", True),
        ("DE89 3704 0044 0532 0130 01", False),  # check digits
        ("DE89 3704 0044 0532 0130 0", False),  # length
        ("XX89 3704 0044 0532 0130 00", False),  # country
        ("ZZDE89370400440532013000", False),
        ("DE89370400440532013000X", False),
    ],
)
def test_an_iban_is_told_by_country_length_and_check_digits(iban: str, masked: bool) -> None:  # noqa: FBT001
    said = f"pay {iban}, EUR 100"
    assert (Redactor.of({"iban": "mask"}).text(said) == "pay [redacted: iban], EUR 100") is masked


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("my pin is 4711, close March", "my , close March"),
        ("log in with password Winter2026 now", "log in with  now"),
        ("get https://anna:geheim@host/x", "get https://anna@host/x"),
        ("get https://h/x?a=1&access_token=abc123def456&b=2", "get https://h/x?a=1&&b=2"),
        ("AKIAIOSFODNN7EXAMPLE", ""),
        ("pay with 4111 1111 1111 1111 today", "pay with  today"),
        ("password: hunter2 fix it", " fix it"),
        ("my password is [redacted: password] already", "my password is [redacted: password] already"),
        ('{"user": "anna", "password": "x"}', '{"user": "anna"}'),
        ("The password is required", "The password is required"),
    ],
)
def test_what_is_dropped_takes_what_names_it_along_and_leaves_no_placeholder(text: str, left: str) -> None:
    assert everything_dropped.text(text) == left


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"pin": 4711, "ledger": "US"}, {"ledger": "US"}),
        ({"a": [{"otp": "123456"}]}, {"a": [{}]}),
        ({"name": "Authorization", "value": "x"}, {"name": "Authorization"}),
        (["AKIAIOSFODNN7EXAMPLE", "x"], ["", "x"]),
        ({"card": {"number": 4111111111111111}}, {"card": {"number": ""}}),
        ({"password is hunter2": "x"}, {"": "x"}),
        ({"password": None}, {"password": None}),
    ],
)
def test_a_dropped_key_goes_with_its_value(value: Json, left: Json) -> None:
    assert everything_dropped.json(value) == left


def test_what_is_kept_stays_and_what_else_stands_there_does_not() -> None:
    kept = Redactor.of({"pin": "keep"})
    assert kept.text("my pin is 4711, my password is hunter2") == "my pin is 4711, my password is [redacted: password]"
    assert kept.json({"pin": "my password is hunter2"}) == {"pin": "my password is [redacted: password]"}


CARD = "4111111111111111"
MASKED = "[redacted: card number]"


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"card": {"number": CARD}}, {"card": {"number": MASKED}}),
        ({"payment_cards": [int(CARD)]}, {"payment_cards": [MASKED]}),
        ({"type": "Visa", "number": CARD}, {"type": "Visa", "number": MASKED}),
        ({"expiry": "12/27", "n": CARD}, {"expiry": "12/27", "n": MASKED}),
        ({"query": CARD}, {"query": MASKED}),
        ({"reference": CARD}, {"reference": CARD}),
        ({"account": {"number": int(CARD)}}, {"account": {"number": int(CARD)}}),
        ({"type": "Visa", "number": "4111111111111112"}, {"type": "Visa", "number": "4111111111111112"}),
        ({"scorecard": "1733043686842859"}, {"scorecard": "1733043686842859"}),
        ({"note": "4111 1111 1111 1111", "n": CARD}, {"note": MASKED, "n": CARD}),
    ],
)
def test_a_bare_number_is_a_card_where_something_beside_it_speaks_of_cards(value: Json, redacted: Json) -> None:
    assert DEFAULT.json(value) == redacted
    assert DEFAULT.json(redacted) == redacted


def test_a_message_that_is_nothing_but_a_card_number_is_one() -> None:
    """The answer to "Which card?"; in a sentence without a word of cards it may be any document."""
    assert DEFAULT.text(f" {CARD}\n") == MASKED
    assert everything_dropped.text(CARD) == ""
    assert DEFAULT.text(f"It is in {CARD}.") == f"It is in {CARD}."


def test_the_private_parts_of_a_key_in_json_are_masked() -> None:
    key: Json = {"kty": "EC", "crv": "P-256", "x": "f83OJ3", "d": "jpsQnnGQmL"}
    assert DEFAULT.json(key) == {"kty": "EC", "crv": "P-256", "x": "f83OJ3", "d": "[redacted: private key]"}
    assert DEFAULT.json({"d": "jpsQnnGQmL"}) == {"d": "jpsQnnGQmL"}


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (
            {"pasword": "keep"},
            r"no kind of secret 'pasword' \(did you mean 'password'\?\); kinds are card number, private key",
        ),
        ({"Password": "keep"}, "no kind of secret 'Password'"),
        ({"*": "keep"}, "one-time code"),
        ({"password": "off"}, "'password' is to be one of keep, mask, drop, not 'off'"),
        ({"password": "MASK"}, "not 'MASK'"),
    ],
)
def test_a_misspelt_policy_is_refused_and_names_what_there_is(policy: dict[str, str], told: str) -> None:
    with pytest.raises(SettingsInvalid, match=told):
        Redactor.of(policy)
    with pytest.raises(SettingsInvalid, match=rf"TWOFOLD_REDACTION: .*{told}"):
        load_settings(redaction=policy)


@pytest.mark.parametrize("value", ["iban=mask", '["iban"]', '{"iban": true}', '"keep"', '{"pasword": "mask"}'])
def test_a_policy_of_the_environment_that_cannot_be_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TWOFOLD_REDACTION", value)
    with pytest.raises(SettingsInvalid, match="TWOFOLD_REDACTION"):
        load_settings()


def test_a_policy_of_the_environment_is_what_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_REDACTION", '{"iban": "mask", "pin": "drop"}')
    assert load_settings().redactor == Redactor(kept=frozenset(), dropped=frozenset({"pin"}))


@settings(deadline=None)
@given(policies, any_text)
def test_redacting_a_text_again_changes_nothing_under_any_policy(redactor: Redactor, text: str) -> None:
    once = redactor.text(text)
    assert redactor.text(once) == once


@settings(deadline=None)
@given(policies, any_json)
def test_redacting_json_again_changes_nothing_under_any_policy(redactor: Redactor, value: Json) -> None:
    once = redactor.json(value)
    assert redactor.json(once) == once
    json.dumps(once)


@settings(deadline=None)
@given(any_json)
def test_masking_keeps_the_shape(value: Json) -> None:
    assert same_shape(value, DEFAULT.json(value))


@settings(deadline=None)
@given(st.lists(st.sampled_from([text for text, _, _ in SECRET_TEXTS]), unique=True), st.booleans())
def test_keys_that_differ_stay_different(texts: list[str], dropped: bool) -> None:  # noqa: FBT001
    redactor = everything_dropped if dropped else DEFAULT
    redacted: Any = redactor.json(dict.fromkeys(texts))
    assert len(redacted) == len(texts)


@settings(deadline=None)
@given(st.sampled_from(HARMLESS_TEXTS))
def test_ordinary_text_stays_as_it_is_under_every_action(text: str) -> None:
    policy = dict.fromkeys(KINDS, "drop") | {"iban": "keep"}
    assert Redactor.of(policy).text(text) == text


@settings(deadline=None)
@given(st.text() | any_text)
def test_no_text_is_refused(text: str) -> None:
    DEFAULT.text(text)
    everything_dropped.text(text)


def same_shape(before: Json, after: Json) -> bool:
    """Whether each list and mapping is there with as many members; a text or a secret's value may be another."""
    if isinstance(after, str):  # redacted as a whole, or a text
        return isinstance(before, str) or after.startswith("[redacted: ")
    if isinstance(before, dict) and isinstance(after, dict):
        return len(before) == len(after) and all(map(same_shape, before.values(), after.values()))
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(same_shape, before, after))
    return before == after
