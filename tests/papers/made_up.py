"""Made-up listings in the form of the real ones, and papers to put into libraries."""

from __future__ import annotations

import random

from assay.papers.paper import Paper

_WORDS = """
gradient sparse kernel policy agent graph token layer sample noise bound prior loss margin cluster vector tensor
filter  signal proof metric search planner memory reward label domain image speech robot market protein climate
privacy budget  random convex linear causal latent robust neural fast exact online offline large small shared
hidden local global
"""
WORDS = _WORDS.split()


def prose(seed: int, words: int = 60) -> str:
    """An abstract of made-up sentences, another one for every seed."""
    draw = random.Random(seed)
    sentences = []
    while sum(len(sentence) for sentence in sentences) < words:
        sentence = [draw.choice(WORDS) for _ in range(draw.randint(8, 14))]
        sentences.append([sentence[0].capitalize(), *sentence[1:]])
    return " ".join(" ".join(sentence) + "." for sentence in sentences)


def entry(title: str, forum: str, authors: str | None = "Author One, Author Two", abstract: str | None = None) -> str:
    """One entry of a digest; without authors as new submissions are."""
    lines = [f"Title: {title}"]
    if authors is not None:
        lines.append(f"Authors: {authors}")
    lines += [f"Abstract: {prose(hash_of(title)) if abstract is None else abstract}"]
    return "\n".join([*lines, f"URL: https://openreview.net/forum?id={forum}", "---"])


def hash_of(text: str) -> int:
    """A number of a text, the same in every run."""
    return sum(ord(character) * 31**place for place, character in enumerate(text[:12])) % 100_003


DIGEST = "\n".join(
    [
        "Daily TMLR digest for Mar 03, 2026",
        "TMLR",
        "New certifications",
        "==================",
        "Featured Certification, Reproducibility Certification: Counting Clouds: A Made-Up Title",
        "Author One, Author Two",
        "https://openreview.net/forum?id=CertAbc123",
        "---",
        "Accepted papers",
        "===============",
        entry("Counting Clouds: A Made-Up Title", "CertAbc123"),
        entry("A Second Made-Up Paper About Rivers", "Accept0002", "Author Three, Jane Roe, Jr., Author Four"),
        "New submissions",
        "===============",
        entry("Blind Work on Imaginary Bridges", "Submit0001", None),
        entry("Another Blind Work on Paper Boats", "Submit0002", None),
        entry("A Third Blind Work on Glass Towers", "Sub-it_003", None),
        "",
    ]
)

PAGE = "\n\n".join(
    [
        "论文检索",
        "Deep Learning · Theory",
        "Author One, Author B. Two",
        "We introduce NIMBUS-2, a cloud counter for imaginary skies. " + prose(1),
        "Applications · Language, Speech and Dialog",
        "AUTHOR THREE, ning Four, Author J. Five 等",
        "We propose Cloud Ranking Policy (CRP), which ranks clouds. " + prose(2),
        "Author Six, Author Seven",
        "Clouds are hard. We study the ranking of clouds by weight and by colour, under rain. " + prose(3),
        "Computer Vision · Vision Models & Multimodal",
        "Author Eight",
        "Clouds move. " + prose(4) + " Code is at https://github.com/made-up/cloud_drift_maps.",
        "",
    ]
)


def paper(number: int = 1, **fields: object) -> Paper:
    """A made-up paper with its own title, authors and abstract, changed by `fields`."""
    given: dict[str, object] = {
        "title": f"Made-Up Title Number {number} About {WORDS[number % len(WORDS)].capitalize()}",
        "authors": (f"Given Family{number}", f"Other Person{number}"),
        "abstract": prose(number),
        "status": "accepted",
        "venue": "TMLR",
        "year": 2026,
    }
    return Paper(**(given | fields))  # type: ignore[arg-type]
