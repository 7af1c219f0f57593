"""Random secrets of each kind, as people and tools say them, and the forms in which one could be found again."""

from __future__ import annotations

import json
import random
import re
import string
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

_ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "U": string.ascii_uppercase + "234567",
    "l": string.ascii_lowercase + string.digits,
    "d": string.digits,
}
_ESCAPES = re.compile(rb"\\+")
_SLOT = re.compile(r"\{([whUld])(\d+)\}")

VENDOR_FORMS = """
sk-proj-{w40}1 sk-ant-api03-{w60}2 sk-or-v1-{h64} hf_{w33}1 npm_{w35}1 gsk_{w50}1 r8_{w36}1 xai-{w80}1
lsv2_pt_{h32}_{h10} pplx-{w48} tvly-{w32} nvapi-{w64} pcsk_{w60}1 AKIA{U16} ASIA{U16} ABIA{U16} IQoJb3JpZ2lu{w200}
ABSK{w120} AIza{w35} ya29.{w60} GOCSPX-{w28} 1//0{w40} {w3}8Q~{w34} {w52}AzFu{w8}== {w76}AZDO{w4} LTAI{w20} AQVN{w38}
dop_v1_{h64} v1.0-{h24}-{h146} HRKU-{w60} fo1_{w43} vcp_{w30} nfp_{w35}1 sbp_{h39}1 tk-us-{w48} ghp_{w36} gho_{w36}
ghs_{w36} github_pat_{w82} glpat-{w20} gldt-{w20} glrt-{w20} GR1348941{w20} ATATT3{w180} ATBB{w32} dckr_pat_{w27}
pypi-AgEI{w80} rubygems_{h48} oy2{l43} AKCp{w69} CCIPAT_{w40} squ_{h40} hvs.{w90} {w14}.atlasv1.{w67}
AGE-SECRET-KEY-1{U58} dp.pt.{w43} pul-{h40} sha256~{w43} API-{U26} sgp_{h40} PMAK-{h24}-{h34} dapi{h32}
xoxb-{d12}-{d13}-{w24} xapp-1-{U10}-{d13}-{h64} hooks.slack.com/services/T{U10}/B{U10}/{w24}
discord.com/api/webhooks/{d18}/{w68} {d10}:AA{w33} glsa_{w32}_{h8} NRAK-{U27} sntryu_{h64} dt0c01.{U24}.{U64}
sk_live_{w24} rk_test_{w24} whsec_{w32} SK{h32} SG.{w22}.{w43} key-{h32} {h32}-us12 xkeysib-{h64}-{w16} shpat_{h32}
shippo_live_{h40} duffel_live_{w43} sq0atp-{w22} EAA{w90}1 access_token$production${l16}${h32} FLWSECK_TEST-{h32}
access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12} EZAK{w54} pat-na1-{h8}-{h4}-{h4}-{h4}-{h12} pat{w14}.{h64} ntn_{d11}{w35}
lin_api_{w40} tfp_{w59} figd_{w40} CFPAT-{w43} p8e-{l32} pscale_tkn_{w43} mdb_sa_sk_{w40} 00D{w15}!{w90} A3T{U17}
{w3}9Q~{w34} bedrock-api-key-{w60} s.{l20}9{l3} eyJrIjoi{w60} sm_pat_{w16} ico-{w32} fio-u-{w64} s-s4t2ud-{h64}
scauth_{w20}.{w8}.acc_{w10}.{w40} {w6}_{w29}_mmk {d16}|{w27} api_org_{w34} SK{h32} sat.{w22}.{w24}.{w20}
A3-{U6}-{U11}-{U5}-{U5}-{U5}
""".split()

IBAN_LENGTHS = {"DE": 22, "GB": 22, "FR": 27, "NL": 18, "ES": 24, "AT": 20, "CH": 21, "NO": 15, "PL": 28}
ENGLISH = "zero one two three four five six seven eight nine".split()
GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun".split()


@dataclass(frozen=True, slots=True)
class Canary:
    """One secret: its kind, a sentence that holds it, and what must not be found of it."""

    kind: str
    text: str
    secret: str


Form = Callable[[random.Random], Canary]


def seeded(seed: str) -> random.Random:
    """Return what draws the same for the same seed."""
    return random.Random(seed)  # noqa: S311 - nothing here is to be secret


def filled(form: str, rng: random.Random) -> str:
    """Return a form with random characters in its slots: `{w20}` are twenty letters and digits, `{h32}` hexadecimal."""
    return _SLOT.sub(lambda slot: "".join(rng.choices(_ALPHABETS[slot[1]], k=int(slot[2]))), form)


def card_number(rng: random.Random, *, prefix: str = "4", length: int = 16, gap: str = " ") -> str:
    """Return a card number with its Luhn digit, in groups of four."""
    digits = filled(prefix + "{d%d}" % (length - 1 - len(prefix)), rng)  # noqa: UP031 - braces are the form's
    doubled = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(reversed(digits)))
    digits += str(-doubled % 10)
    return gap.join(digits[at : at + 4] for at in range(0, length, 4))


def iban(rng: random.Random, country: str) -> str:
    """Return an IBAN with right check digits, in groups of four."""
    account = filled("{d%d}" % (IBAN_LENGTHS[country] - 4), rng)  # noqa: UP031
    number = int(account + "".join(str(int(letter, 36)) for letter in country) + "00")
    whole = f"{country}{98 - number % 97:02}{account}"
    return " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))


def jwt(rng: random.Random) -> str:
    """Return a signed token."""
    head, body = (
        b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "RS256"}, {"sub": filled("{w12}", rng)})
    )
    return f"{head}.{body}.{filled('{w86}', rng)}"


def pem(rng: random.Random) -> Canary:
    """Return a private key; what must not be found is a line of it."""
    lines = [filled("{w64}", rng) for _ in range(4)]
    key = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"))
    return Canary("private key", f"Here is the key:\n{key}\nuse it", rng.choice(lines))


def said(rng: random.Random, words: list[str], count: int = 8) -> str:
    """Return digits in words."""
    return " ".join(rng.choices(words, k=count))


def _form(kind: str, sentence: str, secret: Callable[[random.Random], str]) -> Form:
    def make(rng: random.Random) -> Canary:
        value = secret(rng)
        return Canary(kind, sentence.format(value), value)

    return make


def _of(form: str) -> Callable[[random.Random], str]:
    return lambda rng: filled(form, rng)


def _vendor(rng: random.Random) -> str:
    return filled(rng.choice(VENDOR_FORMS), rng)


FORMS: dict[str, list[Form]] = {
    "private key": [pem],
    "password": [
        _form("password", "My password is {}.", _of("{w14}9")),
        _form("password", "Das Kennwort lautet {}", _of("{w14}9")),
        _form("password", "Log in with password {} please", _of("{w14}9")),
        _form("password", "connect to postgresql://erp:{}@db.example:5432/books", _of("{w14}9")),
        _form("password", "Please set the password for SAP to {}", _of("A{w14}9")),
        _form("password", "run curl -u anna:{} https://erp.example", _of("{w14}9")),
    ],
    "passphrase": [_form("passphrase", "passphrase: {}", _of("{w8} {w8} {w8}"))],
    "pin": [
        _form("pin", "my pin is {}", _of("{d8}")),
        _form("pin", "my pin is {}", lambda rng: said(rng, ENGLISH)),
        _form("pin", "Meine PIN lautet {}.", lambda rng: said(rng, GERMAN)),
        _form("pin", "{} is my pin", lambda rng: said(rng, ENGLISH)),
    ],
    "one-time code": [
        _form("one-time code", "your verification code is {}", _of("{d8}")),
        _form("one-time code", "code: {}", lambda rng: said(rng, GERMAN)),
        _form("one-time code", "the one-time code is {}", lambda rng: said(rng, ENGLISH)),
        _form("one-time code", "OTP {}", _of("{d8}")),
    ],
    "card security code": [
        _form("card security code", "the cvv is {}", lambda rng: said(rng, ENGLISH, 4) + " " + said(rng, ENGLISH, 4)),
    ],
    "card number": [
        _form("card number", "Charge {} for it", card_number),
        _form("card number", "my Visa {} expires soon", lambda rng: card_number(rng, gap="")),
        _form("card number", "pay with mastercard {}", lambda rng: card_number(rng, prefix="53", gap="-")),
        _form("card number", "my card number is {}", lambda rng: said(rng, ENGLISH, 16)),
    ],
    "iban": [
        _form("iban", "pay to {} today", lambda rng: iban(rng, rng.choice(sorted(IBAN_LENGTHS)))),
        _form("iban", "IBAN {}", lambda rng: iban(rng, rng.choice(sorted(IBAN_LENGTHS))).replace(" ", "")),
    ],
    "authorization": [_form("authorization", "-H 'Authorization: Basic {}'", _of("{w40}"))],
    "token": [
        _form("token", "call it with {}", jwt),
        _form("token", "GET https://erp.example/x?a=1&access_token={}&b=2", _of("{w30}")),
        _form("token", "clone https://{}@git.example/books.git", _of("{w30}7")),
        _form("token", "the access token is {}", _of("{w30}7")),
        _form("token", "https://blob.example/c?sv=2024&sig={}", _of("{w43}")),
    ],
    "api key": [_form("api key", "use {} for it", _vendor), _form("api key", "the api key is {}", _of("{w30}7"))],
    "secret": [
        _form("secret", "client_secret={}", _of("{w30}7")),
        _form("secret", "credentials: anna / {}", _of("{w14}9")),
    ],
    "session cookie": [_form("session cookie", "Cookie: JSESSIONID={}", _of("{h32}"))],
}

KEYS = {
    "private key": "privateKey",
    "password": "userPassword",
    "passphrase": "passphrase",
    "pin": "pin",
    "one-time code": "otp",
    "card security code": "cvv",
    "card number": "card_number",
    "iban": "iban",
    "authorization": "Authorization",
    "token": "access_token",
    "api key": "X-Api-Key",
    "secret": "client_secret",
    "session cookie": "Set-Cookie",
}
"""A key under which each kind stands."""


def forms_of(secret: str) -> Iterator[bytes]:
    """Yield what a secret looks like as it is, in JSON, in an address, in hexadecimal, in base64 however aligned."""
    raw = secret.encode()
    yield raw
    for escaped in (json.dumps(secret)[1:-1], secret.replace("/", "\\/")):
        yield escaped.encode()
    yield "".join(f"\\u{ord(character):04x}" for character in secret).encode()
    yield quote(secret, safe="").encode()
    yield quote_plus(secret).encode()
    yield raw.hex().encode()
    for before in range(3):
        encoded = b64encode(b"\0" * before + raw)
        whole = encoded[4 if before else 0 : len(encoded) - 4]  # without what the neighbours take part in
        yield whole
        yield whole.replace(b"+", b"-").replace(b"/", b"_")


def found_in(dump: bytes, canaries: dict[str, Canary]) -> dict[str, str]:
    """Return where each canary that is found in a dump was put, with the form it was found in."""
    dump = _ESCAPES.sub(rb"\\", dump)  # a text in JSON in JSON in a row has many
    return {
        place: f"{canary.kind}: {form[:40]!r} of {canary.text[:80]!r}"
        for place, canary in canaries.items()
        for form in {_ESCAPES.sub(rb"\\", form) for form in forms_of(canary.secret)}
        if form in dump
    }
