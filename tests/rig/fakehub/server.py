"""The fake on its sockets: routes a request, checks the token, lets faults strike, pages, validates, keeps a log."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from werkzeug import Request, Response
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from tests.rig.fakehub import automation, changes, conversation, faults
from tests.rig.fakehub.description import answer_schema, fill, judge, operations
from tests.rig.fakehub.exchange import Ask, Refused, Reply, Routes, not_found
from tests.rig.fakehub.permissions import enforce
from tests.rig.fakehub.world import Token, World

ROUTES: Routes = {**conversation.ROUTES, **changes.ROUTES, **automation.ROUTES}
API, BLOBS = "127.0.0.1", "127.0.0.2"


@dataclass(frozen=True)
class Call:
    """One exchange, for the log."""

    method: str
    path: str
    """With its query."""
    status: int

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    def __str__(self) -> str:
        return f"{self.method:6} {self.status} {self.path}"


@dataclass
class Hub:
    """A running fake."""

    world: World
    calls: list[Call] = field(default_factory=list)
    """API exchanges in order; the blob host keeps none."""
    violations: list[str] = field(default_factory=list)
    """Where an exchange broke the description, or asked for what the fake has not."""
    faults: list[faults.Fault] = field(default_factory=list)

    def fault(self, kind: faults.Kind, where: str, **more: Any) -> None:
        self.faults.append(faults.Fault(kind, where, **more))

    def since(self, mark: int) -> list[Call]:
        return self.calls[mark:]


def converted(template: str) -> str:
    """A path template of the description as a routing rule."""
    return template.replace("{path}", "<path:path>").replace("{", "<").replace("}", ">")


RULES = [Rule(converted(path), methods=[method], endpoint=(method, path)) for method, path in operations()]


class Api:
    """The WSGI application of the API host."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._judge = judge()
        self._map = Map([rule.empty() for rule in RULES])

    def __call__(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        with self._hub.world.lock:
            response = self._answer(request)
            target = request.path + (f"?{request.query_string.decode()}" if request.query_string else "")
            self._hub.calls.append(Call(request.method, target, response.status_code))
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        try:
            (method, path), args = self._map.bind_to_environ(request.environ).match()
        except HTTPException:
            self._hub.violations.append(f"no such operation in the subset: {request.method} {request.path}")
            return Response(json.dumps({"message": "Not Found"}), 404, mimetype="application/json")
        wrong = self._judge.request(request)
        self._hub.violations.extend(wrong)
        strike = next((it for it in self._hub.faults if it.hits(f"{request.method} {request.path}")), None)
        try:
            if wrong:
                raise Refused(422, f"Invalid request.\n\n{wrong[0][:300]}", [])
            reply = self._reply(request, method, path, args, strike)
            response = self._rendered(request, method, path, reply)
        except Refused as refusal:
            response = Response(json.dumps(refusal.body), refusal.status, refusal.headers, mimetype="application/json")
        response.headers.setdefault("X-RateLimit-Remaining", "4999")
        # GitHub's refusals are described for some operations only; a missing one is no fault of ours.
        if str(response.status_code) in operations()[method, path]["responses"]:
            self._hub.violations.extend(self._judge.response(request, response))
        return response

    def _reply(self, request: Request, method: str, path: str, args: Any, strike: faults.Fault | None) -> Reply:
        world = self._hub.world
        token = enforce(self._token(request), method, path)
        if strike:
            faults.before(strike)
        if "owner" in args and f"{args['owner']}/{args['repo']}" != world.repository:
            raise not_found()
        handler = ROUTES.get((method, path))
        if handler is None:
            self._hub.violations.append(f"the fake does not do {method} {path}")
            raise not_found()
        body = json.loads(request.get_data() or b"null")
        reply = handler(world, Ask(args, dict(request.args), body, token))
        if strike:
            faults.after(strike, world)
        return reply

    def _token(self, request: Request) -> Token | None:
        kind, _, value = request.headers.get("Authorization", "").partition(" ")
        return self._hub.world.tokens.get(value) if kind.lower() in ("bearer", "token") else None

    def _rendered(self, request: Request, method: str, path: str, reply: Reply) -> Response:
        headers = dict(reply.headers)
        body = reply.body
        if reply.listing is not None:
            body, headers["Link"] = page(request, body, reply.listing)
        schema = answer_schema(method, path, reply.status)
        if schema is not None:
            body = fill(schema, body)
        data = b"" if body is None else json.dumps(body).encode()
        return Response(data, reply.status, {k: v for k, v in headers.items() if v}, mimetype="application/json")


def page(request: Request, items: list[Any], wrapper: str) -> tuple[Any, str]:
    """The asked-for page of a list, and the ``Link`` header that leads on."""
    size = min(max(int(request.args.get("per_page", 30)), 1), 100)
    number = max(int(request.args.get("page", 1)), 1)
    shown = items[(number - 1) * size : number * size]
    last = max(-(-len(items) // size), 1)
    query = "&".join(f"{key}={value}" for key, value in request.args.items() if key != "page")
    url = f"{request.base_url}?{query}{'&' if query else ''}page="
    links = {"next": number + 1, "last": last} if number < last else {}
    header = ", ".join(f'<{url}{target}>; rel="{name}"' for name, target in links.items())
    return ({"total_count": len(items), wrapper: shown} if wrapper else shown), header


class Blobs:
    """The WSGI application of the host that keeps artifacts: signed URLs, so it refuses a token.

    It also takes what a job uploads: a runner does that through a service of its own, without the job's token.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def __call__(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        if request.method == "PUT":
            run, name = request.path.strip("/").split("/")
            self._hub.world.add_artifact(int(run), name, request.get_data())
            return Response(status=201)(environ, start_response)
        number = request.path.strip("/").removesuffix(".zip")
        artifact = self._hub.world.artifacts.get(int(number) if number.isdigit() else -1)
        if "Authorization" in request.headers:
            self._hub.violations.append("a token was sent to the host that keeps artifacts")
            response = Response("InvalidAuthenticationInfo", 401)
        elif artifact is None:
            response = Response("BlobNotFound", 404)
        else:
            response = Response(artifact.blob, 200, mimetype="application/zip")
        return response(environ, start_response)


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:
        """The hub keeps its own log."""


def _server(host: str) -> BaseWSGIServer:
    """A listening server without an application yet: its port must be known before that can be made."""
    return make_server(host, 0, Response(status=503), threaded=True, request_handler=_Quiet)


@contextmanager
def serve(world: World) -> Iterator[Hub]:
    """The fake, up for the length of the block."""
    api, blobs = _server(API), _server(BLOBS)
    world.base_url, world.blob_url = f"http://{API}:{api.port}", f"http://{BLOBS}:{blobs.port}"
    hub = Hub(world)
    api.app, blobs.app = Api(hub), Blobs(hub)
    threads = [threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.02}) for it in (api, blobs)]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        for server, thread in zip((api, blobs), threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()
