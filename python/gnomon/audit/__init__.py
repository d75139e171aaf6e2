"""The audit trail: every decision, so that it can be reconstructed and replayed.

Tamper-evident, not tamper-proof. The only writer of the trail; imports no numerics.
"""

from gnomon.audit.blobs import blob_path, load_blob, store_blob
from gnomon.audit.canonical import canonical_bytes, fingerprint
from gnomon.audit.environment import collect_env
from gnomon.audit.paths import (
    file_entry,
    is_withheld,
    public_uri,
    resolve_recorded,
    shorten,
)
from gnomon.audit.record import SCHEMA, Record
from gnomon.audit.recorded import Rerun, located_files, part_of
from gnomon.audit.repair import Repair, export, repair
from gnomon.audit.replay import (
    Change,
    ReplayResult,
    compare_inputs,
    compare_outputs,
    not_replayable,
)
from gnomon.audit.state import trail_path
from gnomon.audit.verify import (
    EVIDENCE_NOTE,
    Problem,
    TrailProblemError,
    Verdict,
    read_record,
    read_records,
    verify,
)
from gnomon.audit.writer import Head, append, check_appendable

__all__ = [
    "EVIDENCE_NOTE",
    "SCHEMA",
    "Change",
    "Head",
    "Problem",
    "Record",
    "Repair",
    "ReplayResult",
    "Rerun",
    "TrailProblemError",
    "Verdict",
    "append",
    "blob_path",
    "canonical_bytes",
    "check_appendable",
    "collect_env",
    "compare_inputs",
    "compare_outputs",
    "export",
    "file_entry",
    "fingerprint",
    "is_withheld",
    "load_blob",
    "located_files",
    "not_replayable",
    "part_of",
    "public_uri",
    "read_record",
    "read_records",
    "repair",
    "resolve_recorded",
    "shorten",
    "store_blob",
    "trail_path",
    "verify",
]
