"""A language model in place of the rules: a local server answers; what is no answer is one line."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from assay.claims.extract import extract
from assay.claims.model import ModelError, remote
from assay.commands.papers import _claims

TEXT = "We water trees. They grow 2x faster than others. Thanks to all."


@pytest.fixture
def server(monkeypatch):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        answer = (200, json.dumps({"choices": [{"message": {"content": "[2]"}}]}))

        def do_POST(self):
            asked.append((self.headers, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            code, body = self.answer
            self.send_response(code)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    monkeypatch.setenv("ASSAY_CLAIMS_URL", f"http://127.0.0.1:{running.server_port}/v1")
    monkeypatch.setenv("ASSAY_CLAIMS_MODEL", "made-up")
    monkeypatch.setenv("ASSAY_CLAIMS_KEY", "secret")
    Handler.asked = asked
    yield Handler
    running.shutdown()
    running.server_close()


def test_the_model_takes_the_place_of_the_rules(server):
    (claim,) = extract(TEXT, remote())
    assert claim.sentence == "They grow 2x faster than others."
    assert claim.quantities[0].value == (2.0,)
    headers, body = server.asked[0]
    assert (body["model"], body["temperature"], headers["Authorization"]) == ("made-up", 0, "Bearer secret")
    assert "2. They grow 2x faster than others." in body["messages"][0]["content"]


def content(text):
    return 200, json.dumps({"choices": [{"message": {"content": text}}]})


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (content("none of them"), "no list of numbers"),
        (content("[7]"), "does not exist"),
        (content("[0]"), "does not exist"),
        (content("[true]"), "no list of numbers"),
        (content('["2"]'), "no list of numbers"),
        (content('{"2": 1}'), "no list of numbers"),
        (content("[" * 100_000), "no list of numbers"),
        (content("[" * 100_000 + "]"), "no list of numbers"),
        ((200, "[" * 100_000), "no usable answer"),
        ((200, "[]"), "no usable answer"),
        ((200, "no json"), "no usable answer"),
        ((200, "{}"), "no usable answer"),
        ((500, ""), "answered 500"),
    ],
)
def test_what_is_no_answer_is_one_line(server, answer, says):
    server.answer = answer
    with pytest.raises(ModelError, match=says) as raised:
        extract(TEXT, remote())
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_it_is_off_without_settings(monkeypatch):
    monkeypatch.delenv("ASSAY_CLAIMS_URL", raising=False)
    with pytest.raises(ModelError, match="ASSAY_CLAIMS_URL"):
        remote()
    monkeypatch.setenv("ASSAY_CLAIMS_URL", "file:///etc")
    monkeypatch.setenv("ASSAY_CLAIMS_MODEL", "x")
    with pytest.raises(ModelError, match="no address"):
        remote()


def test_words_around_the_list_do_not_matter(server):
    server.answer = content("Here you are: [2, 3]. Good luck!")
    assert [claim.sentence for claim in extract(TEXT, remote())] == [
        "They grow 2x faster than others.",
        "Thanks to all.",
    ]


def test_another_host_does_not_get_the_key(server, monkeypatch):
    seen = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.headers["Authorization"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    other = HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    monkeypatch.setattr(server, "do_POST", lambda self: _redirected(self, other.server_port))
    with pytest.raises(ModelError, match="no usable answer"):
        extract(TEXT, remote())
    other.shutdown()
    other.server_close()
    assert seen == [None]


def _redirected(handler, port):
    handler.rfile.read(int(handler.headers["Content-Length"]))
    handler.send_response(302)
    handler.send_header("Location", f"http://127.0.0.1:{port}/")
    handler.end_headers()


def test_the_command_falls_back_on_the_rules_and_says_so(server):
    assert _claims(TEXT, by_model=True)[1] == []
    server.answer = content("none")
    found, (problem,) = _claims(TEXT, by_model=True)
    assert found == extract(TEXT)
    assert problem.endswith("these are the claims that the rules find")
