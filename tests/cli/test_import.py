"""`twofold import mem0`."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Twofold
from tests.cli.seeds import Seeds
from tests.cli.stored import content
from twofold.clock import SystemClock
from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope

ALICE = Scope(tenant_id="acme", user_id="alice")
LEDGER = "Works with the US Primary Ledger"

# What `Memory.get_all(filters={"user_id": "alice"})` of the open-source package returns.
MEMORY: dict[str, Any] = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8c",
    "memory": LEDGER,
    "hash": "1f1b2c3d4e5f60718293a4b5c6d7e8f9",
    "metadata": {"category": "work"},
    "created_at": "2025-11-03T09:12:44.512345-07:00",
    "updated_at": None,
    "user_id": "alice",
}
# A page of the platform's `get_all`, which leaves out whose it is.
PLATFORM: dict[str, Any] = {
    "id": "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c",
    "memory": "Approves journals up to 5,000 USD",
    "metadata": None,
    "categories": ["work"],
    "expiration_date": None,
    "created_at": "2025-07-01T12:00:00Z",
    "updated_at": "2025-07-02T12:00:00Z",
}
TYPESCRIPT: dict[str, Any] = {
    "id": "a2b8c3d4",
    "memory": LEDGER,
    "hash": "1f1b",
    "createdAt": "2025-11-03T16:12:44.512345Z",
    "updatedAt": None,
    "userId": "alice",
}
EXPORTED: dict[str, Any] = {
    "id": "mem_abc123",
    "content": LEDGER,
    "user_id": "alice",
    "created_at": "2025-11-03T16:12:44.512345Z",
}


def file(folder: Path, document: Any, *, encoding: str = "utf-8") -> str:
    path = folder / "mem0.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, ensure_ascii=False), encoding)
    return str(path)


def imported(twofold: Twofold, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = twofold("import", "mem0", "--tenant", "acme", "--json", *arguments)
    assert done.exit_code == code, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def dry(twofold: Twofold, *arguments: str, code: int = 0) -> dict[str, Any]:
    return imported(twofold, "--dry-run", *arguments, code=code)


def page(*entries: Any, **more: Any) -> dict[str, Any]:
    return {"count": len(entries), "next": None, "previous": None, "results": [*entries], **more}


def test_a_memory_becomes_a_fact_in_its_words_of_its_time_and_of_that_origin(
    twofold: Twofold, tmp_path: Path, prepared_url: str
) -> None:
    assert imported(twofold, file(tmp_path, {"results": [MEMORY]}))["added"] == 1
    (memory,) = json.loads(twofold("show", "--tenant", "acme", "--user", "alice", "--json").stdout)["memories"]
    assert (memory["kind"], memory["text"]) == ("semantic", LEDGER)
    assert memory["updated_at"] == memory["created_at"]
    assert memory["updated_at"].startswith("2025-11-03T16:12:44.512345")
    assert [source["origin"] for source in memory["sources"]] == ["import"]
    assert [line["origin"] for line in content(prepared_url)["audit"]] == ["import"]


@pytest.mark.parametrize(
    ("document", "memories"),
    [
        pytest.param({"results": [MEMORY]}, 1, id="get_all"),
        pytest.param({"results": [MEMORY], "relations": [{"source": "alice"}]}, 1, id="get_all with a graph"),
        pytest.param({"results": []}, 0, id="get_all of nobody"),
        pytest.param(page(MEMORY), 1, id="a page of the platform"),
        pytest.param([page(MEMORY), page(), page(MEMORY, MEMORY)], 3, id="pages in a list"),
        pytest.param([MEMORY, MEMORY], 2, id="the older list"),
        pytest.param([], 0, id="an empty list"),
        pytest.param({"memories": [EXPORTED], "total": 1}, 1, id="an export"),
        pytest.param({"results": [TYPESCRIPT]}, 1, id="get_all in TypeScript"),
        pytest.param([{**MEMORY, "score": 0.8, "user_id": 7}], 1, id="what a search found, of a numbered user"),
    ],
)
def test_each_shape_that_mem0_writes_is_read(twofold: Twofold, tmp_path: Path, document: Any, memories: int) -> None:
    found = dry(twofold, file(tmp_path, document))
    assert (found["memories"], found["left_out"]) == (memories, [])


def test_all_shapes_of_one_memory_come_to_one_fact(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    whole = file(tmp_path, [{"results": [MEMORY]}, page(TYPESCRIPT), {"memories": [EXPORTED]}, MEMORY])
    first = imported(twofold, whole)
    assert (first["added"], first["known"]) == (1, 3)
    assert seeds.texts(ALICE) == [LEDGER]


def test_a_second_import_doubles_nothing(twofold: Twofold, tmp_path: Path, prepared_url: str) -> None:
    path = file(tmp_path, page(MEMORY, {**MEMORY, "memory": "Prefers tables", "user_id": "bob"}))
    assert imported(twofold, path)["added"] == 2
    before = content(prepared_url)
    again = imported(twofold, path)
    assert (again["added"], again["known"], again["forgotten"]) == (0, 2, 0)
    after = content(prepared_url)
    assert [line["action"] for line in after.pop("audit")].count("ADD") == 2
    before.pop("audit")
    assert after == before


def test_whose_they_are_is_said_by_the_file_or_by_the_caller(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    path = file(tmp_path, page(PLATFORM, MEMORY))
    (left_out,) = dry(twofold, path, code=3)["left_out"]
    assert left_out["number"] == 1
    assert "names no user; --user says" in left_out["reason"]
    assert imported(twofold, path, "--user", "carl")["added"] == 2
    assert seeds.texts(Scope(tenant_id="acme", user_id="carl")) == [PLATFORM["memory"]]
    assert seeds.texts(ALICE) == [LEDGER]


@pytest.mark.parametrize(
    ("entry", "reason", "code"),
    [
        ("just a text", "is no memory", 3),
        ({**MEMORY, "memory": " \n"}, "has no text", 3),
        ({**MEMORY, "memory": "\x00"}, "has no text", 3),
        ({**MEMORY, "memory": {"a": 1}}, "has no text", 3),
        ({**MEMORY, "memory": "x" * 4001}, "4001 characters, over the limit of 4000", 3),
        ({**MEMORY, "user_id": None, "agent_id": "clerk"}, "names no user", 3),
        ({**MEMORY, "created_at": None}, "has no time", 3),
        ({**MEMORY, "created_at": "last spring"}, "has a time that is none: 'last spring'", 3),
        ({**MEMORY, "created_at": 1_761_000_000}, "has a time that is none", 3),
        ({**MEMORY, "created_at": "9999-12-31T23:00:00Z"}, "no calendar tells", 3),
        ({**MEMORY, "created_at": "2999-01-01T00:00:00Z"}, "of a time to come: '2999-01-01T00:00:00Z'", 3),
        ({**MEMORY, "expiration_date": "soon"}, "expiration date that is none", 3),
        ({**MEMORY, "expiration_date": "2025-12-31"}, "expired after 2025-12-31", 0),
        ({**MEMORY, "replaced_by": "f4cbdb08"}, "was replaced by a newer one", 0),
    ],
)
def test_what_cannot_be_imported_is_named_by_its_number_and_the_rest_can(
    twofold: Twofold, tmp_path: Path, entry: Any, reason: str, code: int
) -> None:
    path = file(tmp_path, page(MEMORY, entry, {**MEMORY, "expiration_date": "2999-01-01"}))
    found = dry(twofold, path, code=code)
    assert found["memories"] == 2
    ((number, told),) = [(each["number"], each["reason"]) for each in found["left_out"]]
    assert number == 2
    assert reason in told
    assert f"Number 2 is left out: it {told}" in twofold("import", "mem0", path, "--tenant", "acme", "--dry-run").stderr


def test_the_rest_is_imported(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    path = file(tmp_path, page(MEMORY, {**MEMORY, "memory": ""}, {**MEMORY, "memory": "Prefers tables"}))
    told = twofold("import", "mem0", path, "--tenant", "acme")
    assert told.exit_code == 3
    assert told.stdout == "2 memories: 2 added, 0 known already, 0 forgotten here before\n"
    assert seeds.texts(ALICE) == ["Prefers tables", LEDGER]


def test_one_page_of_several_is_said_to_be_one(twofold: Twofold, tmp_path: Path) -> None:
    path = file(tmp_path, page(MEMORY, next="https://api.mem0.ai/v3/memories/?page=2"))
    assert dry(twofold, path, code=3)["is_part"] is True
    assert "one page of several" in twofold("import", "mem0", path, "--tenant", "acme", "--dry-run").stderr
    whole = [page(MEMORY, next="https://api.mem0.ai/v3/memories/?page=2"), page(MEMORY)]
    assert dry(twofold, file(tmp_path, whole))["is_part"] is False


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"full_name": "Dev", "current_role": "senior engineer"}, "a schema of its own, holds none"),
        ("null", "holds no memories of Mem0"),
        ("42", "holds no memories of Mem0"),
        ('{"results": [', "is not JSON: line 1"),
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_file_that_is_no_export_is_refused_whole(twofold: Twofold, tmp_path: Path, document: Any, told: str) -> None:
    error = twofold("import", "mem0", file(tmp_path, document), "--tenant", "acme").exception
    assert isinstance(error, InvalidInput)
    assert told in str(error)


def test_bytes_that_are_no_text_are_refused_and_a_mark_of_order_is_not(twofold: Twofold, tmp_path: Path) -> None:
    marked = file(tmp_path, {"results": [MEMORY]}, encoding="utf-8-sig")
    assert dry(twofold, marked)["memories"] == 1
    Path(marked).write_bytes(b'{"results": "\xff"}')
    assert "is not JSON" in str(twofold("import", "mem0", marked, "--tenant", "acme").exception)
    assert twofold("import", "mem0", str(tmp_path / "nowhere.json"), "--tenant", "acme").exit_code == 2
    assert twofold("import", "mem0", marked).exit_code == 2  # without a tenant


def test_secrets_are_not_imported(twofold: Twofold, seeds: Seeds, tmp_path: Path, prepared_url: str) -> None:
    imported(twofold, file(tmp_path, [{**MEMORY, "memory": "Her password is hunter2"}]))
    assert "[redacted: password]" in seeds.texts(ALICE)[0]
    assert "hunter2" not in json.dumps(content(prepared_url))


def test_what_was_forgotten_stays_forgotten_unless_it_is_newer(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    path = file(tmp_path, [MEMORY])
    imported(twofold, path)
    whose = ("--tenant", "acme", "--user", "alice", "--yes")
    assert twofold("forget", "--everything", *whose).exit_code == 0
    again = imported(twofold, path)
    assert (again["added"], again["forgotten"]) == (0, 1)
    assert seeds.texts(ALICE) == []

    soon = SystemClock().now() + timedelta(hours=1)  # what lies further ahead is left out
    newer = {**MEMORY, "memory": "Prefers tables", "updated_at": soon.isoformat()}
    assert imported(twofold, file(tmp_path, [MEMORY, newer]))["added"] == 1
    assert seeds.texts(ALICE) == ["Prefers tables"]


def test_a_forgotten_fact_does_not_come_back_alone(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    path = file(tmp_path, [MEMORY, {**MEMORY, "memory": "Prefers tables"}])
    imported(twofold, path)
    shown = json.loads(twofold("show", "--text", "Ledger", "--json").stdout)["memories"]
    assert twofold("forget", "--key", shown[0]["key"], "--yes").exit_code == 0
    assert imported(twofold, path)["forgotten"] == 1
    assert seeds.texts(ALICE) == ["Prefers tables"]


def test_many_are_imported_in_batches(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    many = [{**MEMORY, "memory": f"Approves cost center {number}"} for number in range(250)]
    assert imported(twofold, file(tmp_path, {"results": many}))["added"] == 250
    assert len(seeds.texts(ALICE)) >= 100  # as many as are listed at once


def test_what_is_nothing_but_a_dropped_secret_is_left_out_and_the_rest_is_imported(
    twofold: Twofold, seeds: Seeds, tmp_path: Path, prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_REDACTION", '{"password": "drop"}')
    path = file(tmp_path, page(MEMORY, {**MEMORY, "memory": "password: hunter2"}, {**MEMORY, "memory": "Likes EUR"}))
    assert dry(twofold, path, code=3)["memories"] == 2
    first = imported(twofold, path, code=3)
    assert (first["added"], first["known"], first["forgotten"]) == (2, 0, 0)
    assert [entry["number"] for entry in first["left_out"]] == [2]
    assert first["left_out"][0]["reason"] == "holds nothing but secrets, which are dropped"
    again = imported(twofold, path, code=3)
    assert (again["added"], again["known"], again["forgotten"]) == (0, 2, 0)
    assert seeds.texts(ALICE) == ["Likes EUR", LEDGER]
    assert "hunter2" not in json.dumps(content(prepared_url))


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_tenant_without_a_name_is_refused(twofold: Twofold, seeds: Seeds, tmp_path: Path, more: list[str]) -> None:
    refused = twofold("import", "mem0", file(tmp_path, [MEMORY]), "--tenant", "", *more)
    assert refused.exit_code == 2
    assert "--tenant: is empty" in " ".join(refused.stderr.split())
    assert seeds.texts(Scope(tenant_id="", user_id="alice")) == []
