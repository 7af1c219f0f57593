"""The kinds of secrets that are never stored nor sent: a table, one row a kind.

A row tells a secret by the key it stands under, by patterns in plain text, or both. A new kind or vendor is
a new row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from twofold.memory.cards import is_card_number
from twofold.memory.secret_patterns import (
    IS,
    LINE,
    NEW,
    START,
    WORD,
    SecretPattern,
    beside,
    is_random,
    is_value,
    marked,
    named,
    pattern,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretKind:
    """One kind of secret; `name` is what the placeholder says.

    `keys` are the words a key ends with, in lower case: `api key` for `api_key`, `apiKey` and `X-Api-Key`. So
    `token_count`, `password_policy` and `posting_key` are not secret. `whole_keys` are all of a key's words:
    `pass`, but not `boarding_pass`. What stands under such a key must match
    `value`, if given, in full, and may be a number only with `numbers` (not: `token: 512`). Only a text that
    has one of `needs`, in lower case, is searched by `patterns`, if given: most texts hold no secret.
    """

    name: str
    keys: tuple[str, ...] = ()
    whole_keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    value: re.Pattern[str] | None = None
    numbers: bool = False
    patterns: tuple[SecretPattern, ...] = ()


_LOGIN_WORD = r"\w{0,20}pass[ _-]?words?|passwd|pwd|pass[ _-]?codes?|passwort|kennwort"
_FOR = r"(?:\s+(?:for|of|to|on|in|at)(?:\s+[\w@./-]{1,40}){1,5}?)?"
_PEM = r"-----{} [A-Z ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----"
_CODE = rf"(?:{IS}|\s+(?:of\s+)?)"
# Bounded where it may start again and again within one run of characters.
_JWT_HEAD = r"(?:(?<![\w-])eyJ[\w-]{8,}+|eyJ[\w-]{8,2000}+)"

_VENDOR_KEYS = (
    r"sk-(?=[\w-]{0,200}\d)[\w-]{16,}",  # OpenAI, Anthropic and kin
    r"(?:sk|rk)_(?:live|test)_\w{10,}|whsec_\w{16,}",  # Stripe
    r"gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}",  # GitHub, GitLab
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",  # AWS
    r"xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}",  # Slack
    r"AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}",  # Google
    r"SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_\w{20,}",  # SendGrid, Shopify
    r"dapi[0-9a-f]{32}|hvs\.[\w-]{20,}|pypi-\w{20,}",  # Databricks, Vault, PyPI
    r"(?:npm|hf|gsk|xai|r8|lsv2_(?:pt|sk))[_-](?=\w{0,200}\d)\w{20,}",  # npm, Hugging Face, Groq, xAI …
)

SECRET_KINDS = (
    SecretKind(
        name="private key",
        keys=("private key", "signing key", "encryption key", "ssh key"),
        needs=("private key",),
        patterns=(pattern(rf"(?s)(?P<secret>{_PEM.format('BEGIN')}.*?(?:{_PEM.format('END')}|\Z))"),),
    ),
    SecretKind(
        name="password",
        keys=("password", "passwords", "passwd", "pwd", "passcode", "passwort", "kennwort", "db pass"),
        whole_keys=("pass", "pw", "user pass"),
        needs=("pass", "pwd", "kennwort", "://"),
        numbers=True,
        patterns=(
            named(rf"(?:{_LOGIN_WORD}){_FOR}", WORD),
            pattern(
                rf"(?i)\b(?:set|chang\w+|reset|updat\w+)\s+(?:\w+\s+){{0,4}}(?:{_LOGIN_WORD}){_FOR}\s+to\s+"
                # "to prevent lockouts" goes on with small letters
                rf"(?:[\"'`]|(?!(?-i:[a-z]{{2,20}}[ ,])))(?P<secret>{WORD})",
                is_value,
            ),
            beside(_LOGIN_WORD),  # "with password Winter2026"
            # scheme://user:password@host
            pattern(rf"(?i)\b[a-z][a-z0-9+.-]{{1,20}}://[^\s:/@]{{0,100}}:(?P<secret>(?:(?!/){NEW}){{1,200}})@"),
        ),
    ),
    SecretKind(
        name="passphrase",
        keys=("passphrase", "pass phrase"),
        needs=("phrase",),
        numbers=True,
        patterns=(named(rf"\w{{0,20}}pass[ _-]?phrase{_FOR}", rf"{LINE}(?<![\s.,;\"'`\\])"),),
    ),
    SecretKind(
        name="pin",
        keys=("pin", "pin code", "pin number", "access code"),
        needs=("pin", "access"),
        value=re.compile(r"[\d\s-]{4,12}"),
        numbers=True,
        patterns=(
            pattern(
                rf"(?i){START}(?:pin(?:[ _-]?(?:code|number))?|access[ _-]code){_CODE}(?P<secret>\d{{4,8}})(?![\w-])"
            ),
        ),
    ),
    SecretKind(
        name="one-time code",
        keys=("otp", "totp", "one time code", "verification code", "mfa code", "2fa code"),
        needs=("otp", "one time", "one-time", "code"),
        numbers=True,
        patterns=(
            pattern(
                rf"(?i){START}(?:t?otp|one[ -]time (?:password|passcode|code|pin)"
                rf"|(?:verification|2fa|mfa)[ -]code){_CODE}(?P<secret>\d{{4,8}}|\d{{3}}[ -]\d{{3}})(?![\w-])"
            ),
        ),
    ),
    SecretKind(
        name="card security code",
        keys=("cvv", "cvc", "card security code", "card verification value"),
        needs=("cvv", "cvc", "card "),
        numbers=True,
        patterns=(
            pattern(
                rf"(?i){START}(?:cv[vc]2?(?:[ _-]code)?|card (?:security|verification) (?:code|value))"
                rf"{_CODE}(?P<secret>\d{{3,4}})(?!\w)"
            ),
        ),
    ),
    SecretKind(
        name="card number",
        keys=("card number", "card no", "cardnumber"),
        numbers=True,
        patterns=(
            named(r"card[ _-]?(?:number|no\.?)", r"(?:\d[ -]?){12,18}\d(?!\w)"),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ -]?)(?:\d{4}\2){2}\d{4})(?!\w)", is_card_number),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ -]?)(?:\d{4}\2){3}\d{3})(?!\w)", is_card_number),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ -]?)\d{6}\2\d{4,5})(?!\w)", is_card_number),
        ),
    ),
    SecretKind(
        name="authorization",
        keys=("authorization", "authorization header"),
        whole_keys=("auth", "bearer"),
        needs=("authorization",),
        patterns=(named("authorization", rf"(?:basic|bearer|digest|token)\s+{WORD}|{NEW}{{24,}}"),),
    ),
    SecretKind(
        name="token",
        keys=("token", "access tokens", "refresh tokens", "api tokens", "jwt"),
        needs=("eyj", "bearer", "token"),
        patterns=(
            marked(rf"{_JWT_HEAD}\.[\w-]{{8,}}(?:\.[\w-]*)?"),
            pattern(rf"(?i){START}bearer\s+(?P<secret>{NEW}{{8,}})", is_random),
            named(r"\w{0,20}token", WORD, is_random),
            beside(r"\w{0,20}token"),
        ),
    ),
    SecretKind(
        name="api key",
        keys=("api key", "api keys", "apikey", "apikeys", "access key", "secret key"),
        patterns=(marked("|".join(_VENDOR_KEYS)),),
    ),
    SecretKind(
        name="api key",
        needs=("key", "sig="),
        patterns=(
            pattern(rf"\b(?:AccountKey|SharedAccessKey|sig)=(?P<secret>{NEW}{{20,}})"),  # Azure
            named(r"\w{0,20}(?:api|access|secret|private|signing|encryption)[ _-]?keys?", WORD, is_random),
            beside(r"api[ _-]?key"),
        ),
    ),
    SecretKind(
        name="secret",
        keys=("secret", "secrets", "credential", "credentials"),
        needs=("secret", "credential"),
        patterns=(
            named(r"\w{0,20}secrets?", WORD, is_random),
            named("client[ _-]?secret", WORD),
            beside("client[ _-]?secret"),
            # as in: credentials are anna / hunter2
            named("credentials?", rf"(?!\w{{1,20}}://){NEW}{{1,80}}\s?/\s?{WORD}"),
        ),
    ),
    SecretKind(
        name="session cookie",
        keys=("cookie", "cookies"),
        needs=("cookie:",),
        patterns=(pattern(rf"(?i)\b(?:set-)?cookie:\s{{0,3}}(?P<secret>[^\s=;\[]{{1,80}}={LINE})"),),
    ),
)
