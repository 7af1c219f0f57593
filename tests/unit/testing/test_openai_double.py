"""The OpenAI double: its wire format, its scripts and its faults."""

from __future__ import annotations

import http.client
import json
import struct
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from twofold.testing import OpenAIDouble, Reply
from twofold.testing.models import word_vector


@pytest.fixture
def double() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as double:
        yield double


def send(double: OpenAIDouble, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes, dict[str, str]]:
    host, port = double.base_url.removeprefix("http://").removesuffix("/v1").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    connection.request(
        "POST" if body is not None else "GET", f"/v1/{path}", json.dumps(body) if body is not None else None
    )
    response = connection.getresponse()
    result = response.status, response.read(), dict(response.headers)
    connection.close()
    return result


def chat(double: OpenAIDouble, *tools: dict[str, Any], text: str = "") -> dict[str, Any]:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "tools": list(tools)}
    completion: dict[str, Any] = json.loads(send(double, "chat/completions", body)[1])
    return completion


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def calls(completion: dict[str, Any]) -> list[tuple[str, Any]]:
    message = completion["choices"][0]["message"]
    return [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in message.get("tool_calls", [])]


def test_a_completion_has_the_shape_of_openais(double: OpenAIDouble) -> None:
    completion = chat(double, tool("Memory"), text="[e1 2026-10-01 12:00] user: I prefer PDF")
    assert completion["object"] == "chat.completion"
    assert completion["choices"][0]["finish_reason"] == "tool_calls"
    assert completion["usage"]["total_tokens"] == 2
    assert calls(completion) == [("Memory", {"content": "I prefer PDF", "event_ids": ["e1"]})]


def test_without_tools_it_says_something(double: OpenAIDouble) -> None:
    assert chat(double)["choices"][0]["message"]["content"] == "ok"


def test_what_is_known_is_not_remembered_again(double: OpenAIDouble) -> None:
    line = "[e1 2026-10-01 12:00] user: I prefer PDF"
    text = f"<instance>I prefer PDF</instance><session_1>\n{line}\n</session_1>"
    assert calls(chat(double, tool("Memory"), tool("NothingToRemember"), text=text)) == [("NothingToRemember", {})]


def test_any_other_tool_is_filled_from_the_conversation(double: OpenAIDouble) -> None:
    schema = tool("Episode", outcome={"enum": ["success", "failure"]}, title={"type": "string"})
    text = "success or failure?\n<session_1>\nRequest: close\nResult: failure\n</session_1>"
    assert calls(chat(double, schema, text=text)) == [("Episode", {"outcome": "failure", "title": "Request: close"})]


def test_scripts_belong_to_a_tool_so_that_order_does_not_matter(double: OpenAIDouble) -> None:
    double.script("B", Reply.says("for B"))
    double.script("A", Reply.says("first for A"), Reply.says("second for A"))
    said = [chat(double, tool(name))["choices"][0]["message"]["content"] for name in ("A", "B", "A")]
    assert said == ["first for A", "for B", "second for A"]


def test_a_lasting_script_comes_after_the_ones_for_once(double: OpenAIDouble) -> None:
    double.always("A", Reply.says("always"))
    double.script("A", Reply.says("once"))
    said = [chat(double, tool("A"))["choices"][0]["message"]["content"] for _ in range(3)]
    assert said == ["once", "always", "always"]


@pytest.mark.parametrize(
    ("reply", "status", "header"),
    [
        (Reply.rate_limited(retry_after=7), 429, ("Retry-After", "7")),
        (Reply.error(500), 500, ("Retry-After-Ms", "1")),
        (Reply.error(401, "no key"), 401, ("Retry-After-Ms", "1")),
    ],
)
def test_faults_have_their_status_and_headers(
    reply: Reply, status: int, header: tuple[str, str], double: OpenAIDouble
) -> None:
    double.script("embeddings", reply)
    found, body, headers = send(double, "embeddings", {"input": "x"})
    assert (found, headers[header[0]]) == (status, header[1])
    assert json.loads(body)["error"]["message"]


def test_a_reply_can_be_cut_short_malformed_or_no_json(double: OpenAIDouble) -> None:
    double.script("A", Reply.cut_short(("A", {})), Reply.malformed("A"), Reply.not_json())
    assert chat(double, tool("A"))["choices"][0]["finish_reason"] == "length"
    with pytest.raises(json.JSONDecodeError):
        calls(chat(double, tool("A")))
    with pytest.raises(json.JSONDecodeError):
        chat(double, tool("A"))


def test_embeddings_come_as_base64_and_as_numbers_in_the_asked_length(double: OpenAIDouble) -> None:
    body = {"model": "m", "input": ["one", "two words"], "dimensions": 8}
    numbers = json.loads(send(double, "embeddings", body)[1])["data"]
    packed = json.loads(send(double, "embeddings", body | {"encoding_format": "base64"})[1])["data"]
    assert [item["embedding"] for item in numbers] == [list(word_vector(text, 8)) for text in ("one", "two words")]
    for number, pack in zip(numbers, packed, strict=True):
        assert struct.unpack("<8f", b64decode(pack["embedding"])) == pytest.approx(number["embedding"])
    assert len(json.loads(send(double, "embeddings", {"input": "one"})[1])["data"][0]["embedding"]) == 1536


def test_the_models_are_listed(double: OpenAIDouble) -> None:
    assert json.loads(send(double, "models")[1])["data"][0]["id"] == "double"


def test_every_request_is_recorded_with_its_tools(double: OpenAIDouble) -> None:
    chat(double, tool("A"), text="Hello")
    send(double, "embeddings", {"input": "x"})
    assert [request.path for request in double.requests] == ["/v1/chat/completions", "/v1/embeddings"]
    assert (double.asked("A")[0].text, double.asked("embeddings")[0].body["input"]) == ("Hello", "x")


def test_many_requests_at_once_are_answered(double: OpenAIDouble) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(send(double, "embeddings", {"input": "x"})[0])) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 20


def test_closing_does_not_wait_for_a_reply_that_hangs() -> None:
    with OpenAIDouble() as double:
        double.script("embeddings", Reply.hangs(60))
        waiting = threading.Thread(target=send, args=(double, "embeddings", {"input": "x"}))
        waiting.start()
        while not double.requests:
            time.sleep(0.01)
        before = time.perf_counter()
    waiting.join()
    assert time.perf_counter() - before < 5
