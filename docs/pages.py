"""The pages of docs/reference/ that come from code: settings, routes, graphs, commands, spans and metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from command_page import command_page
from langchain_core.runnables import Runnable
from telemetry_page import telemetry_page

from twofold.api.http_app import build_app
from twofold.graphs.read import build_read
from twofold.graphs.write import build_write
from twofold.settings import Settings

NO_PARTS = cast("Any", None)  # for what is only described, not run
HEAD = "<!-- made by docs/generate.py -->\n"
ON_SERVERS = ("server_", "service_", "auth_", "local_")
ABOUT_ROUTES = """\
Who calls is told by `Authorization: Bearer …`; whose memory it is follows from that, never from the address or
the body. Every problem is `application/problem+json` and names the field and its limit. The same as OpenAPI is at
`/openapi.json`.
"""

Schema = Mapping[str, Any]


def pages() -> dict[str, str]:
    """Return each page by its name."""
    return {
        "settings": _settings_page(),
        "routes": _routes_page(),
        "graphs": _graphs_page(),
        "cli": f"{HEAD}{command_page()}",
        "telemetry": f"{HEAD}{telemetry_page(build_write(NO_PARTS), build_read(NO_PARTS))}",
    }


def settings_table(*, of_servers: bool | None = None) -> str:
    """Return the settings as a table: those of servers only, the others only, or all."""
    names = [name for name in Settings.model_fields if of_servers is None or name.startswith(ON_SERVERS) is of_servers]
    rows = (f"| `{_variable(name)}` | {_default(name)} | {Settings.model_fields[name].description} |" for name in names)
    return "\n".join(["| variable | default | what it does |", "| --- | --- | --- |", *rows])


def _settings_page() -> str:
    return (
        f"{HEAD}# Settings\n\nEach is read from the environment, and can also be given to `load_settings`.\n\n"
        f"## Memory\n\n{settings_table(of_servers=False)}\n\n"
        f"## Servers, and who calls them\n\n{settings_table(of_servers=True)}\n"
    )


def _variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    choices = getattr(alias, "choices", None)
    return f"TWOFOLD_{name.upper()}` or `{choices[1]}" if choices else f"TWOFOLD_{name.upper()}"


def _default(name: str) -> str:
    field = Settings.model_fields[name]
    if field.default_factory is not None:
        return "none" if field.default_factory is dict else "the user's data folder"
    if isinstance(field.default, tuple):
        return f"`{json.dumps(field.default)}`"
    return "none" if field.default is None else f"`{field.default}`".lower()


def _routes_page() -> str:
    api = build_app(memory=NO_PARTS, authenticator=NO_PARTS).openapi()
    lines = [f"{HEAD}# Routes\n", ABOUT_ROUTES, "| route | what it does |", "| --- | --- |"]
    operations = [(path, method, op) for path, methods in api["paths"].items() for method, op in methods.items()]
    lines += [f"| `{method.upper()} {path}` | {_first_line(op)} |" for path, method, op in operations]
    for path, method, operation in operations:
        lines += ["", *_route(f"{method.upper()} {path}", operation, api)]
    return "\n".join(lines) + "\n"


def _first_line(operation: Schema) -> str:
    return str(operation.get("description") or operation.get("summary", "")).partition("\n")[0]


def _route(name: str, operation: Schema, api: Schema) -> Iterator[str]:
    yield f"## `{name}`\n"
    yield str(operation.get("description", "")) + "\n"
    for given in operation.get("parameters", []):
        if "$ref" not in given:
            yield f"* `{given['name']}` ({given['in']}): {given.get('description', '')}"
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        yield f"* body `{_name(body)}`:"
        yield from (f"  {line}" for line in _fields(body, api["components"]["schemas"]))
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            content = response.get("content", {})
            told = ", ".join(
                f"`{_name(kind.get('schema', {}))}`" if "json" in form and "nd" not in form else form
                for form, kind in content.items()
            )
            yield f"* {status}: {told or 'nothing'}"
            for kind in content.values():
                fields = _fields(kind.get("schema", {}), api["components"]["schemas"])
                yield from (f"  {line}" for line in fields)
    failures = [status for status in operation["responses"] if not status.startswith("2")]
    yield f"* problems: {', '.join(sorted(failures))}"


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] or str(schema.get("title") or schema.get("type", "any"))


def _fields(schema: Schema, known: Schema) -> Iterator[str]:
    found = known.get(_name(schema), schema)
    needed = found.get("required", [])
    for name, field in found.get("properties", {}).items():
        optional = "" if name in needed else ", may be left out"
        yield f"* `{name}` ({_type(field)}{optional}): {field.get('description', '')}".rstrip(": ")


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" if value else "empty" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "any"))


def _graphs_page() -> str:
    write, read = build_write(NO_PARTS).compile(), build_read(NO_PARTS).compile()
    lines = [f"{HEAD}# Graphs\n", "Samples to run: [`docs/samples/`](../samples)."]
    for name, graph in (("memory_write", write), ("memory_read", read)):
        lines += ["", f"## `{name}`", *_graph(graph)]
    return "\n".join(lines) + "\n"


def _graph(graph: Runnable[Any, Any]) -> Iterator[str]:
    for title, schema in (("Input", graph.get_input_jsonschema()), ("Output", graph.get_output_jsonschema())):
        yield f"\n{title}:\n"
        known = schema.get("$defs", {})
        yield from _fields(schema, known)
        for name, nested in known.items():
            if "properties" in nested:
                yield f"\n`{name}`:\n"
                yield from _fields(nested, known)
