"""Every setting, its default and its limits. The only reader of the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from twofold.memory.errors import SettingsInvalid
from twofold.memory.redaction import Redactor

# The parts of a libpq connection string that say where, and nothing that may be secret.
_WHERE = re.compile(r"\b(?:host|hostaddr|port|dbname)\s*=\s*(?:'[^']*'|\S+)")

_PREFIX = "TWOFOLD_"
_FORMS = {
    "redaction": '{"iban": "mask", "pin": "drop"}',
    "service_keys": '{"NAME": {"key": "…"}}',
    "auth_algorithms": '["RS256"]',
    "local_origins": '["https://smith.langchain.com"]',
}
"""What a setting of several parts looks like."""

_WORDS = {
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "greater_than": "must be more than {gt:g}",
    "too_short": "must have at least {min_length} characters",
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    **dict.fromkeys(("int_parsing", "int_from_float", "int_type", "int_parsing_size"), "must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), "must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false"),
}


def _data_folder() -> Path:
    return Path(platformdirs.user_data_dir("twofold"))


class ServiceKey(BaseModel):
    """A service that may act for people: its key, and for which tenants."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: SecretStr = Field(min_length=24)
    tenants: frozenset[str] | None = None


class Settings(BaseSettings):
    """The settings of one process. Each is read from `TWOFOLD_<NAME>` unless it is given here; empty is as unset."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    ttl_days: int = Field(
        default=30, ge=1, le=3650, description="Days without a save or a recall after which a person is forgotten."
    )
    database_url: SecretStr | None = Field(
        default=None, description="PostgreSQL >= 15 with pgvector >= 0.8; none starts the embedded server."
    )
    data_folder: Path = Field(default_factory=_data_folder, description="Where the embedded server keeps its database.")
    chat_model: str | None = Field(
        default=None,
        description="`openai:NAME` or `offline`; none is `openai:gpt-5-mini` with an API key, else `offline`.",
    )
    embedding_model: str | None = Field(
        default=None,
        description="`openai:NAME` or `minilm`; none is what the database was made with, at first start"
        " `openai:text-embedding-3-small` with an API key, else `minilm`.",
    )
    embedding_dims: int | None = Field(
        default=None, ge=8, le=2000, description="Length of a vector; none is the model's own. Fixed at first start."
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("TWOFOLD_OPENAI_API_KEY", "OPENAI_API_KEY", "openai_api_key"),
        description="Key of the OpenAI-compatible server.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("TWOFOLD_OPENAI_BASE_URL", "OPENAI_BASE_URL", "openai_base_url"),
        description="Address of an OpenAI-compatible server; none is OpenAI's own.",
    )
    model_timeout: float = Field(default=60.0, gt=0, description="Seconds a model may take for one answer.")
    min_messages: int = Field(
        default=2, ge=1, description="A session with fewer messages and no tool call is not remembered."
    )
    settle_seconds: float = Field(
        default=10.0, ge=0, description="Seconds a save waits for the next turn, so that quick turns share one."
    )
    recall_deadline: float = Field(
        default=3.0, gt=0, description="Seconds after which a search gives up and returns nothing."
    )
    relevance_floor: float | None = Field(
        default=None, ge=-1, le=1, description="Least cosine similarity of what is recalled; none is no floor."
    )
    redaction: dict[str, str] = Field(
        default_factory=dict,
        description='What is done about each kind of secret, as JSON: `{"iban": "mask"}`; `keep`, `mask` or `drop`.'
        " All are masked but `iban`, which is kept.",
    )
    worker: bool = Field(default=True, description="Whether this process also works on saves.")
    pool_size: int = Field(
        default=4,
        ge=2,
        le=100,
        description="Most connections for recall, and again for saves; a worker has 5 more.",
    )
    server_key: SecretStr | None = Field(
        default=None, description="Service key sent to a twofold server, where `MemoryService` is given its address."
    )
    server_unencrypted: bool = Field(
        default=False,
        description="Whether that server may be `http://` on another machine: key and memories then cross the network"
        " for anyone to read.",
    )
    service_keys: dict[str, ServiceKey] = Field(
        default_factory=dict,
        description="On a server: services that may act for people, as JSON:"
        ' `{"NAME": {"key": "…", "tenants": ["…"]}}`; without `tenants` for everyone.',
    )
    auth_issuer: str | None = Field(
        default=None,
        description="On a server: who issues the tokens that people bring (OpenID Connect); none, and no service"
        " keys, lets in the local user only, from this machine.",
    )
    auth_audience: str | None = Field(
        default=None, description="The audience a token must name; needed with an issuer."
    )
    auth_jwks_url: str | None = Field(
        default=None, description="Where the issuer's key set is; none asks its OpenID configuration."
    )
    auth_algorithms: tuple[str, ...] = Field(
        default=("RS256", "ES256"), description="The signature algorithms a token may have, as JSON."
    )
    auth_tenant_claim: str = Field(default="tenant_id", description="The claim of a token that names the tenant.")
    auth_user_claim: str = Field(default="sub", description="The claim of a token that names the person.")
    local_origins: tuple[str, ...] = Field(
        default=("https://smith.langchain.com", "https://eu.smith.langchain.com"),
        description="Web pages that may act as the local user, as JSON: LangGraph Studio.",
    )

    @field_validator("redaction")
    @classmethod
    def _known(cls, policy: dict[str, str]) -> dict[str, str]:
        try:
            Redactor.of(policy)
        except SettingsInvalid as error:  # which names what there is
            raise SettingsInvalid(f"{_variable('redaction')}: {error}") from None
        return policy

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out, as the setting `redaction` says."""
        return Redactor.of(self.redaction)

    @property
    def database_shown(self) -> str:
        """The database as a person may see it: where it is, without user and password."""
        if self.database_url is None:
            return f"embedded, in {self.data_folder}"
        url = self.database_url.get_secret_value()
        if "://" in url:
            return url.rsplit("@", 1)[-1].split("?", 1)[0].removeprefix("postgresql://") or "local"
        return " ".join(match[0] for match in _WHERE.finditer(url))


def set_beside(*names: str) -> dict[str, str]:
    """Return those of these variables that are set: settings of others, which change what they do with ours."""
    return {name: os.environ[name] for name in names if name in os.environ}


def unknown_variables() -> dict[str, str | None]:
    """Return the variables that look like settings of twofold and are none, each with the one it was likely meant for.

    A setting whose name is misspelt is not set, and nothing else tells.
    """
    known = {_variable(name) for name in Settings.model_fields}
    unknown = (name for name in sorted(os.environ) if name.upper().startswith(_PREFIX) and name.upper() not in known)
    return {name: next(iter(get_close_matches(name.upper(), known, n=1, cutoff=0.8)), None) for name in unknown}


def load_settings(**given: object) -> Settings:
    """Return the settings of this process; `given` wins over the environment. Raises SettingsInvalid."""
    values = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**values)  # type: ignore[arg-type]
    except SettingsError as error:  # its cause quotes the value, which may hold keys
        name = next((name for name in _FORMS if f'"{name}"' in str(error)), None)
        told = "A setting" if name is None else _variable(name)
        form = "" if name is None else f"; it looks like {_FORMS[name]}"
        raise SettingsInvalid(f"{told} is not JSON{form}") from None
    except ValidationError as error:
        problems = "; ".join(_in_words(each, values) for each in error.errors(include_input=False, include_url=False))
        raise SettingsInvalid(f"These settings cannot be used: {problems}") from None


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _in_words(problem: Mapping[str, Any], given: Collection[str]) -> str:
    """Tell what is wrong with a setting, named as it was given, and never its value."""
    name, *parts = map(str, problem["loc"])
    setting = _variable(name) if name in Settings.model_fields and name not in given else name
    words = _WORDS.get(problem["type"])
    if words is not None:
        return f"{' of '.join([*reversed(parts), setting])} {words.format(**problem.get('ctx', {}))}"
    return (
        f"{setting} must look like {_FORMS[name]}" if name in _FORMS else f"{setting} has a value that cannot be used"
    )
