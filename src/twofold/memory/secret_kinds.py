"""The kinds of secrets that are never stored nor sent: a table, one row a kind.

A row tells a secret by the key it stands under, by patterns in plain text, or both. A new kind or vendor is
a new row.
"""

from __future__ import annotations

import re

from twofold.memory.bank_accounts import IBAN, is_iban
from twofold.memory.cards import is_card_number
from twofold.memory.secret_kind import SecretKind
from twofold.memory.secret_patterns import (
    IS,
    LINE,
    NEW,
    QUOTED,
    START,
    WORD,
    beside,
    is_opaque,
    is_random,
    is_value,
    marked,
    named,
    parameter,
    pattern,
)
from twofold.memory.spoken_codes import SAID, said_before, spoken, spoken_code
from twofold.memory.vendor_tokens import vendor_tokens

_LOGIN_WORD = (
    r"\w{0,20}pass[ _-]?words?|passwd|pwd|pass[ _-]?codes?|passwort|kennwort"
    r"|contrase(?:ñ|n)a|mot de passe|senha|wachtwoord|has(?:ł|l)o"
)
_FOR = r"(?:\s+(?:for|of|to|on|in|at)(?:\s+[\w@./-]{1,40}){1,5}?)?"
_PEM = r"-{{4,5}} ?{} [A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)? ?-{{4,5}}"
_CODE = rf"(?:{IS}|\s+(?:of\s+)?)"
# Bounded where it may start again and again within one run of characters.
_JWT_HEAD = r"(?:(?<![\w-])eyJ[\w-]{8,}+|eyJ[\w-]{8,2000}+)"
_JWT = rf"{_JWT_HEAD}\.(?:[\w-]{{8,}}(?:\.[\w-]*){{0,3}}|\.[\w-]{{8,}}\.[\w-]{{8,}}\.[\w-]*)"
_PIN = r"(?:pin|puk)(?:[ _-]?(?:code|number|nummer))?|access[ _-]code|geheimzahl|geheimnummer"
_OTP = (
    r"t?otp|one[ -]time (?:password|passcode|code|pin)|(?:verification|2fa|mfa|sms|log[ -]?in|sign[ -]?in"
    r"|authentication|authenticator)[ -]code|(?:sicherheits|bestätigungs|anmelde)code"
)
_CVC = r"cv[vc]2?(?:[ _-]code)?|card (?:security|verification) (?:code|value)"
_PARAMETERS = (
    r"(?:access_?|refresh_?|id_?|auth_?|session_?|csrf_?|api_?|x-amz-security-)?token|jwt|(?:x-(?:amz|goog)-)?signature"
    r"|sig|sas|client_assertion|code_verifier"
)

SECRET_KINDS = (
    SecretKind(
        name="card number",
        keys=("card number", "card no", "cardnumber"),
        shape=re.compile(r"(?i)\d[\d \u00a0-]{12}|card|karten"),
        numbers=True,
        patterns=(
            named(r"card[ _-]?(?:number|no\.?)", r"(?:\d[ \u00a0-]?){12,18}\d(?!\w)"),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ \u00a0-]?)(?:\d{4}\2){2}\d{4})(?!\w)", is_card_number),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ \u00a0-]?)(?:\d{4}\2){3}\d{3})(?!\w)", is_card_number),
            pattern(r"(?<![\w-])(?<!\d\.)(?P<secret>\d{4}([ \u00a0-]?)\d{6}\2\d{4,5})(?!\w)", is_card_number),
            spoken(r"card(?: number)?|kartennummer", least=9),
        ),
    ),
    SecretKind(
        name="private key",
        keys=("private key", "privatekey", "signing key", "encryption key", "ssh key", "pem key"),
        needs=("private",),
        patterns=(
            pattern(rf"(?s)(?P<secret>{_PEM.format('BEGIN')}.*?(?:{_PEM.format('END')}|\Z))"),
            pattern(r"(?s)(?P<secret>Private-Lines: \d{1,3}\n.*?(?:Private-MAC: \w*|\Z))"),  # PuTTY
        ),
    ),
    SecretKind(
        name="password",
        keys=tuple(
            (
                "password, passwords, passwd, pwd, passcode, passwort, kennwort, db pass, userpassword, "
                "contraseña, contrasena, mot de passe, senha, wachtwoord"
            ).split(", ")
        ),
        whole_keys=("pass", "pw", "user pass"),
        needs=("pass", "pwd", "kennwort", "contrase", "senha", "wachtwoord", "has", "://", "curl"),
        numbers=True,
        patterns=(
            parameter("pass(?:word|wd)?|pwd"),
            named(rf"(?:{_LOGIN_WORD}){_FOR}", WORD),
            pattern(
                rf"(?i)\b(?:set|chang\w+|reset|updat\w+)\s+(?:\w+\s+){{0,4}}(?:{_LOGIN_WORD}){_FOR}\s+to\s+"
                # "to prevent lockouts" goes on with small letters
                rf"(?:[\"'`]|(?!(?-i:[a-z]{{2,20}}[ ,])))(?P<secret>{WORD})",
                is_value,
            ),
            beside(_LOGIN_WORD),  # "with password Winter2026"
            # <add key="Password" value="…"/>
            pattern(rf"(?i)(?:key|name)=[\"']\w{{0,30}}(?:{_LOGIN_WORD})[\"']\s{{1,9}}value=[\"'](?P<secret>{QUOTED})"),
            # scheme://user:password@host
            pattern(
                rf"(?i)\b[a-z][a-z0-9+.-]{{1,20}}://[^\s:/@]{{0,100}}(?P<whole>:(?P<secret>(?:(?!/){NEW}){{1,200}}))@",
                needs=("://",),
            ),
            pattern(
                rf"(?i)\bcurl\b[^\n]{{0,200}}?\s(?P<whole>(?:-u|--user)[\s=]{{1,3}}[\"']?[^\s:\"']{{1,80}}:(?P<secret>{WORD}))"
            ),
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
        keys=("pin", "puk", "pin code", "pin number", "access code", "geheimzahl"),
        needs=("pin", "puk", "access", "geheim"),
        value=re.compile(rf"(?i)[\d\s-]{{4,12}}|{SAID}"),
        numbers=True,
        patterns=(
            spoken(_PIN),
            said_before(_PIN),
            pattern(rf"(?i){START}(?:{_PIN}){_CODE}(?P<secret>\d{{4,8}})(?![\w-])"),
        ),
    ),
    SecretKind(
        name="one-time code",
        keys=tuple(
            (
                "otp, totp, one time code, one time passcode, verification code, mfa code, 2fa code, sms code, "
                "recovery code, recovery codes, backup codes"
            ).split(", ")
        ),
        needs=("otp", "one time", "one-time", "code", "tan"),
        numbers=True,
        patterns=(
            spoken(rf"{_OTP}|tan"),
            spoken_code(),
            said_before(rf"{_OTP}|tan"),
            said_before("code", digits=False),
            pattern(rf"(?i){START}(?:{_OTP}){_CODE}(?P<secret>\d{{4,8}}|\d{{3}}[ -]\d{{3}})(?![\w-])"),
            pattern(
                rf"(?i){START}(?:(?:your|my|mein|ihr) code|tan){IS}(?P<secret>\d{{6,8}}|\d{{3}}[ -]\d{{3}})(?![\w-])"
            ),
        ),
    ),
    SecretKind(
        name="card security code",
        keys=("cvv", "cvc", "card security code", "card verification value"),
        needs=("cvv", "cvc", "card "),
        numbers=True,
        patterns=(
            pattern(rf"(?i){START}(?:{_CVC}){_CODE}(?P<secret>\d{{3,4}})(?!\w)"),
            spoken(_CVC),
        ),
    ),
    SecretKind(
        name="iban",
        whole_keys=("iban",),
        # What the books hold of a vendor: no login, and needed to say where a payment goes.
        kept=True,
        patterns=(pattern(rf"(?i)(?<![A-Z0-9])(?P<secret>{IBAN})", is_iban),),
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
        keys=tuple(
            (
                "token, access tokens, refresh tokens, api tokens, jwt, code verifier, accesstoken, authtoken, "
                "refreshtoken, idtoken, sessiontoken, x amz signature"
            ).split(", ")
        ),
        needs=("eyj", "zxlk", "bearer", "token", "://", "="),
        patterns=(
            parameter(_PARAMETERS),
            parameter("auth|code|session|sid|ticket|x-(?:amz|goog)-credential", is_opaque),
            marked(_JWT, needs=("eyj",)),
            marked(r"ZXlK[\w+/=-]{40,}", needs=("zxlk",)),  # one in base64
            pattern(rf"(?i){START}bearer\s+(?P<secret>{NEW}{{8,}})", is_random, needs=("bearer",)),
            named(r"\w{0,20}token", WORD, is_random),
            beside(r"\w{0,20}token"),
            # scheme://token@host, where a name would be shorter
            pattern(
                r"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<whole>(?P<secret>(?=[^\s/]{0,80}\d)[^\s:/@\[\]]{16,200})(?::x-oauth-basic)?@)",
                needs=("://",),
            ),
        ),
    ),
    SecretKind(
        name="api key",
        keys=tuple(
            (
                "api key, api keys, apikey, apikeys, access key, accesskey, secret key, secretkey, subscription key"
            ).split(", ")
        ),
        shape=re.compile(r"[^\s\"']{16}"),
        patterns=vendor_tokens(),
    ),
    SecretKind(
        name="api key",
        needs=("key", "sig=", "webhook"),
        patterns=(
            parameter(r"(?:api|access|subscription)[_-]?key|hapikey"),
            parameter("key", is_opaque),
            pattern(rf"\b(?:AccountKey|SharedAccessKey|sig)=(?P<secret>{NEW}{{20,}})"),  # Azure
            named(r"\w{0,20}(?:api|access|secret|private|signing|encryption|subscription)[ _-]?keys?", WORD, is_random),
            beside(r"api[ _-]?key"),
        ),
    ),
    SecretKind(
        name="secret",
        keys=("secret", "secrets", "credential", "credentials", "clientsecret"),
        needs=("secret", "credential"),
        patterns=(
            parameter(r"(?:client_?)?secret"),
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
        whole_keys=("jsessionid", "phpsessid", "sessionid"),
        needs=("cookie:", "sessionid", "sessid", "mysapsso", "_session"),
        patterns=(
            pattern(rf"(?i)\b(?:set-)?cookie:\s{{0,3}}(?P<secret>[^\s=;\[]{{1,80}}={LINE})"),
            pattern(
                rf"(?i){START}(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|MYSAPSSO2|_gitlab_session|SAP_SESSIONID\w{{0,20}})=(?P<secret>[^\s;&\"'<>\[\]]{{8,2000}})"
            ),
        ),
    ),
)
