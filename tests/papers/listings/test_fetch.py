"""https addresses: public ones only, within size and time, redirects checked anew. All without a network."""

import gzip
import http.client
import io

import pytest

from assay.papers.listings import detect
from assay.papers.listings.document import ListingError
from assay.papers.listings.fetch import MOST_REDIRECTS, fetch, is_address

PUBLIC = "93.184.216.34"


class Answer:
    """One answer of a server."""

    def __init__(self, body=b"", status=200, reason="OK", endless=False, **headers):
        self.status, self.reason, self.endless = status, reason, endless
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.body = io.BytesIO(body)

    def read(self, size):
        return b"x" * size if self.endless else self.body.read(size)


class Web:
    """Pages by address, and the connections that were made."""

    def __init__(self, pages, names=None):
        self.pages, self.names, self.made = pages, names or {}, []

    def resolve(self, name, port):
        found = self.names.get(name, [PUBLIC])
        if isinstance(found, Exception):
            raise found
        return found

    def connect(self, to, name, port, seconds):
        web = self

        class Connection:
            def request(self, method, path, headers):
                web.made.append((to, f"https://{name}{'' if port == 443 else f':{port}'}{path}", headers))
                self.path = path

            def getresponse(self):
                answer = web.pages[f"https://{name}{self.path}"]
                if isinstance(answer, Exception):
                    raise answer
                return answer

            def close(self):
                pass

        return Connection()

    def fetch(self, address, most=10_000, **more):
        return fetch(address, most, self.resolve, self.connect, **more)


def test_a_page_is_fetched_from_the_address_that_was_checked():
    web = Web({"https://example.org/a?b=1": Answer(b"hello")})
    assert web.fetch("https://example.org/a?b=1#part") == b"hello"
    ((to, address, headers),) = web.made
    assert (to, address, headers["Host"]) == (PUBLIC, "https://example.org/a?b=1", "example.org")


def test_what_was_sent_packed_is_unpacked():
    web = Web({"https://example.org/": Answer(gzip.compress(b"hello"), Content_Encoding="gzip")})
    assert web.fetch("https://example.org") == b"hello"


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["10.1.2.3"], ["192.168.1.1"], ["172.16.0.1"], ["169.254.169.254"], ["0.0.0.0"], ["100.64.0.1"],
        ["224.0.0.1"], ["255.255.255.255"], ["::1"], ["fe80::1%eth0"], ["fc00::1"], ["::ffff:127.0.0.1"],
        ["2002:7f00:1::"],
        [PUBLIC, "10.0.0.1"],
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(addresses):
    web = Web({}, {"inner.example.org": addresses})
    with pytest.raises(ListingError, match="not public; refused"):
        web.fetch("https://inner.example.org/")
    assert web.made == []


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://example.org/", "only https"),
        ("https://", "not an address"),
        ("https://user:pass@example.org/", "not an address"),
        ("https://example.org:99999/", "not an address"),
        ("https://exa mple.org/\n", "not an address|no such name"),
    ],
)
def test_other_addresses_are_refused(address, says):
    web = Web({}, {"exa mple.org": OSError("no such name")})
    with pytest.raises(ListingError, match=says):
        web.fetch(address)


def moved(to):
    return Answer(status=302, Location=to)


def test_redirects_are_followed_and_checked():
    web = Web(
        {"https://a.org/": moved("/b"), "https://a.org/b": moved("https://c.org/d"), "https://c.org/d": Answer(b"x")}
    )
    assert web.fetch("https://a.org/") == b"x"
    for to, says in (
        ("http://c.org/", "only https"),
        ("https://inner.org/", "not public"),
        ("file:///etc/passwd", "only https"),
    ):
        web = Web({"https://a.org/": moved(to)}, {"inner.org": ["10.0.0.1"]})
        with pytest.raises(ListingError, match=says):
            web.fetch("https://a.org/")
    web = Web({"https://a.org/": moved("https://a.org/")})
    with pytest.raises(ListingError, match="more than 5 redirects"):
        web.fetch("https://a.org/")
    assert len(web.made) == MOST_REDIRECTS + 1


def test_size_and_time_are_limited():
    bomb = gzip.compress(b"0" * 10_000_000)
    for answer in (Answer(b"x" * 10_001), Answer(endless=True), Answer(bomb, Content_Encoding="gzip")):
        with pytest.raises(ListingError, match="over 0 MB; refused"):
            Web({"https://a.org/": answer}).fetch("https://a.org/")
    with pytest.raises(ListingError, match="not complete after"):
        Web({"https://a.org/": Answer(b"x" * 100)}).fetch("https://a.org/", seconds=-1)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(status=404, reason="Not Found"), "the server answered 404 Not Found"),
        (TimeoutError(), "no answer in time"),
        (ConnectionRefusedError("refused"), "refused"),
        (http.client.BadStatusLine("x"), "cannot be fetched"),
        (Answer(b"no gzip", Content_Encoding="gzip"), "cannot be fetched"),
    ],
)
def test_failures_are_one_line(answer, says):
    with pytest.raises(ListingError, match=says) as raised:
        Web({"https://a.org/": answer}).fetch("https://a.org/")
    assert "\n" not in str(raised.value)


def test_an_address_is_a_source(monkeypatch):
    assert is_address("HTTPS://example.org")
    assert not is_address("https.txt")
    monkeypatch.setattr(detect.fetch, "fetch", lambda address, most: b'[{"title": "Sums", "abstract": "We add."}]')
    listing = detect.read_source("https://example.org/list.json")
    assert [paper.title for paper in listing.papers] == ["Sums"]
    assert listing.formats == {"https://example.org/list.json": "table"}
