"""Reading vectors, ids, corpora, queries and judgements; writing files whole or not at all.

Every file is untrusted: nothing is unpickled, no link out of a file is followed, sizes are checked
before they are believed, and names are escaped where they are shown. Ids are strings, exactly as
written; the row order of a vector file is the order of its ids.
"""

from gnomon.sources.atomic import atomic_write, write_text
from gnomon.sources.collection import CollectionFiles, ModelFiles, resolve_collection
from gnomon.sources.corpus import Corpus, Document, read_corpus
from gnomon.sources.escape import printable, quoted
from gnomon.sources.files import plain_relative, read_bounded
from gnomon.sources.fingerprint import FileFingerprint, fingerprint
from gnomon.sources.ids import read_ids, rows_of
from gnomon.sources.idvalues import check_unique
from gnomon.sources.judged import JudgedQueries, restrict
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.qrels import Qrels, read_qrels
from gnomon.sources.queries import Queries, read_queries
from gnomon.sources.vectors import VectorSource, read_vectors

__all__ = [
    "DEFAULT_LIMITS",
    "CollectionFiles",
    "Corpus",
    "Document",
    "FileFingerprint",
    "JudgedQueries",
    "Limits",
    "ModelFiles",
    "Qrels",
    "Queries",
    "VectorSource",
    "atomic_write",
    "check_unique",
    "fingerprint",
    "plain_relative",
    "printable",
    "quoted",
    "read_bounded",
    "read_corpus",
    "read_ids",
    "read_qrels",
    "read_queries",
    "read_vectors",
    "resolve_collection",
    "restrict",
    "rows_of",
    "write_text",
]
