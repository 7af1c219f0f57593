"""`twofold doctor`: each thing it looks at, well and not well."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

import twofold.cli.checks.packages
from tests.cli.command import run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, CAUSE, MARCH, Seeds, failed_close
from twofold.cli.checks.subject import Subject
from twofold.memory.findings import Finding
from twofold.testing import OpenAIDouble, Reply

Findings = list[dict[str, str]]
Doctor = Callable[..., Findings]
ABOUT = ("database", "pgvector", "schema", "rights", "embedder", "chat model", "saves", "time to live")
FAR = "https://issuer.example"
KEY = "k" * 6 + "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def doctor(twofold: Twofold) -> Doctor:
    """Return the findings of a call; its exit code has to fit them."""

    def examined(*options: str) -> Findings:
        done = twofold("doctor", "--json", *options)
        findings: Findings = json.loads(done.stdout)["findings"]
        levels = {finding["level"] for finding in findings}
        assert done.exit_code == (3 if "problem" in levels else 0), done.output
        return findings

    return examined


def about(findings: Findings, what: str, level: str | None = None) -> str:
    """Return what was found about one thing, and what to do, one finding a line."""
    chosen = [f for f in findings if f["about"] == what and level in {None, f["level"]}]
    return "\n".join(f"{f['level']}: {f['found']} | {f['remedy']}" for f in chosen)


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def test_where_all_is_well_every_part_is_named(doctor: Doctor) -> None:
    findings = doctor()
    assert {finding["level"] for finding in findings} == {"ok"}
    assert [what for what in ABOUT if not about(findings, what)] == []
    assert "PostgreSQL 1" in about(findings, "database")
    assert "local user only" in about(findings, "who may call")
    assert "version 2." in about(findings, "google-adk")


def test_a_terminal_gets_a_table(environment: dict[str, str]) -> None:
    code, shown = run_on_terminal(environment, "doctor")
    assert code == 0
    assert "what to do" in shown
    assert "0 problems, 0 warnings" in shown


def test_it_changes_nothing(doctor: Doctor, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    seeds.give_up(ANNA, "s2")

    def everything() -> list[str]:
        with psycopg.connect(seeds.url) as connection:
            tables = connection.execute("SELECT schemaname, tablename FROM pg_tables ORDER BY 1, 2").fetchall()
            names = [table for table in tables if table[0] in {"public", "twofold"}]
            read = sql.SQL("SELECT t::text FROM {} t ORDER BY 1")
            rows = [connection.execute(read.format(sql.Identifier(*name))).fetchall() for name in names]
        return [str(row) for row in rows]

    before = everything()
    doctor()
    assert everything() == before


def test_a_database_that_is_down_is_a_problem_and_the_rest_is_looked_at(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", "postgresql://anna:secret-of-mine@127.0.0.1:1/erp")
    findings = doctor()
    assert "127.0.0.1:1" in about(findings, "database", "problem")
    assert "correct TWOFOLD_DATABASE_URL" in about(findings, "database", "problem")
    assert about(findings, "google-adk", "ok")
    assert about(findings, "who may call", "ok")
    assert about(findings, "embedder", "ok")
    assert "secret-of-mine" not in json.dumps(findings)


@pytest.mark.parametrize(
    ("statement", "what", "found"),
    [
        (
            "UPDATE twofold.embedder SET schema_mark = 'own 0000'",
            "schema",
            "warning: it was prepared by another version",
        ),
        ("DROP SCHEMA twofold CASCADE", "schema", "warning: the database is not prepared yet"),
        (
            "UPDATE twofold.embedder SET name = 'openai:x'",
            "models",
            "problem: embedding_model 'openai:x' needs an API key",
        ),
    ],
)
def test_what_the_database_was_prepared_for_is_compared(
    doctor: Doctor, seeds: Seeds, statement: str, what: str, found: str
) -> None:
    execute(seeds.url, statement)
    assert about(doctor(), what).startswith(found)


def test_another_embedder_is_a_problem_once_something_is_stored(
    doctor: Doctor, seeds: Seeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_EMBEDDING_MODEL", "openai:text-embedding-3-small")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
    assert "will replace" in about(doctor(), "embedder", "ok")
    seeds.facts(ANNA, "one")
    findings = doctor()
    assert "were embedded by minilm" in about(findings, "embedder", "problem")
    assert "sk-secret" not in json.dumps(findings)


def test_a_role_without_rights_is_a_problem(doctor: Doctor, seeds: Seeds, monkeypatch: pytest.MonkeyPatch) -> None:
    database = seeds.url.split("dbname=")[1].split()[0]
    role = f"reader_{database}"
    execute(seeds.url, f"CREATE ROLE {role} LOGIN", f"GRANT USAGE ON SCHEMA twofold TO {role}")
    execute(seeds.url, f"GRANT SELECT ON ALL TABLES IN SCHEMA twofold, public TO {role}")
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", seeds.url.replace("user=postgres", f"user={role}"))
    try:
        found = about(doctor(), "rights", "problem")
        assert "twofold.inbox" in found
        assert "GRANT" in found
        execute(seeds.url, f"GRANT ALL ON ALL TABLES IN SCHEMA twofold, public TO {role}")
        found = about(doctor(), "rights", "ok")
        assert "another role has to run `twofold migrate`" in found
    finally:
        execute(seeds.url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_what_waits_and_what_was_given_up_is_told(doctor: Doctor, seeds: Seeds) -> None:
    seeds.accept(ANNA, "waits")
    seeds.give_up(ANNA, "lost")
    findings = doctor()
    assert "1 session to be saved" in about(findings, "saves", "warning")
    assert "0 workers alive | start a process" in about(findings, "saves", "warning")
    assert "given up, and remembered nowhere: 1 session" in about(findings, "saves", "warning")
    assert f", that of session 'lost': {CAUSE} | see to what it names" in about(findings, "saves", "warning")


def test_a_worker_that_lives_is_counted(doctor: Doctor, seeds: Seeds) -> None:
    execute(
        seeds.url,
        "INSERT INTO twofold.procrastinate_workers (last_heartbeat) VALUES (now()), (now() - interval '1 minute')",
    )
    assert "1 worker alive" in about(doctor(), "saves", "ok")
    seeds.accept(ANNA, "waits")
    assert "1 worker alive" in about(doctor(), "saves", "ok")
    execute(seeds.url, "UPDATE twofold.inbox SET waiting_since = now() - interval '3 hours'")
    assert "the oldest for 3 hours" in about(doctor(), "saves", "warning")


def visits(seeds: Seeds, *days: int) -> None:
    """Have Anna say something on these days."""
    for day in days:
        seeds.accept(ANNA, f"s{day}", f"It is day {day}.", at=MARCH + timedelta(days=day))


@pytest.mark.parametrize(
    "days",
    [
        (0, 31, 59),
        (0, 16),
        (0, 1, 2, 30, 31, 60, 61),  # bursts at the end of each month
    ],
)
def test_a_time_to_live_that_is_short_for_somebody_is_told(doctor: Doctor, seeds: Seeds, days: tuple[int, ...]) -> None:
    visits(seeds, *days)
    found = about(doctor(), "time to live", "warning")
    assert "acme / anna.meier@acme.example" in found
    assert "TWOFOLD_TTL_DAYS=65" in found
    assert "month-end" in found


@pytest.mark.parametrize(
    ("days", "ttl"),
    [
        ((0, 15), 30),
        ((0, 31, 59), 65),
        ((0, 3, 7, 10, 31, 34, 38), 30),  # twice a week, and one long holiday
        ((0,), 30),
    ],
)
def test_a_time_to_live_that_is_long_enough_is_well(
    doctor: Doctor, seeds: Seeds, monkeypatch: pytest.MonkeyPatch, days: tuple[int, ...], ttl: int
) -> None:
    monkeypatch.setenv("TWOFOLD_TTL_DAYS", str(ttl))
    visits(seeds, *days)
    assert about(doctor(), "time to live", "ok")


def test_the_month_end_trap_is_named_before_anyone_falls_into_it(doctor: Doctor) -> None:
    assert "TWOFOLD_TTL_DAYS=65" in about(doctor(), "time to live", "ok")


@pytest.mark.parametrize(
    ("settings", "level", "found"),
    [
        ({"AUTH_ISSUER": FAR}, "problem", "auth_audience"),
        ({"AUTH_AUDIENCE": "twofold"}, "problem", "auth_issuer"),
        (
            {"AUTH_ISSUER": FAR, "AUTH_AUDIENCE": "twofold", "AUTH_ALGORITHMS": '["HS256"]'},
            "problem",
            "auth_algorithms",
        ),
        ({"AUTH_ISSUER": "http://issuer.example", "AUTH_AUDIENCE": "twofold"}, "warning", "https://"),
        ({"AUTH_ISSUER": FAR, "AUTH_JWKS_URL": "http://k.example", "AUTH_AUDIENCE": "t"}, "warning", "auth_jwks_url"),
        ({"AUTH_ISSUER": FAR, "AUTH_AUDIENCE": "twofold"}, "ok", "people with a token"),
        ({"AUTH_ISSUER": "http://127.0.0.1:9", "AUTH_AUDIENCE": "twofold"}, "ok", "people with a token"),
        ({"SERVICE_KEYS": json.dumps({"erp": {"key": "a" * 24}})}, "warning", "'erp' is easy to guess"),
        ({"SERVICE_KEYS": json.dumps({"erp": {"key": KEY}})}, "ok", "'erp', for everyone"),
        ({"SERVICE_KEYS": json.dumps({"erp": {"key": KEY, "tenants": ["acme"]}})}, "ok", "for people of acme"),
        ({"SERVICE_KEYS": json.dumps({"a": {"key": KEY}, "b": {"key": KEY}})}, "problem", "the same key"),
    ],
)
def test_who_may_call_is_examined(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], level: str, found: str
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"TWOFOLD_{name}", value)
    findings = doctor()
    assert found in about(findings, "who may call", level)
    assert not any(f["level"] in {"problem", "warning"} for f in findings if level == "ok")
    assert KEY not in json.dumps(findings)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("TTL_DAYS", "0", "must be at least 1"),
        ("SERVICE_KEYS", '{"erp": {"key": "short-secret"}}', "must have at least 24 characters"),
        ("SERVICE_KEYS", '{"erp": {"key": "short-secret"', 'is not JSON; it looks like {"NAME": {"key": "…"}}'),
        ("SERVICE_KEYS", '{"short-secret": "erp"}', 'must look like {"NAME": {"key": "…"}}'),
        ("AUTH_ALGORITHMS", "RS256", "is not JSON"),
        ("POOL_SIZE", "x", "must be a whole number"),
    ],
)
def test_a_setting_that_cannot_be_used_is_a_problem(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(f"TWOFOLD_{name}", value)
    findings = doctor()
    found = about(findings, "settings", "problem")
    assert f"TWOFOLD_{name} {told}" in found or f"of TWOFOLD_{name} {told}" in found
    assert "correct the variable" in found
    assert "short-secret" not in json.dumps(findings)


def test_a_variable_that_is_no_setting_is_told_with_the_one_meant(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_TTL_DAY", "65")
    monkeypatch.setenv("TWOFOLD_COLOUR", "red")
    found = about(doctor(), "settings", "warning")
    assert "TWOFOLD_TTL_DAY is no setting, and does nothing | call it TWOFOLD_TTL_DAYS" in found
    assert "TWOFOLD_COLOUR is no setting" in found


@pytest.mark.parametrize("address", ["api.example", "ftp://api.example", "http://", "http://a b", "http://a:x"])
def test_an_address_of_models_that_is_none_is_a_problem(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("TWOFOLD_OPENAI_BASE_URL", address)
    assert "is no address of a server | give it as https://HOST/v1" in about(doctor(), "models", "problem")


def test_models_are_called_only_when_asked_to(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIDouble() as double:
        monkeypatch.setenv("OPENAI_BASE_URL", double.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
        assert "is set, not called: --call-models does" in about(doctor(), "chat model", "unchecked")
        assert double.requests == []
        assert "openai:gpt-5-mini answers" in about(doctor("--call-models"), "chat model", "ok")
        assert len(double.requests) == 1


def test_a_model_that_does_not_answer_is_a_problem(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIDouble() as double:
        double.always("completions", Reply(status=401, text="Incorrect API key provided: sk-secret-of-mine"))
        monkeypatch.setenv("OPENAI_BASE_URL", double.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
        findings = doctor("--call-models")
        assert "HTTP 401" in about(findings, "chat model", "problem")
        assert "check the key" in about(findings, "chat model", "problem")
        assert "sk-secret" not in json.dumps(findings)


def test_a_folder_of_agents_is_looked_at(doctor: Doctor, tmp_path: Path) -> None:
    findings = doctor("--agents", str(tmp_path / "none"))
    assert "there is no such folder | give --agents" in about(findings, str(tmp_path / "none"), "problem")


def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_: Subject) -> list[Finding]:
        raise ZeroDivisionError("secret-of-mine")

    monkeypatch.setattr(twofold.cli.checks.packages, "check_packages", broken)
    findings = doctor()
    assert about(findings, "packages", "problem") == "problem: it cannot be looked at: ZeroDivisionError | "
    assert about(findings, "who may call", "ok")


def test_the_findings_fit_the_day(seeds: Seeds, doctor: Doctor) -> None:
    """A clock that is a little behind the server's makes no negative ages."""
    seeds.accept(ANNA, "s1")
    execute(seeds.url, "UPDATE twofold.inbox SET accepted_at = now() + interval '1 minute'")
    assert "the oldest for a moment" in about(doctor(), "saves")
