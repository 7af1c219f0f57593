"""Secrets removed, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.memory.entries import called, failed, returned, session, user
from tests.unit.memory.redaction_cases import HARMLESS_TEXTS, SECRET_TEXTS
from twofold.memory.jsontypes import Json
from twofold.memory.redaction import redact_entries, redact_json, redact_text
from twofold.memory.secret_kinds import SECRET_KINDS


@pytest.mark.parametrize(("text", "secret", "kind"), SECRET_TEXTS)
def test_a_secret_in_a_text_is_replaced_by_a_placeholder_that_names_its_kind(text: str, secret: str, kind: str) -> None:
    redacted = redact_text(text)
    assert f"[redacted: {kind}]" in redacted
    assert secret not in redacted.replace(f"[redacted: {kind}]", "")
    if text.count(secret) == 1:
        before, after = text.split(secret)
        assert redacted.startswith(before)
        assert redacted.endswith(after)


@pytest.mark.parametrize("text", HARMLESS_TEXTS)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("password", "password"),
        ("userPassword", "password"),
        ("PASSWORD_HASH", "password"),
        ("new-password-2", "password"),
        ("passwordConfirmation", "password"),
        ("pwd", "password"),
        ("passphrase", "passphrase"),
        ("client_secret", "secret"),
        ("clientSecret", "secret"),
        ("secret", "secret"),
        ("credentials", "secret"),
        ("token", "token"),
        ("accessToken", "token"),
        ("x-csrf-token", "token"),
        ("api_key", "api key"),
        ("apiKey", "api key"),
        ("APIKey", "api key"),
        ("X-Api-Key", "api key"),
        ("AWS_SECRET_ACCESS_KEY", "api key"),
        ("private_key", "private key"),
        ("Authorization", "authorization"),
        ("Proxy-Authorization", "authorization"),
        ("session_cookie", "session cookie"),
        ("Set-Cookie", "session cookie"),
        ("pin", "pin"),
        ("cvv2", "card security code"),
        ("CVC", "card security code"),
        ("card_number", "card number"),
        ("cardNumber", "card number"),
        ("otp", "one-time code"),
    ],
)
def test_what_stands_under_the_key_of_a_secret_is_replaced(key: str, kind: str) -> None:
    assert redact_json({"a": [{key: "12345"}]}) == {"a": [{key: f"[redacted: {kind}]"}]}


@pytest.mark.parametrize(
    "key",
    "tokens_used token_count max_tokens tokenizer pinned pin_date spin key_date posting_key primary_key account_key"
    " cost_center_key key_figure keyboard sort_key public_key key password_policy passwords_allowed secretary"
    " authorization_group authorized cookie_consent otpion card_type number security_code credit_limit".split(),
)
def test_what_stands_under_another_key_stays(key: str) -> None:
    assert redact_json({key: "12345"}) == {key: "12345"}


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"password": 12345}, {"password": "[redacted: password]"}),
        ({"password": {"value": "x", "salt": 1}}, {"password": "[redacted: password]"}),
        ({"secrets": ["a", "b"]}, {"secrets": "[redacted: secret]"}),
        (
            {"password": None, "otp": "", "pin": True, "secrets": []},
            {"password": None, "otp": "", "pin": True, "secrets": []},
        ),
        (
            {"token": 512, "pin": "P051234567X", "pin_code": 4821},
            {"token": 512, "pin": "P051234567X", "pin_code": "[redacted: pin]"},
        ),
        ({"name": "Authorization", "value": "x"}, {"name": "Authorization", "value": "[redacted: authorization]"}),
        ({"name": "ledger", "value": "x"}, {"name": "ledger", "value": "x"}),
        ({"account": 4111111111111111}, {"account": 4111111111111111}),
        ({"document": 4500098765, "amount": 12.5}, {"document": 4500098765, "amount": 12.5}),
        ({"password is hunter2": "x"}, {"password is [redacted: password]": "x"}),
        ('{"password": "x"}', '{"password": "[redacted: password]"}'),
        ({"result": '{"user": {"pin": 1234}}'}, {"result": '{"user": {"pin": "[redacted: pin]"}}'}),
        ('[{"body": "{\\"otp\\": \\"123456\\"}"}]', '[{"body": "{\\"otp\\": \\"[redacted: one-time code]\\"}"}]'),
        ('{"ledger":  "US"}', '{"ledger":  "US"}'),
        ("{not json, password: hunter2}", "{not json, password: [redacted: password]}"),
    ],
)
def test_json_is_searched_by_keys_names_and_texts(value: Json, redacted: Json) -> None:
    assert redact_json(value) == redacted


def test_entries_lose_their_secrets_in_every_field_that_is_kept() -> None:
    entries = session(
        user("my password is hunter2"),
        called("login", args={"password": "hunter2", "user": "anna"}),
        returned("login", response={"session_cookie": "abc", "ok": True}),
        failed("AuthError: token=abc123def", "api key abc: api key is abc123def456"),
    )
    said, call, response, error = redact_entries(entries)
    assert said == replace(entries[0], text="my password is [redacted: password]")
    assert call == replace(entries[1], payload={"password": "[redacted: password]", "user": "anna"})
    assert response == replace(entries[2], payload={"session_cookie": "[redacted: session cookie]", "ok": True})
    assert (error.error, error.text) == (
        "AuthError: token=[redacted: token]",
        "api key abc: api key is [redacted: api key]",
    )


pieces = st.one_of(
    st.sampled_from([text for text, _, _ in SECRET_TEXTS] + HARMLESS_TEXTS),
    st.sampled_from([kind.name for kind in SECRET_KINDS]).map("[redacted: {}]".format),
    st.sampled_from(["password", "is", ":", "=", '"', "[redacted: ", "]", "token", "pin", " ", "\n", "{", "}", "\\"]),
    st.text(max_size=6),
)
any_text = st.builds("{1}".join, st.lists(pieces, max_size=6)).map(lambda text: text.replace("{1}", "")) | st.lists(
    pieces, max_size=6
).map(" ".join)
any_json = st.recursive(
    any_text | st.none() | st.booleans() | st.integers() | st.integers(4 * 10**15, 5 * 10**15),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["password", "name", "value", "token", "ledger"]) | any_text, inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(any_text)
def test_redacting_a_text_again_changes_nothing(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


@settings(deadline=None)
@given(any_json)
def test_redacting_json_again_changes_nothing_and_it_stays_json(value: Json) -> None:
    once = redact_json(value)
    assert redact_json(once) == once
    json.dumps(once)


@settings(deadline=None)
@given(st.sampled_from(SECRET_TEXTS), st.text(alphabet="xz \n.,", max_size=40), st.text(alphabet=" \n.,", max_size=4))
def test_a_secret_is_found_wherever_it_stands(case: tuple[str, str, str], before: str, after: str) -> None:
    text, secret, _ = case
    redacted = redact_text(f"{before} {text}\n{after}")
    assert secret not in re.sub(r"\[redacted: [a-z -]+\]", "", redacted)


@pytest.mark.parametrize(
    "piece", ["a", "a.", "password for ", "1", "4111 ", "set ", "://a:", "{", "bearer ", "pass", "key_", '"']
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    began = process_time()
    redact_text(text)
    assert process_time() - began < 2


@pytest.mark.parametrize("key", ["pass", "pw", "auth", "bearer", "PASS", "user_pass"])
def test_a_key_that_is_nothing_but_a_secret_word_is_redacted(key: str) -> None:
    assert "hunter2" not in str(redact_json({key: "hunter2"}))


@pytest.mark.parametrize("key", ["boarding_pass", "pass_count", "auth_method", "first_pass"])
def test_a_key_with_more_words_keeps_its_value(key: str) -> None:
    assert redact_json({key: "A12"}) == {key: "A12"}
