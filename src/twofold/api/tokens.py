"""People's tokens: JSON Web Tokens of one issuer, for one audience."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jwt

from twofold.api.key_set import KeySet
from twofold.memory.errors import NotAuthenticated, SettingsInvalid
from twofold.memory.scope import Scope
from twofold.settings import Settings
from twofold.wire import LONGEST_ID

LEEWAY_SECONDS = 30.0
LONGEST_TOKEN = 16_384
# Signed with a private key: a key set is public, so whatever is signed with what it holds is anybody's.
ALGORITHMS = frozenset("RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split())


class Tokens:
    """Checks the tokens of one issuer and tells whose they are."""

    def __init__(
        self,
        keys: KeySet,
        *,
        issuer: str,
        audience: str,
        algorithms: tuple[str, ...],
        tenant_claim: str,
        user_claim: str,
    ) -> None:
        """Take what a token must say. Raises SettingsInvalid for an algorithm that proves nothing."""
        if not algorithms or set(algorithms) - ALGORITHMS:
            raise SettingsInvalid(f"auth_algorithms: choose from {', '.join(sorted(ALGORITHMS))}")
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._algorithms = algorithms
        self._claims = (tenant_claim, user_claim)

    @staticmethod
    def of(settings: Settings) -> Tokens | None:
        """Return what checks tokens, None where no issuer is set. Raises SettingsInvalid."""
        if settings.auth_issuer is None:
            if settings.auth_audience is not None or settings.auth_jwks_url is not None:
                raise SettingsInvalid("auth_issuer: is needed where an audience or a key set of tokens is set")
            return None
        if not settings.auth_audience:
            raise SettingsInvalid("auth_audience: is needed with an issuer; its tokens for other services must not do")
        return Tokens(
            KeySet(settings.auth_issuer, settings.auth_jwks_url),
            issuer=settings.auth_issuer,
            audience=settings.auth_audience,
            algorithms=settings.auth_algorithms,
            tenant_claim=settings.auth_tenant_claim,
            user_claim=settings.auth_user_claim,
        )

    async def scope(self, token: str) -> Scope:
        """Return whose token it is. Raises NotAuthenticated if it does not hold, IssuerUnavailable."""
        if len(token) > LONGEST_TOKEN:
            raise NotAuthenticated(f"The token is longer than {LONGEST_TOKEN} characters")
        key = await self._keys.key(self._key_id(token))
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=self._algorithms,
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as error:
            raise NotAuthenticated(f"The token does not hold: {_why(error)}") from None
        tenant, user = (_text(claims, claim) for claim in self._claims)
        return Scope(tenant_id=tenant, user_id=user)

    def _key_id(self, token: str) -> str:
        """Return which key a token names, after a look at what costs nothing to check."""
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise NotAuthenticated("The bearer is neither a token nor a key of a service") from None
        if header.get("alg") not in self._algorithms:
            raise NotAuthenticated(f"The token is not signed as it has to be: {', '.join(self._algorithms)}")
        key_id = header.get("kid")
        if not isinstance(key_id, str) or not key_id:
            raise NotAuthenticated("The token does not name the key it is signed with (`kid`)")
        return key_id


# PyJWT's own words may quote the token.
_REASONS: Mapping[type[jwt.PyJWTError], str] = {
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.InvalidAudienceError: "it is meant for another audience",
    jwt.InvalidIssuerError: "it is from another issuer",
    jwt.MissingRequiredClaimError: "it lacks `exp`, `iss` or `aud`",
    jwt.InvalidSignatureError: "its signature is wrong",
}


def _why(error: jwt.PyJWTError) -> str:
    return next((words for kind, words in _REASONS.items() if isinstance(error, kind)), "it is malformed")


def _text(claims: Mapping[str, Any], claim: str) -> str:
    value = claims.get(claim)
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_ID:
        raise NotAuthenticated(
            f"The token's claim {claim!r} is not a text of 1 to {LONGEST_ID} characters; it tells whose memory it is"
        )
    return value
