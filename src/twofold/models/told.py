"""Texts as a model wrote them, cleaned before anything checks them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from twofold.memory.clean import clean_text


def _cleaned(value: object) -> object:
    # pydantic refuses a lone surrogate, PostgreSQL a NUL: neither is worth a second request.
    return clean_text(value).strip() if isinstance(value, str) else value


ModelText = Annotated[str, BeforeValidator(_cleaned)]
