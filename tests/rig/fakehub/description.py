"""GitHub's own description of its API: judges every exchange, and fills answers up to what it requires."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

from openapi_core import OpenAPI
from openapi_core.contrib.werkzeug import WerkzeugOpenAPIRequest, WerkzeugOpenAPIResponse
from openapi_core.exceptions import OpenAPIError
from werkzeug import Request, Response

SUBSET = Path(__file__).parents[1] / "github_api" / "github-api-subset.json"

Schema = dict[str, Any]


@cache
def description() -> dict[str, Any]:
    """The subset as it was cut."""
    return json.loads(SUBSET.read_text(encoding="utf-8"))


def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """Every operation by method and path template."""
    return {
        (method.upper(), path): operation
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
    }


class Judge:
    """Compares exchanges with the description; what it finds is a list of sentences, empty when all is well."""

    def __init__(self) -> None:
        self._api = OpenAPI.from_dict(waived(copy.deepcopy(description())))

    def request(self, request: Request) -> list[str]:
        try:
            self._api.validate_request(_Asked(request))
        except OpenAPIError as error:
            return [f"request {request.method} {request.path}: {reasons(error)}"]
        return []

    def response(self, request: Request, response: Response) -> list[str]:
        try:
            self._api.validate_response(_Asked(request), WerkzeugOpenAPIResponse(response))
        except OpenAPIError as error:
            return [f"response {response.status_code} to {request.method} {request.path}: {reasons(error)}"]
        return []


@cache
def judge() -> Judge:
    """One for all fakes: building it is the dear part."""
    return Judge()


class _Asked(WerkzeugOpenAPIRequest):
    """The request as if it had come to GitHub.

    Waiver: a path below ``/contents/`` has slashes, which no template of the description matches.
    """

    @property
    def host_url(self) -> str:
        return "https://api.github.com"

    @property
    def path(self) -> str:
        path = super().path
        before, contents, file = path.partition("/contents/")
        return before + contents + file.replace("/", "%2F")


def waived(spec: dict[str, Any]) -> dict[str, Any]:
    """The description, loosened where GitHub itself takes more than it says."""
    labels = spec["paths"]["/repos/{owner}/{repo}/issues/{issue_number}/labels"]
    for method in ("post", "put"):
        body = labels[method]["requestBody"]["content"]["application/json"]
        # Waiver: a bare array of names is accepted, says the text of the description; its schema does not.
        body["schema"] = {"anyOf": [*body["schema"]["oneOf"], {"type": "array", "items": {"type": "string"}}]}
    return spec


def reasons(error: BaseException) -> str:
    """An error of the validator with what it was caused by, in one line."""
    parts = [str(error)]
    cause: Any = error.__cause__
    while cause is not None:
        details = [
            f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in getattr(cause, "schema_errors", ())
        ]
        parts.extend(details or [str(cause)[:300]])
        cause = cause.__cause__
    return "; ".join(parts)


def answer_schema(method: str, path: str, status: int) -> Schema | None:
    """What the description says the body of an answer is; None where it promises none."""
    answer = operations()[method, path]["responses"].get(str(status))
    content = resolve(answer or {}).get("content", {})
    return content.get("application/json", {}).get("schema")


def resolve(schema: Schema) -> Schema:
    """The schema behind a reference."""
    while "$ref" in schema:
        found: Any = description()
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key.replace("~1", "/")]
        schema = found
    return schema


def fill(schema: Schema, value: Any) -> Any:
    """``value`` with every field that the schema requires and it lacks, recursively; its own fields are kept."""
    schema = choose(resolve(schema), value)
    if isinstance(value, list):
        return [fill(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict):
        return value
    properties = {name: sub for part in parts(schema) for name, sub in part.get("properties", {}).items()}
    required = [name for part in parts(schema) for name in part.get("required", [])]
    filled = {name: fill(properties[name], held) if name in properties else held for name, held in value.items()}
    return {**{name: blank(properties.get(name, {})) for name in required if name not in value}, **filled}


def parts(schema: Schema) -> list[Schema]:
    """The schema and everything that ``allOf`` adds to it."""
    schema = resolve(schema)
    return [schema, *(part for sub in schema.get("allOf", []) for part in parts(sub))]


def choose(schema: Schema, value: Any) -> Schema:
    """The alternative that fits the kind of the value best: the one that shares most fields with it."""
    alternatives = [resolve(sub) for sub in schema.get("anyOf", schema.get("oneOf", []))]
    if not alternatives:
        return schema
    if isinstance(value, list):
        return next((sub for sub in alternatives if sub.get("type") == "array"), schema)
    if isinstance(value, dict):
        return max(alternatives, key=lambda sub: len(set(sub.get("properties", {})) & set(value)))
    return schema


def blank(schema: Schema) -> Any:
    """The plainest value that a schema allows."""
    schema = resolve(schema)
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return blank(schema[key][0])
    kind = schema.get("type", "object" if "properties" in schema or "allOf" in schema else "string")
    if kind == "object":
        return fill(schema, {})
    plain = {"array": [], "integer": schema.get("minimum", 0), "number": 0, "boolean": False}
    return plain[kind] if kind in plain else blank_string(schema)


def blank_string(schema: Schema) -> str:
    """The plainest text of a format."""
    formats = {
        "uri": "https://example.invalid/",
        "date-time": "2026-01-01T00:00:00Z",
        "email": "nobody@example.invalid",
    }
    return formats.get(schema.get("format", ""), "")
