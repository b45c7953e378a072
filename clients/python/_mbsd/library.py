"""Calls libmbs and takes its answers over as Python objects."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

import mbsd
from _mbsd._library import ffi, lib  # type: ignore[import]


class Array(NamedTuple):
    """An array of results, with what describes it."""

    name: str
    data: mbsd.Array
    labels: List[str]
    units: List[str]
    unit: str
    description: str
    timeless: bool


class Answer:
    """An answer of the library, which lives as long as one of its arrays."""

    def __init__(self, answer: Any) -> None:
        if answer == ffi.NULL:
            raise MemoryError("out of memory for the results")
        self._answer = ffi.gc(answer, lib.mbsd_answer_free)

    @property
    def status(self) -> str:
        names = {lib.MBSD_SUCCEEDED: "succeeded", lib.MBSD_FAILED: "failed", lib.MBSD_CANCELLED: "cancelled",
                 lib.MBSD_INVALID: "invalid"}
        return names[lib.mbsd_answer_status(self._answer)]

    def json(self) -> Any:
        return json.loads(ffi.string(lib.mbsd_answer_json(self._answer)))

    def error(self) -> Optional[Dict[str, Any]]:
        found: Optional[Dict[str, Any]] = json.loads(ffi.string(lib.mbsd_answer_error(self._answer)))
        return found

    def file(self) -> bytes:
        """Returns the bytes of an exported file."""
        count = ffi.new("size_t *")
        found = lib.mbsd_answer_bytes(self._answer, count)
        return bytes(ffi.buffer(found, count[0]))

    def arrays(self) -> List[Array]:
        count = ffi.new("size_t *")
        found = lib.mbsd_answer_arrays(self._answer, count)
        return [self._array(found[i]) for i in range(count[0])]

    def _array(self, array: Any) -> Array:
        shape = tuple(array.shape[i] for i in range(array.rank))
        columns = math.prod(shape[1:])
        # The array's memory keeps the answer alive.
        data = ffi.gc(array.data, lambda _, owner=self._answer: None)
        view = np.frombuffer(ffi.buffer(data, 8 * shape[0] * columns), np.float64).reshape(shape)
        view.flags.writeable = False
        return Array(_text(array.name), view, [_text(array.labels[i]) for i in range(columns)],
                     [_text(array.units[i]) for i in range(columns)], _text(array.unit), _text(array.doc),
                     bool(array.timeless))


def _text(characters: Any) -> str:
    text: str = ffi.string(characters).decode()
    return text


class _Call:
    """A running call: its progress, and what its callback raised."""

    def __init__(self, progress: Optional[mbsd.Callback]) -> None:
        self.progress = progress
        self.raised: Optional[BaseException] = None


def _interrupted(kind: Any, error: BaseException, trace: Any) -> None:
    """Keeps an exception of the callback, for instance that of Ctrl-C; the callback has then returned False."""
    ffi.from_handle(trace.tb_frame.f_locals["user"]).raised = error


@ffi.def_extern(name="mbsd_go_on", error=False, onerror=_interrupted)  # type: ignore[misc]
def _go_on(user: Any, t: float, fraction: float) -> bool:
    call: _Call = ffi.from_handle(user)
    if call.progress:
        call.progress(mbsd.Progress("running", t, fraction, 0))
    return True


def run(text: bytes, progress: Optional[mbsd.Callback], workers: Optional[int] = None) -> Answer:
    """Runs a document; `workers` threads make the runs of a study. What `progress` raises ends the run, as Ctrl-C
    does."""
    call = _Call(progress)
    handle = ffi.new_handle(call)
    control = ffi.new("mbsd_control *", {"progress": lib.mbsd_go_on, "user": handle, "threads": workers or 0})
    answer = Answer(lib.mbsd_run(text, len(text), control))
    if call.raised:
        raise call.raised
    return answer


def check(text: bytes) -> Answer:
    """Checks a document without running it."""
    return Answer(lib.mbsd_check(text, len(text)))


def convert(path: str, options: Dict[str, Any]) -> Answer:
    """Converts a file of another program."""
    texts = {key: ffi.new("char[]", value.encode()) for key, value in options.items() if isinstance(value, str)}
    flags = {key: value for key, value in options.items() if isinstance(value, bool)}
    return Answer(lib.mbsd_import(path.encode(), ffi.new("mbsd_import_options *", {**texts, **flags})))


def export_fmu(text: bytes) -> Answer:
    """Makes an FMU."""
    return Answer(lib.mbsd_export_fmu(text, len(text)))


def schema() -> Dict[str, Any]:
    """Returns the schema of documents."""
    found: Dict[str, Any] = Answer(lib.mbsd_schema()).json()
    return found
