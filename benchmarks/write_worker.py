"""A worker process as `twofold worker` is one, but with vectors that cost nothing: works until its input ends."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from write_parts import InstantEmbedder

from twofold.app import MemoryApp
from twofold.chosen import chosen_models
from twofold.settings import load_settings


async def main() -> None:
    """Work as the settings in the environment say."""
    settings = load_settings()
    models = replace(chosen_models(settings, None), embedder=InstantEmbedder())
    async with MemoryApp.open(settings, models=models) as app, app.working():
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
