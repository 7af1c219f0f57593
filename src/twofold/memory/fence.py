"""Recalled text made harmless inside the markup that surrounds it in a prompt."""

from __future__ import annotations

import re

# ADK puts recalled text between PAST_CONVERSATIONS tags, LangMem a conversation between session_… or convo
# tags, trustcall stored memories into instance, schema and existing blocks. The rest are names that models
# are trained to obey.
_NAMES = (
    r"past[\W_]{0,3}conversations?",
    r"session[\w-]*",
    r"conversations?|convo",
    r"instances?|existing|schema|json[\W_]?schema|json[\W_]?doc",
    r"memor(?:y|ies)|trajector(?:y|ies)|feedback",
    r"(?:current[\W_]?|system[\W_]?)?prompt|(?:update[\W_]?)?instructions?",
    r"system|assistant|user|human|tool[\w-]*|function[\w-]*",
)
_OPEN, _CLOSE = "<\uff1c", ">\uff1e"
_TAG = re.compile(
    rf"[{_OPEN}](?P<inside>[\s/\\|!?]{{0,8}}(?:{'|'.join(_NAMES)})(?![\w-])[^{_OPEN}{_CLOSE}]{{0,400}})(?P<end>[{_CLOSE}]?)",
    re.IGNORECASE,
)
_MODEL_TOKEN = re.compile(rf"[{_OPEN}]\|(?P<inside>[\w -]{{1,40}})\|[{_CLOSE}]")


def fenced(text: str) -> str:
    """Return `text` with prompt markup written as `‹…›`: it can neither close its fence nor pose as one.

    Covers any case, spacing and attributes, an end tag that is cut off, full-width brackets, and chat tokens
    like `<|im_start|>`. All other text, `a < b` included, stays as it is.
    """
    text = _MODEL_TOKEN.sub(lambda token: f"‹{token['inside']}›", text)
    return _TAG.sub(lambda tag: f"‹{tag['inside']}{'›' if tag['end'] else ''}", text)
