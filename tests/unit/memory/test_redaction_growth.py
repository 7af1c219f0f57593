"""The time that redaction takes grows with the text, whatever stands in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time

import pytest

from tests.canaries import FORMS, VENDOR_FORMS, filled, seeded
from twofold.memory.redaction import KINDS, Redactor, redact_text

MIXED = "a1B2c3D4e5F6g7H8"
CARD = "4111 1111 1111 1111"
VENDOR_KEYS = [
    f"sk-{MIXED}",
    f"sk_live_{MIXED}",
    f"rk_test_{MIXED}",
    f"whsec_{MIXED}",
    f"ghp_{MIXED}{MIXED}",
    f"github_pat_{MIXED}{MIXED}",
    f"glpat-{MIXED}",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    f"xoxb-{MIXED}",
    f"xapp-{MIXED}",
    f"AIza{MIXED}{MIXED}",
    f"ya29.{MIXED}{MIXED}",
    f"GOCSPX-{MIXED}{MIXED}",
    f"SG.{MIXED}.{MIXED}",
    f"shpat_{MIXED}{MIXED}",
    "dapi" + "0123456789abcdef" * 2,
    f"hvs.{MIXED}{MIXED}",
    f"pypi-{MIXED}{MIXED}",
    *(f"{prefix}_{MIXED}{MIXED}" for prefix in ("npm", "hf", "gsk", "xai", "r8", "lsv2_pt")),
    f"eyJ{MIXED}.{MIXED}.{MIXED}",
]
OTHERS = [
    "".join(VENDOR_KEYS),
    *(f"{separator}".join(("AKIAIOSFODNN7EXAMPLE", "")) for separator in "_-./@"),
    f"{CARD}.",
    "4111111111111111.",
    "eyJhbGciOi-",
    "eyJhbGciOi_",
    f"_eyJ{MIXED}-",
    *(f"{name}={'x' * 200}" for name in ("password", "token", "api_key", "client_secret")),
    f"passphrase:{'x' * 399}",
    f"cookie:a={'x' * 399}",
    *(
        f"{name}{IS}"
        for name in ("password", "pin", "token", "bearer", "secret", "key")
        for IS in (" is ", "=", ":=", " ")
    ),
    *("a", "1", " ", "\n", '"', "'", "\\", "(", "]", "{", "[", "_", "-", ".", ":", "[redacted: "),
    *(
        "password for a ",
        "set my password to ",
        "https://a:b@",
        "://",
        "a://a:",
        "key=1&",
        "-----BEGIN PRIVATE KEY-----",
    ),
]


@pytest.mark.parametrize("piece", [*VENDOR_KEYS, *OTHERS], ids=lambda piece: repr(piece)[:40])
def test_what_is_repeated_takes_time_as_it_is_long(piece: str) -> None:
    check_growth(lambda length: piece * (length // len(piece)))


DRAWN = seeded("growth")
SAID = [
    "".join(filled(form, DRAWN) for form in VENDOR_FORMS),
    *(f"{form(DRAWN).text} " for forms in FORMS.values() for form in forms[:1]),
    *("my pin is four ", "one-", "4711 is my ", "?a=", "&sig=abcd1234", "DE89 ", "card 4111111111111111", "GL 4111 "),
    *(
        "Private-Lines: 1\n",
        'key="',
        "curl -u a:",
        "https://a1b2c3d4e5f6g7h8",
        "q~",
        "1234567890123456|",
        "eyJabcdefgh..",
    ),
]


@pytest.mark.parametrize("piece", SAID, ids=lambda piece: repr(piece)[:40])
@pytest.mark.parametrize("action", ["mask", "drop"])
def test_every_kind_takes_time_as_the_text_is_long_under_every_policy(piece: str, action: str) -> None:
    redactor = Redactor.of(dict.fromkeys(KINDS, action))
    check_growth(lambda length: piece * (length // len(piece) or 1), redactor.text)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: json.dumps({"a": text}),
        lambda text: json.dumps([json.dumps([text])]),
        lambda text: f'{{"a": "{text}',
        lambda text: json.dumps({text: 1}),
        lambda text: json.dumps([{"name": piece, "value": piece} for piece in text.split(".")]),
        lambda text: json.dumps([json.dumps([piece]) for piece in text.split(".")]),
        lambda text: json.dumps({f"{piece}{number}": 1 for number, piece in enumerate(text.split("."))}),
    ],
    ids=["json", "json in json", "cut off", "a key", "names", "texts", "keys"],
)
@pytest.mark.parametrize("piece", [f"{CARD}.", "AKIAIOSFODNN7EXAMPLE", "password=x."])
def test_json_takes_time_as_it_is_long(piece: str, wrap: Callable[[str], str]) -> None:
    check_growth(lambda length: wrap(piece * (length // len(piece))))


@pytest.mark.parametrize(
    "wrap", [lambda text: [text], lambda text: {"name": text, "value": text}], ids=["list", "name"]
)
def test_texts_in_texts_take_time_as_they_are_long(wrap: Callable[[str], object]) -> None:
    def nested(length: int) -> str:
        text = "password=x"
        while len(text) < length:
            text = json.dumps(wrap(text))
        return text

    check_growth(nested)


@pytest.mark.parametrize("piece", [f"{CARD}.", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE."])
def test_nothing_of_what_is_glued_together_is_left(piece: str) -> None:
    redacted = redact_text(f"before\n{piece * 500}\nafter")
    assert "1111" not in redacted
    assert "AKIA" not in redacted
    assert redacted.startswith("before\n")
    assert redacted.endswith("\nafter")
    assert redact_text(redacted) == redacted


def check_growth(text: Callable[[int], str], redact: Callable[[str], str] = redact_text) -> None:
    """Four times the text may take up to sixteen times the time, and no text of 40 kB longer than three seconds."""
    short, long = text(10_000), text(40_000)
    quick, slow = seconds(short, redact), seconds(long, redact)
    assert slow < 3
    assert slow < 16 * quick * len(long) / (4 * len(short)) + 0.1


def seconds(text: str, redact: Callable[[str], str]) -> float:
    began = process_time()
    redacted = redact(text)
    took = process_time() - began
    assert redact(redacted) == redacted
    return took
