"""A strict reader of the pages we write: every tag closed in order, and nothing that loads, runs or leads astray."""

import re
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
FORBIDDEN = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"}
LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "xlink:href"}


class Page(HTMLParser):
    """What a page holds: `text`, `headings` as (level, text), `ids`, `links`, `tags`; AssertionError if it is bad."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.stack, self.headings, self.ids, self.links, self.tags, self.styles = [], [], [], [], set(), []
        self._text = []
        self.feed(source)
        self.close()
        assert self.stack == [], f"never closed: {self.stack}"
        assert len(self.ids) == len(set(self.ids)), "an id stands twice"
        for target in self.links:
            if target.startswith("#"):
                assert target[1:] in self.ids, f"no id {target}"
        for style in self.styles:
            assert not re.search(r"@import|url\(|expression\(|</", style), "a style that loads something"

    @property
    def text(self):
        return " ".join("".join(self._text).split())

    def handle_starttag(self, tag, attrs):
        self._open(tag, attrs)
        if tag not in VOID:
            self.stack.append(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_startendtag(self, tag, attrs):
        self._open(tag, attrs)

    def _open(self, tag, attrs):
        assert tag not in FORBIDDEN, f"<{tag}> in the page"
        self.tags.add(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        for name, value in attrs:
            assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9:-]*", name), f"attribute {name!r} of <{tag}>"
            assert not name.startswith("on"), f"{name} on <{tag}>"
            assert name not in LOADING, f"{name} on <{tag}>"
            if name == "href":
                assert tag == "a", f"href on <{tag}>"
                assert re.match(r"https?://|#", value), f"a link to {value}"
                self.links.append(value)
            elif name == "id":
                self.ids.append(value)
            else:
                assert "url(" not in (value or ""), f"{name}={value}"
        self._text.append(" ")

    def handle_endtag(self, tag):
        assert self.stack, f"</{tag}> without a start"
        assert self.stack[-1] == tag, f"</{tag}> closes <{self.stack[-1]}>"
        self.stack.pop()
        self._text.append(" ")

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "style":
            self.styles.append(data)
            return
        self._text.append(data)
        for tag in reversed(self.stack):
            if re.fullmatch(r"h[1-6]", tag):
                level, text = self.headings[-1]
                self.headings[-1] = (level, f"{text}{data}".strip())
                break
