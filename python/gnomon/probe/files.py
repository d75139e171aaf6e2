"""Which files a probe reads, and what each of them is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from gnomon.errors import UsageError
from gnomon.sources import CollectionFiles, resolve_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILE_ROLES = (
    "old_docs", "new_docs", "old_queries", "new_queries",
    "docs", "queries", "qrels", "ids", "new_ids", "old_profile", "new_profile",
)  # fmt: skip

# The files of a probe may have different formats; each option goes to those that know it.
_COLUMNS, _ARRAYS = (".parquet", ".arrow", ".feather"), (".npz", ".h5", ".hdf5")
_TAKEN_BY = {
    "vector_column": _COLUMNS,
    "id_column": (*_COLUMNS, *_ARRAYS),
    "key": _ARRAYS,
    "dtype": (".npy", ".npz"),
}
_VECTORS = ("old_docs", "new_docs", "old_queries", "new_queries")
# What can be told for each file apart, and for which; OTHERS stands for the files not named.
NAMED_BY_ROLE = {
    "vector_column": _VECTORS,
    "id_column": (*_VECTORS, "ids", "new_ids"),
    "key": _VECTORS,
}
OTHERS = "*"
Named = str | Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFiles:
    """The files of one probe by role; None where there is none.

    Attributes
    ----------
    old_docs, new_docs, old_queries, new_queries
        Vector files.
    docs
        The corpus as JSON Lines: ids and text.
    queries
        The query log as JSON Lines, or one id a line.
    qrels
        Judgements, BEIR or TREC.
    ids
        Ids of the document vectors, where there is no ``docs``.
    new_ids
        Ids that ``new_docs`` covers, when it is not all of them.
    old_profile, new_profile
        Descriptions of the models (JSON).
    old_name, new_name
        Names of the models, for files without a description.
    vector_column, id_column, key
        Where vectors and ids stand inside Parquet, Arrow, ``.npz`` and HDF5 files: one name for
        all of them, or role -> name, with ``"*"`` for the roles not named.
    dtype
        ``bfloat16`` when ``.npy`` and ``.npz`` files hold it, which NumPy stores without a name.
    """

    old_docs: Path
    new_docs: Path
    old_queries: Path | None = None
    new_queries: Path | None = None
    docs: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None
    ids: Path | None = None
    new_ids: Path | None = None
    old_profile: Path | None = None
    new_profile: Path | None = None
    old_name: str
    new_name: str
    vector_column: Named | None = None
    id_column: Named | None = None
    key: Named | None = None
    dtype: str | None = None

    def __post_init__(self) -> None:
        """Refuse combinations that no file content could make whole."""
        if (self.old_queries is None) != (self.new_queries is None):
            given, lacking = ("--old-queries", "--new-queries")
            if self.old_queries is None:
                given, lacking = lacking, given
            raise UsageError(
                f"{given} is given but {lacking} is not; a query is measured in both spaces"
            )
        if self.qrels is not None and self.old_queries is None:
            raise UsageError(
                "--qrels is given without query vectors; add --old-queries and --new-queries"
            )
        if self.docs is not None and self.ids is not None:
            raise UsageError(
                "--docs and --ids both name the documents; give one of them (a --corpus folder "
                "brings its own --docs)"
            )
        for option, endings in _TAKEN_BY.items():
            self._check_option(option, endings)

    def _check_option(self, option: str, endings: tuple[str, ...]) -> None:
        """Refuse an option that none of the files, or not the file it names, has a use for."""
        value, flag = getattr(self, option), f"--{option.replace('_', '-')}"
        if value is None:
            return
        taking = {role for role, path in self.roles() if _ends(endings)(path)}
        if not taking:
            raise UsageError(
                f"{flag} is for files that end in {', '.join(endings)}; none of the files does"
            )
        named = value if isinstance(value, Mapping) else {}
        for role in named:
            if role != OTHERS and role not in taking:
                raise UsageError(
                    f"{flag} names --{role.replace('_', '-')}, which is not there or does not end "
                    f"in {', '.join(endings)}"
                )

    def roles(self) -> Iterator[tuple[str, Path]]:
        """Yield the files that are there, by role."""
        for role in FILE_ROLES:
            path = getattr(self, role)
            if path is not None:
                yield role, path

    def vector_options(self, role: str) -> dict[str, Any]:
        """Return the options that the format of a vector file takes, as its reader names them."""
        readers = {
            "vector_column": "column", "id_column": "id_column", "key": "key", "dtype": "dtype"
        }  # fmt: skip
        path = getattr(self, role)
        return {
            reader: self.told(option, role)
            for option, reader in readers.items()
            if _ends(_TAKEN_BY[option])(path)
        }

    def told(self, option: str, role: str) -> str | None:
        """Return what an option says of one file."""
        value: Named | None = getattr(self, option)
        if value is None or isinstance(value, str):
            return value
        return value.get(role, value.get(OTHERS))

    def options(self) -> dict[str, str | dict[str, str] | None]:
        """Return what is not a file, as it stands in the record."""
        paths = set(FILE_ROLES)
        values = {
            one.name: getattr(self, one.name) for one in fields(self) if one.name not in paths
        }
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }

    @classmethod
    def from_record(cls, paths: Mapping[str, Path], options: Mapping[str, Any]) -> ProbeFiles:
        """Rebuild the files of a record from resolved paths.

        Raises
        ------
        UsageError
            An option is none of :meth:`options`, or is no text.
        """
        known = {one.name for one in fields(cls)} - set(FILE_ROLES)
        for name, value in options.items():
            by_role = name in NAMED_BY_ROLE and _is_by_role(value, NAMED_BY_ROLE[name])
            if name not in known or not (by_role or isinstance(value, str | None)):
                raise UsageError(f"{name!r} is no option of a probe's files, or no text")
        fields_of: dict[str, Any] = {**paths, **options}
        return cls(**fields_of)


def collection_files(
    folder: Path, old: str, new: str, *, given: Mapping[str, Any] | None = None
) -> ProbeFiles:
    """Return the files of a BEIR folder with ``emb/NAME.corpus.npy``; ``given`` overrides.

    Parameters
    ----------
    folder
        The collection.
    old, new
        Names of the two models in its ``emb`` folder.
    given
        Files and options of single flags, each of which takes the place of the folder's.
    """
    collection = resolve_collection(folder)
    old_files, new_files = collection.model(old), collection.model(new)
    found: dict[str, Any] = {
        "docs": collection.corpus,
        "queries": collection.queries,
        "qrels": collection.qrels,
        "old_docs": old_files.documents,
        "new_docs": new_files.documents,
        "old_profile": _description(collection, old),
        "new_profile": _description(collection, new),
        "old_name": old,
        "new_name": new,
    }
    if old_files.queries is not None and new_files.queries is not None:
        found |= {"old_queries": old_files.queries, "new_queries": new_files.queries}
    found |= {name: it for name, it in (given or {}).items() if it is not None}
    if "old_queries" not in found and "new_queries" not in found and "qrels" not in (given or {}):
        # Judgements serve nothing without query vectors; what is left is tier T0.
        found |= {"queries": None, "qrels": None}
    return ProbeFiles(**found)


def _is_by_role(value: Any, roles: tuple[str, ...]) -> bool:
    return isinstance(value, Mapping) and all(
        (role in roles or role == OTHERS) and isinstance(name, str) for role, name in value.items()
    )


def _ends(endings: tuple[str, ...]) -> Callable[[Path], bool]:
    return lambda path: path.suffix.lower() in endings


def _description(collection: CollectionFiles, name: str) -> Path | None:
    path = collection.root / "emb" / f"{name}.json"
    return path if path.is_file() else None
