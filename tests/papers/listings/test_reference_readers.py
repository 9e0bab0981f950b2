"""Feeds, BibTeX, RIS, CSL-JSON and saved pages: what each holds becomes the right field, and its traps lose nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.papers.listings.citation import bibtex_names, family_given, given_family
from assay.papers.listings.detect import read_source
from assay.papers.listings.document import ListingError
from assay.papers.paper import Paper


def read(text, format=None):
    return read_source(text if isinstance(text, bytes) else text.encode(), format=format)


def whats(listing):
    return [problem.what for problem in listing.problems]


def only(text, format=None):
    listing = read(text, format)
    assert whats(listing) == []
    assert len(listing.papers) == 1
    return listing.papers[0]


# --- feeds -------------------------------------------------------------------------------------------------------

ENTRY = """<entry>
<id>http://arxiv.org/abs/2601.01234v2</id><title>Sums of
  Everything</title><summary>  We add
 numbers. </summary><published>2026-01-05T10:00:00Z</published><updated>2026-01-09T10:00:00Z</updated>
<author><name>Ada One</name><arxiv:affiliation>Here</arxiv:affiliation></author><author><name>Bo Two</name></author>
<arxiv:comment>12 pages. Accepted at ICLR 2026. Code: https://github.com/a/b</arxiv:comment>
<arxiv:primary_category term="cs.LG" scheme="x"/><category term="cs.LG"/><category term="stat.ML"/>
<link href="http://arxiv.org/abs/2601.01234v2" rel="alternate" type="text/html"/>
<link title="pdf" href="http://arxiv.org/pdf/2601.01234v2" rel="related" type="application/pdf"/>
</entry>"""


def atom(*entries, namespace="http://arxiv.org/schemas/atom", prefix="arxiv", head=""):
    body = "".join(entries).replace("arxiv:", f"{prefix}:") if prefix != "arxiv" else "".join(entries)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
        f'xmlns:{prefix}="{namespace}">{head}{body}</feed>'
    )


@pytest.mark.parametrize(
    ("prefix", "namespace"), [("arxiv", "http://arxiv.org/schemas/atom"), ("ax", "https://arxiv.org/schemas/atom")]
)
def test_arxiv_atom(prefix, namespace):
    paper = only(atom(ENTRY, prefix=prefix, namespace=namespace))
    assert (paper.title, paper.abstract) == ("Sums of Everything", "We add numbers.")
    assert paper.ids == {"arxiv": "2601.01234", "arxiv_version": "2"}
    assert paper.authors == ("Ada One", "Bo Two")
    assert paper.topics == (("cs", "LG"), ("stat", "ML"))
    assert paper.links == {
        "page": "http://arxiv.org/abs/2601.01234v2",
        "pdf": "http://arxiv.org/pdf/2601.01234v2",
        "code": "https://github.com/a/b",
    }
    assert paper.dates == {"published": "2026-01-05", "updated": "2026-01-09"}
    assert (paper.status, paper.venue) == ("preprint", "")
    assert paper.extra["venue_claim"] == "ICLR 2026"


def test_old_identifiers_journals_and_withdrawals():
    old = ENTRY.replace("2601.01234v2", "math.GT/0309136v1").replace(
        "<arxiv:comment>", "<arxiv:journal_ref>Ann. Sums 3 (2004)</arxiv:journal_ref><arxiv:comment>"
    )
    paper = only(atom(old))
    assert paper.ids == {"arxiv": "math.GT/0309136", "arxiv_version": "1"}
    assert (paper.venue, paper.status) == ("Ann. Sums 3 (2004)", "published")
    gone = ENTRY.replace("12 pages", "This paper has been withdrawn")
    assert only(atom(gone)).status == "withdrawn"


def test_an_error_of_arxiv_is_an_error():
    error = ENTRY.replace(
        "http://arxiv.org/abs/2601.01234v2</id><title>Sums of\n  Everything", "ERROR</id><title>Error"
    )
    error = error.replace("ERROR", "http://arxiv.org/api/errors#incorrect_id").replace(
        "We add\n numbers.", "incorrect id"
    )
    with pytest.raises(ListingError, match="arXiv answered with an error: incorrect id"):
        read(atom(error))


def test_results_without_entries_are_told():
    head = '<o:totalResults xmlns:o="http://a9.com/-/spec/opensearch/1.1/">1</o:totalResults>'
    assert whats(read(atom(head=head))) == ["it says 1 results and holds none: ask again"]
    assert whats(read(atom())) == []


ITEM = """<item><title>Sums</title><link>https://arxiv.org/abs/2601.01234</link>
<description>arXiv:2601.01234v1 Announce Type: new
Abstract: We add $a$ &amp; b.</description><guid isPermaLink="false">oai:arXiv.org:2601.01234v1</guid>
<category>cs.LG</category><category>cs.AI</category><pubDate>Tue, 06 Jan 2026 00:00:00 -0500</pubDate>
<arxiv:announce_type>new</arxiv:announce_type><dc:creator>Ada One, Bo Two</dc:creator></item>"""


def rss(*items):
    return (
        '<?xml version="1.0"?><rss xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0"><channel><title>cs.LG</title>'
        "<pubDate>Wed, 07 Jan 2026 00:00:00 -0500</pubDate>" + "".join(items) + "</channel></rss>"
    )


def test_arxiv_rss():
    paper = only(rss(ITEM))
    assert (paper.title, paper.abstract) == ("Sums", "We add a & b.")
    assert paper.authors == ("Ada One", "Bo Two")
    assert paper.ids == {"arxiv": "2601.01234", "arxiv_version": "1"}
    assert paper.topics == (("cs", "LG"), ("cs", "AI"))
    assert paper.dates == {"listed": "2026-01-07", "published": "2026-01-06"}
    assert paper.extra == {"announce_type": "new"}


def test_rss_of_several_categories_and_of_old():
    again = ITEM.replace("cs.LG", "math.CO")
    paper = only(rss(ITEM, again))
    assert paper.topics == (("cs", "LG"), ("cs", "AI"), ("math", "CO"))
    old = (
        "<item><title>Sums. (arXiv:2601.01234v1 [cs.LG])</title><link>http://arxiv.org/abs/2601.01234</link>"
        "<description>&lt;p&gt;We add.&lt;/p&gt;</description>"
        '<dc:creator>&lt;a href="x"&gt;Ada One&lt;/a&gt;, &lt;a href="y"&gt;Bo Two&lt;/a&gt;</dc:creator></item>'
    )
    paper = only(rss(old))
    assert (paper.title, paper.abstract, paper.authors) == ("Sums", "We add.", ("Ada One", "Bo Two"))
    assert whats(read(rss())) == []


def test_entities_are_refused_and_a_cut_feed_is_read_to_the_cut():
    bomb = '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + atom(ENTRY)[38:]
    with pytest.raises(ListingError, match="document type or entities; refused"):
        read(bomb)
    listing = read(atom(ENTRY, ENTRY.replace("01234", "09999"), ENTRY.replace("01234", "07777"))[:-700])
    assert len(listing.papers) == 2
    assert "damaged XML from here on" in whats(listing)[0]


# --- BibTeX ------------------------------------------------------------------------------------------------------


def test_an_entry_of_tmlr():
    paper = only(
        "@article{one2025sums,\n title={Sums of {VLM}s and {\\'E}tudes},\n"
        ' author={Ada One and M{\\"u}ller, Zo{\\"e} and others},\n'
        " journal={Transactions on Machine Learning Research},\n issn={2835-8856},\n year={2025},\n"
        " url={https://openreview.net/forum?id=AbC12_-xyz},\n note={J2C Certification, Survey Certification}\n}\n"
    )
    assert paper.title == "Sums of VLMs and Études"
    assert (paper.authors, paper.authors_complete) == (("Ada One", "Zoë Müller"), False)
    assert (paper.venue, paper.status, paper.certifications) == ("TMLR", "certified", ("J2C", "Survey"))
    assert paper.ids == {"openreview": "AbC12_-xyz"}


@pytest.mark.parametrize(
    ("entry", "ids"),
    [
        ("@InProceedings{pmlr-v235-one24a, title={S}, author={A B}, series={PMLR}}", {"pmlr": "v235/one24a"}),
        ("@misc{x, title={S}, author={A B}, eprint={2601.01234}, archivePrefix={arXiv}}", {"arxiv": "2601.01234"}),
        ("@misc{x, title={S}, author={A B}, url={\\url{https://arxiv.org/abs/2601.01234v3}}}",
         {"arxiv": "2601.01234", "arxiv_version": "3"}),
        ('@inproceedings{x, title="S", author="A  and\n B C", url="https://aclanthology.org/2025.acl-long.1"}',
         {"acl": "2025.acl-long.1"}),
        ("@article{x, title={S}, author={A B}, doi={https://doi.org/10.1234/AbC}}", {"doi": "10.1234/abc"}),
    ],
)  # fmt: skip
def test_identifiers_of_entries(entry, ids):
    assert only(entry).ids == ids


def test_strings_months_comments_line_ends_and_charsets():
    text = (
        '@comment{no paper}\r\n@string{conf = "Proc. of Sums"}\r\n% a remark\r\n'
        "@inproceedings{a, title={Caf\xe9}, author={A B}, booktitle=conf, month=jun, year=2024}\r\n"
    )
    listing = read(text.encode("latin-1"))
    assert [(paper.title, paper.venue, paper.year) for paper in listing.papers] == [("Café", "Proc. of Sums", 2024)]
    assert whats(listing) == ["not UTF-8, read as Windows-1252"]


def test_a_broken_entry_does_not_take_the_others_with_it():
    listing = read(
        "@article{a, title={First}, author={A B}}\n\n"
        "@article{b,\n title={Broken {Brace},\n author={C D and E F},\n year={2020},\n abstract={Open {here}\n}\n\n"
        "@article{c, title={Third}, author={G H}}\n@article{c, title={Fourth}, author={I J}}\n"
        "@article{d, title={Fifth}, title={Again}, author={K L}}\n"
    )
    assert [paper.title for paper in listing.papers] == ["First", "Broken Brace", "Third", "Fourth", "Fifth"]
    assert listing.papers[1].authors == ("C D", "E F")
    assert [problem.entry for problem in listing.problems] == [2, 4, 5]
    assert [problem.line for problem in listing.problems] == [3, 11, 12]


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("Ada One and Bo Two", ["Ada One", "Bo Two"]),
        ("One, Ada and van der Two, Bo", ["Ada One", "Bo van der Two"]),
        ("Roe, Jr., Jane", ["Jane Roe, Jr."]),
        ("{The AND Team} and Ada One", ["{The AND Team}", "Ada One"]),
        ("{Sums and Differences Group}", ["{Sums and Differences Group}"]),
    ],
)
def test_names(told, names):
    assert bibtex_names(told) == (names, True)


@given(st.sampled_from(["Ada One", "Ada B. van der One", "Zoë Müller, Jr.", "Ada M. One"]))
def test_names_turn_round(name):
    family, given_name, suffix = family_given(name)
    assert given_family(", ".join(part for part in (family, suffix, given_name) if part)) == name


# --- RIS, CSL-JSON ------------------------------------------------------------------------------------------------

RIS = """TY  - CPAPER
TI  - Sums
AU  - One, Ada
AU  - Two, Bo
AB  - We add
numbers.
KW  - sums
KW  - adding
PY  - 2025/12/16/
T2  - ICLR 2025
DO  - 10.1234/abc
UR  - https://openreview.net/forum?id=AbC12_-xyz
ER  - 
"""  # noqa: W291


@pytest.mark.parametrize(
    "text",
    [RIS, "\ufeff" + RIS, RIS.replace("  - ", " - "), RIS.replace("ER  - \n", ""), RIS.replace("TI  -", "T1  -")],
)
def test_ris(text):
    paper = only(text)
    assert (paper.title, paper.abstract) == ("Sums", "We add numbers.")
    assert (paper.authors, paper.keywords) == (("Ada One", "Bo Two"), ("sums", "adding"))
    assert (paper.venue, paper.year, paper.dates) == ("ICLR 2025", 2025, {"published": "2025-12-16"})
    assert paper.ids == {"openreview": "AbC12_-xyz", "doi": "10.1234/abc"}


def test_a_reference_without_end_and_words_outside_are_told():
    listing = read("Exported today\n" + RIS.replace("ER  - \n", "") + RIS.replace("Sums", "More"))
    assert [paper.title for paper in listing.papers] == ["Sums", "More"]
    assert [(problem.line, problem.entry) for problem in listing.problems] == [(1, 0), (14, 1)]
    assert [paper.sources[0].first_line for paper in listing.papers] == [2, 14]


def test_csl_json():
    paper = only(
        '[{"id": "x", "type": "paper-conference", "title": "Sums", "container-title": "ICLR", "DOI": "10.1234/ABC",'
        ' "issued": {"date-parts": [["2026", 2, 21]]}, "author": [{"family": "One", "given": "Ada"},'
        ' {"family": "Berg", "given": "Bo", "non-dropping-particle": "van den"}, {"literal": "Sum Team"}]}]'
    )
    assert paper.authors == ("Ada One", "Bo van den Berg", "Sum Team")
    assert (paper.year, paper.dates, paper.ids) == (2026, {"published": "2026-02-21"}, {"doi": "10.1234/abc"})


# --- pages -------------------------------------------------------------------------------------------------------


def test_a_page_with_citation_tags():
    paper = only(
        '<!DOCTYPE html><html><head><meta name="citation_title" content="Sums &amp; More">'
        '<meta name="citation_author" content="One, Ada"><meta name="citation_author" content="Bo Two">'
        '<meta name="citation_publication_date" content="2026/02/21">'
        '<meta content="ICLR 2026" name="citation_conference_title">'
        '<meta name="citation_abstract" content="We add."><meta name="citation_doi" content="10.1234/abc">'
        '<meta name="citation_pdf_url" content="https://openreview.net/pdf?id=AbC12_-xyz"></head><body>x</body></html>'
    )
    assert (paper.title, paper.authors, paper.abstract) == ("Sums & More", ("Ada One", "Bo Two"), "We add.")
    assert (paper.venue, paper.year) == ("ICLR 2026", 2026)
    assert paper.ids == {"doi": "10.1234/abc", "openreview": "AbC12_-xyz"}


def test_a_page_with_json_ld():
    paper = only(
        '<html><script type="application/ld+json">{"@graph": [{"@type": "ScholarlyArticle", "headline": "Sums",'
        ' "author": [{"name": "Ada One"}], "abstract": "We add.", "datePublished": "2026-02-21",'
        ' "isPartOf": {"name": "Journal of Sums"}, "url": "https://doi.org/10.1234/abc"}]}</script></html>'
    )
    assert (paper.title, paper.venue, paper.ids) == ("Sums", "Journal of Sums", {"doi": "10.1234/abc"})


# --- damage ------------------------------------------------------------------------------------------------------

SEEDS = [
    atom(ENTRY, ENTRY.replace("01234", "04321")),
    rss(ITEM, ITEM.replace("01234", "04321")),
    "@article{a,\n title={First {A}},\n author={A B and C D},\n}\n@misc{b,\n title={Second},\n year=2020\n}\n",
    RIS + RIS.replace("Sums", "More"),
]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_files_lose_nothing_in_silence(text, data):
    """Cut out or put in a piece anywhere: two papers come back, or something is said."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 10)))
    changed = text[:start] + data.draw(st.text(alphabet='{}<>@"\\ \nTYER-=,&x', max_size=8)) + text[end:]
    try:
        listing = read(changed)
    except ListingError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
        return
    assert len(listing.papers) >= 2 or listing.problems
    for paper in listing.papers:
        assert Paper.from_dict(paper.to_dict()) == paper
