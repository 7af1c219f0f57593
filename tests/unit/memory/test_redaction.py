"""Secrets removed, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.memory.entries import called, failed, returned, session, user
from twofold.memory.jsontypes import Json
from twofold.memory.redaction import redact_entries, redact_json, redact_text
from twofold.memory.secret_kinds import SECRET_KINDS

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----"

SECRET_TEXTS = [
    # text, the secret in it, its kind
    ("my password is hunter2", "hunter2", "password"),
    ("My PASSWORD: hunter2.", "hunter2", "password"),
    ("the password for SAP is Winter2026!", "Winter2026!", "password"),
    ("the password to the US ledger was geheim", "geheim", "password"),
    ("please set my password to sunshine", "sunshine", "password"),
    ("I changed the password for SAP to 'blue sky'", "blue sky", "password"),
    ("reset the password to Sunshine and go on", "Sunshine", "password"),
    ("use anna and password 'blue sky'", "blue sky", "password"),
    ("with the password of Tr@v3lB00ks", "Tr@v3lB00ks", "password"),
    ("book it with my access token abc123xyz, please", "abc123xyz", "token"),
    ("the client secret 'rise to sky'", "rise to sky", "secret"),
    ("the client secret is 'M@xSecret!'", "M@xSecret!", "secret"),
    ("with access code 897362", "897362", "pin"),
    ("a CVV of 321", "321", "card security code"),
    ("card number 2345-6789-1234-5678", "2345-6789-1234-5678", "card number"),
    ("log in with password Winter2026", "Winter2026", "password"),
    ('password = "correct horse"', "correct horse", "password"),
    ("Das Passwort ist geheim", "geheim", "password"),
    ("DB_PASSWORD=s3cr3t", "s3cr3t", "password"),
    ("Server=db;Uid=sa;Pwd=s3cr3t", "s3cr3t", "password"),
    ("postgresql://anna:p@ss@db:5432/erp", "p@ss", "password"),
    ("https://anna:geheim@host/x", "geheim", "password"),
    ('cut off {"user": "anna", "password": "a b', "a b", "password"),
    ('in text {"password": "a b", "user": "anna"}', "a b", "password"),
    ("passphrase: correct horse battery staple", "correct horse battery staple", "passphrase"),
    ("my pin is 1234", "1234", "pin"),
    ("PIN: 482913", "482913", "pin"),
    ("the pin code 4821", "4821", "pin"),
    ("OTP 483920", "483920", "one-time code"),
    ("your verification code is 483 920", "483 920", "one-time code"),
    ("cvv 123", "123", "card security code"),
    ("CVC: 1234", "1234", "card security code"),
    ("card 4111 1111 1111 1111", "4111 1111 1111 1111", "card number"),
    ("4111-1111-1111-1111 12/27 123", "4111-1111-1111-1111", "card number"),
    ("pay 100 with 4111 1111 1111 1111 123", "4111 1111 1111 1111", "card number"),
    ("anna,5500005555555559,12/27", "5500005555555559", "card number"),
    ("amex 3782 822463 10005", "3782 822463 10005", "card number"),
    ("amex 378282246310005", "378282246310005", "card number"),
    ("maestro 6759649826438453", "6759649826438453", "card number"),
    ("Authorization: Basic YWxhZGRpbjpvcGVu", "Basic YWxhZGRpbjpvcGVu", "authorization"),
    ("-H 'Authorization: Bearer abc123'", "Bearer abc123", "authorization"),
    ("use bearer a1b2c3d4e5f6", "a1b2c3d4e5f6", "token"),
    (f"call it with {JWT}", JWT, "token"),
    ("access_token=abc123def", "abc123def", "token"),
    ("the token is 8f14e45fceea", "8f14e45fceea", "token"),
    ("sk-proj-abc123def456ghi789", "sk-proj-abc123def456ghi789", "api key"),
    ("sk-ant-api03-AbCdEf123456-x_y", "sk-ant-api03-AbCdEf123456-x_y", "api key"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "api key"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "api key"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", "api key"),
    ("xoxb-123456789012-AbCdEf", "xoxb-123456789012-AbCdEf", "api key"),
    ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "AIzaSyA-1234567890abcdefghijklmnopqrstu", "api key"),
    ("hf_abcdefghijklmnopqrst1234", "hf_abcdefghijklmnopqrst1234", "api key"),
    ("AccountName=erp;AccountKey=abcdefghijklmnopqrstuv==", "abcdefghijklmnopqrstuv==", "api key"),
    ("my api key is abc123def456", "abc123def456", "api key"),
    ("client_secret=abc123def", "abc123def", "secret"),
    ("credentials: anna / hunter2", "anna / hunter2", "secret"),
    ("Set-Cookie: JSESSIONID=ab12; Path=/", "JSESSIONID=ab12; Path=/", "session cookie"),
    (f"key:\n{PEM}\nend", PEM, "private key"),
    (PEM[:60], PEM[:60], "private key"),
]


@pytest.mark.parametrize(("text", "secret", "kind"), SECRET_TEXTS)
def test_a_secret_in_a_text_is_replaced_by_a_placeholder_that_names_its_kind(text: str, secret: str, kind: str) -> None:
    redacted = redact_text(text)
    assert f"[redacted: {kind}]" in redacted
    assert secret not in redacted.replace(f"[redacted: {kind}]", "")
    if text.count(secret) == 1:
        before, after = text.split(secret)
        assert redacted.startswith(before)
        assert redacted.endswith(after)


HARMLESS_TEXTS = [
    # talk about secrets without one
    "The password is required",
    "Password: expired",
    "your password was not changed",
    "What is the password for US_PRIMARY?",
    "password ********",
    "Please reset the password for user 4711",
    "reset your password to continue.",
    "update your password at your earliest convenience to prevent any lockouts",
    "Token: expired",
    "Tokens used: 1200, max_tokens: 4096, token 12,000 of 15,000",
    "the password of Anna and the token for FB60",
    "the API key of the vendor portal, the client secret of today",
    "the secret is out",
    "no authorization for company code 1000",
    "authorization group: 0001",
    "authorization is pending with the controller",
    "the pin board, 1234 pins, pinned 2026",
    "shipping 1000, spin 2000, PINE 3000",
    "opt 483920",
    "card payments in March",
    "see https://host.example/path:8080/x@y",
    # ERP
    "Posting key 40 and 50, account key 1000, condition key PR00",
    "primary key: 4711, cost-center key: CC1000, key figure: 0AMOUNT",
    "depreciation key: LINR, key date: 2026-03-31, sort key = 001",
    "document 4500098765, 1900000123 and INV-90012345",
    "documents 4500 0987 6500 0001",
    "GL accounts 400000, 410000-410099, 11-25",
    "GL 4000 4100 4200 4300",
    "asset 100000012345-0001, object 000000000001",
    "amount 1,234,567,890,123.45 EUR, rate 0.4111111111111111",
    "IBAN DE89 3704 0044 0532 0130 00 and DE89370400440532013000",
    "IBAN GB29 4111 1111 1111 1111 11",
    "vendor PO-4111111111111111",
    "timestamp 1733043686842859 and 1733043686842859123",
    "uuid 4ba7b810-9dad-4111-8111-00c04fd430c8",
    "EAN 4006381333931, phone +49 170 1234567",
    "from 2026-01-01 to 2026-03-31 at 09:00:00",
    "Basic depreciation, bearer bonds 2026, bearer of 4500098765",
    "risk-adjusted return, task-4711-2026-0001-0002",
    "SK-2026-0001-0002-0003",
    "transaction FB60, F-02, S_ALR_87011963",
    "login: anna, report: FIN/2026",
]


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
        ({"account": 4111111111111111}, {"account": "[redacted: card number]"}),
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


@given(any_text)
def test_redacting_a_text_again_changes_nothing(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


@given(any_json)
def test_redacting_json_again_changes_nothing_and_it_stays_json(value: Json) -> None:
    once = redact_json(value)
    assert redact_json(once) == once
    json.dumps(once)


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
    began = perf_counter()
    redact_text(text)
    assert perf_counter() - began < 2
