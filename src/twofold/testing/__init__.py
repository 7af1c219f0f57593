"""Fakes for tests of agents and of twofold itself: no network, no key, no model, always the same answers."""

from __future__ import annotations

from twofold.testing.memory import memory_app, memory_service, test_models
from twofold.testing.models import EchoExtractor, FixedClock, HashEmbedder
from twofold.testing.openai_double import OpenAIDouble, Request
from twofold.testing.openai_replies import Reply

__all__ = [
    "EchoExtractor",
    "FixedClock",
    "HashEmbedder",
    "OpenAIDouble",
    "Reply",
    "Request",
    "memory_app",
    "memory_service",
    "test_models",
]
