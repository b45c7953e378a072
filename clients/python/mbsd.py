"""Runs multibody models, in this process or on an mbsd service. The results are NumPy arrays.

    import mbsd
    result = mbsd.run("models/SC.json")
    job = mbsd.Client("http://127.0.0.1:8080").run("models/SC.json", progress=print)
    t, multipliers = job["T"], job["Lam"]

A model is the path of a JSON document, its text, a dict, or a Model. Errors are raised: InvalidModel with every
mistake at its place, JobFailed with the reason why a run stopped, ServiceError for others. If a service does not answer
or is busy, the client repeats the request a few times; a repeated submission has the same Idempotency-Key, so that it
stays one job.

The service's client is this file alone. Calls in this process need the library that is installed with the module.
"""

from __future__ import annotations

import csv
import difflib
import http.client
import importlib
import importlib.metadata
import io
import json
import os
import random
import re
import socket
import sys
import threading
import time
import urllib.parse
import uuid
import zipfile
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional,
                    Sequence, Tuple, Union)

import numpy as np
import numpy.typing as npt


def _version() -> str:
    """Returns the version of the installed package; a copy of this file alone has none."""
    try:
        return importlib.metadata.version("mbsd")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


__version__ = _version()
__all__ = ["Arrays", "Batch", "Client", "Error", "InvalidModel", "Job", "JobFailed", "Mistake", "Progress",
           "ServiceError"]

if TYPE_CHECKING:
    from _mbsd.model import Model
    from _mbsd.running import Result, batch, export_fmu, import_, run
    from _mbsd.stepping import Simulation, VectorSimulation

Source = Union[str, bytes, "os.PathLike[str]", Mapping[str, Any], "Model"]
Array = npt.NDArray[Any]
Numbers = npt.ArrayLike

ENDED = ("succeeded", "failed", "cancelled")
# Files that have all arrays of a job.
FILES = (".npz", ".mat", ".h5", ".csv.zip")
# Proxies end a request after 60 s, and the service waits no longer than 55 s.
LONGEST_WAIT = 55.0
# Wait of one request while the progress is shown [s].
PROGRESS_WAIT = 1.0
# The first pause before a request is repeated, and the longest that the client chooses [s].
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0


# ---- errors ---------------------------------------------------------------------------------------------------------


class Error(Exception):
    """All errors of this module."""


class ServiceError(Error):
    """The service refused a request, failed, or did not answer; `status` is None without an answer."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem: Dict[str, Any] = problem or {}
        self.detail = str(self.problem.get("detail", message))
        self.repeated = False  # an earlier try found no answer, and may have been carried out


class Mistake(NamedTuple):
    """An error in a document, at its JSON pointer."""

    pointer: str
    detail: str
    code: str

    def __str__(self) -> str:
        return f"{self.pointer or '(document)'}: {self.detail}"


class InvalidModel(ServiceError):
    """Invalid document: `errors` lists all errors; `line` and `column` locate a syntax error of JSON."""

    def __init__(self, status: Optional[int], problem: Dict[str, Any]) -> None:
        self.errors = [Mistake(str(e.get("pointer", "")), str(e.get("detail", "")), str(e.get("code", "")))
                       for e in problem.get("errors", [])]
        self.line: Optional[int] = problem.get("line")
        self.column: Optional[int] = problem.get("column")
        lines = [f"{problem.get('title', 'Invalid')}: {problem.get('detail', '')}".rstrip(": ")]
        if self.line is not None:
            lines[0] += f" (line {self.line}, column {self.column})"
        lines += [f"  {mistake}" for mistake in self.errors]
        if problem.get("dropped"):
            lines.append(f"  and {problem['dropped']} more")
        super().__init__("\n".join(lines), status, problem)


def _shift(error: Dict[str, Any], before: str) -> Dict[str, Any]:
    """Makes pointers begin in the user's document, which was put under `before`."""
    def shifted(item: Dict[str, Any]) -> Dict[str, Any]:
        pointer = str(item.get("pointer") or "")
        inside = pointer == before or pointer.startswith(before + "/")
        return {**item, "pointer": pointer[len(before):] if inside else pointer}

    return {**shifted(error), **({"errors": [shifted(e) for e in error["errors"]]} if "errors" in error else {})}


def _located(error: Dict[str, Any], path: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
    """Gives the errors of an import their file and line as pointers."""
    def located(item: Dict[str, Any]) -> Dict[str, Any]:
        file = item.get("file") or os.path.basename(path)
        return {**item, "pointer": item.get("pointer") or f"{file}:{item.get('line') or item.get('source', '')}"}

    return {**error, "errors": [located(item) for item in error.get("errors", [])]}


class JobFailed(Error):
    """A run did not succeed. `result`, also called `job`, has the rows up to its end; `code` is "cancelled" if it was
    cancelled."""

    def __init__(self, job: Union[Job, Result]) -> None:
        error: Dict[str, Any] = job.error or {}
        self.result = self.job = job
        self.code = str(error.get("code", job.status))
        self.detail = str(error.get("detail", f"the job was {job.status}"))
        self.t: Optional[float] = error.get("t")
        self.element: Optional[str] = error.get("element")
        self.pointer: Optional[str] = error.get("pointer")
        number = f" [job {job.id}]" if isinstance(job, Job) else ""
        super().__init__(f"{self.code}{_place_of(self.t, self.element)}: {self.detail}{number}")


class StepFailed(Error):
    """A step or a reading of a Simulation failed; the simulation is as before. `code` says why, with `t` and `element`
    if they are known."""

    def __init__(self, error: Dict[str, Any]) -> None:
        self.code = str(error.get("code", "failed"))
        self.detail = str(error.get("detail", ""))
        self.t: Optional[float] = error.get("t")
        self.element: Optional[str] = error.get("element")
        super().__init__(f"{self.code}{_place_of(self.t, self.element)}: {self.detail}")


def _place_of(t: Optional[float], element: Optional[str]) -> str:
    place = [f"at t = {t:g} s"] if t is not None else []
    place += [f"at '{element}'"] if element else []
    return f" ({', '.join(place)})" if place else ""


def _problem(body: bytes) -> Dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _refusal(status: int, body: bytes) -> ServiceError:
    """Returns the error for a response with status 300 or more."""
    problem = _problem(body)
    if "errors" in problem or str(problem.get("type", "")).endswith(":malformed-json"):
        return InvalidModel(status, problem)
    title = problem.get("title") or http.client.responses.get(status, "")
    detail = problem.get("detail") or body[:200].decode("utf-8", "replace")
    return ServiceError(f"{status} {title}: {detail}".rstrip(": "), status, problem)


# ---- requests -------------------------------------------------------------------------------------------------------


class _Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise ServiceError("The answer is no JSON; is there a service of mbsd at the address?",
                               self.status) from None


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _seconds(text: Optional[str]) -> float:
    """Returns Retry-After in seconds; this service never sends a date."""
    return float(text) if text and re.fullmatch(r"[0-9]{1,6}", text) else 0.0


class _Transport:
    """Sends requests over persistent connections, one at a time over each, and repeats those that may be repeated."""

    def __init__(self, url: str, token: Optional[str], timeout: float, retries: int, retry_seconds: float) -> None:
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self.url, self._token, self._timeout = url, token, timeout
        self._retries, self._retry_seconds = retries, retry_seconds
        self._unix = url[len("unix:"):] if url.startswith("unix:") else ""
        parts = urllib.parse.urlsplit(url)
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname or "", parts.port
        self._base = "" if self._unix else parts.path.rstrip("/")
        if not self._unix and (parts.scheme not in ("http", "https") or not self._host):
            raise ValueError(f"'{url}' is no address: give http://HOST:PORT, https://HOST or unix:PATH")

    def close(self) -> None:
        """Closes idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        for connection in self._idle:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        """Returns an idle connection, or a new one that is not open yet (its `sock` is None)."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if self._unix:
            return _UnixConnection(self._unix, self._timeout)
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _once(self, connection: http.client.HTTPConnection, method: str, target: str, body: Optional[bytes],
              headers: Mapping[str, str], wait: float) -> _Answer:
        sent = {"User-Agent": f"mbsd-python/{__version__}", **headers}
        if self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection.timeout = self._timeout + wait
        if connection.sock:
            connection.sock.settimeout(connection.timeout)
        try:
            connection.request(method, self._base + target, body, sent)
            response = connection.getresponse()
            answer = _Answer(response.status, response.headers, response.read())
        except BaseException:  # an interrupt leaves an answer on its way, too
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
        return answer

    def send(self, method: str, target: str, body: Optional[bytes] = None, headers: Optional[Mapping[str, str]] = None,
             wait: float = 0.0) -> _Answer:
        """An answer below 300. `wait` is how long the service may take besides. Every request of this module may be
        repeated: submissions carry a key, the others do the same however often they come."""
        end, attempt, repeated = time.monotonic() + self._retry_seconds, 0, False
        while True:
            connection, least = self._connection(), 0.0
            reused = connection.sock is not None
            try:
                answer = self._once(connection, method, target, body, headers or {}, wait)
                if answer.status < 300:
                    return answer
                failure = _refusal(answer.status, answer.body)
                failure.repeated = repeated
                if answer.status not in (429, 503):
                    raise failure
                least = _seconds(answer.headers.get("Retry-After"))
            except (OSError, http.client.HTTPException) as error:
                failure = ServiceError(f"No answer from {self.url}: {error or type(error).__name__}; "
                                       "is mbsd running there?")
                failure.__cause__ = error
                repeated = True
                if reused:
                    continue  # it may have been closed for being idle; there are only so many
            pause = max(least, min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)) * random.uniform(1.0, 1.5)
            attempt += 1
            if attempt > self._retries or time.monotonic() + pause > end:
                raise failure
            time.sleep(pause)


# ---- results --------------------------------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of results over time."""

    data: Array
    unit: str


def _unknown(kind: str, name: str, names: Iterable[str]) -> str:
    """Returns a message about an unknown name, with the names that are most similar."""
    near = difflib.get_close_matches(name, list(names), 3)
    return f"no {kind} '{name}'" + (f"; did you mean {', '.join(repr(n) for n in near)}?" if near else "")


class Arrays:
    """The arrays of a result: a mapping from names to NumPy arrays. result.T is result["T"]."""

    @property
    def results(self) -> List[Dict[str, Any]]:
        """The arrays: name, shape, labels, units, description."""
        raise NotImplementedError

    def _columns(self, labels: Optional[Sequence[str]]) -> Dict[str, Column]:
        """Returns the columns with these labels, of any arrays; without labels coordinates, rates and sensors."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Array:
        raise NotImplementedError

    def _missing(self, name: str) -> str:
        return _unknown("array", name, self.names)

    def __getattr__(self, name: str) -> Array:
        if not name.startswith("_") and name in self.names:
            return self[name]
        raise AttributeError(f"'{type(self).__name__}' has no attribute and no array '{name}'")

    @property
    def names(self) -> List[str]:
        return [array["name"] for array in self.results]

    @property
    def labels(self) -> Dict[str, List[str]]:
        """The labels of the columns of each array; those of the dimensions after the first are laid out row by row."""
        return {array["name"]: array["labels"] for array in self.results}

    @property
    def units(self) -> Dict[str, List[str]]:
        """The units of the columns of each array, as labels."""
        return {array["name"]: array.get("units", []) for array in self.results}

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.results)

    def column(self, label: str) -> Array:
        """Returns one column over time, of any array, for instance "pin.q" or the name of a sensor."""
        return self._columns([label])[label].data

    def to_dataframe(self, columns: Optional[Sequence[str]] = None) -> Any:
        """Returns a pandas DataFrame over the time `t`: the named columns of any arrays, or else coordinates, rates and
        sensors, the columns of results.csv."""
        pandas = importlib.import_module("pandas")
        found = self._columns(columns)
        return pandas.DataFrame({label: column.data for label, column in found.items()},
                                index=pandas.Index(self["T"], name="t"))

    def plot(self, *columns: str, ax: Any = None) -> Any:
        """Draws columns over time with matplotlib, those of to_dataframe() if none is named. Returns the axes."""
        found = self._columns(columns or None)
        if ax is None:
            ax = importlib.import_module("matplotlib.pyplot").subplots()[1]
        for label, column in found.items():
            ax.plot(self["T"], column.data, label=f"{label} [{column.unit}]" if column.unit else label)
        ax.set_xlabel("t [s]")
        ax.legend()
        return ax


class Batch:
    """The runs of a model with different values of its parameters."""

    def __init__(self, result: Union[Job, Result], before: str) -> None:
        self.result = result
        study = (result.report or {})["study"]
        self.parameters = result["parameters"]
        """[runs x p] values of the parameters, in the order of `parameter_names`"""
        self.outputs = result["outputs"]
        """[runs x m] outputs, in the order of `output_names`; NaN if the run failed"""
        self.gradient = result["gradient"] if "gradient" in result else None
        """[runs x m x p] derivatives of the outputs by the parameters; None if they are not requested"""
        self.status = result["status"]
        """[runs] 0: the run succeeded; i > 0: it failed as failures[i - 1] describes; -1: it was not made"""
        self.failures = [_shift(failure, before) for failure in study["failures"]]
        """code, detail and number of runs of each kind of failure"""
        self.parameter_names = result.labels["parameters"]
        self.output_names = result.labels["outputs"]

    def __repr__(self) -> str:
        return f"<mbsd.Batch of {len(self.status)} runs, {int(np.count_nonzero(self.status))} failed>"

    def to_dataframe(self) -> Any:
        """Returns a pandas DataFrame with a row for each run: parameters and outputs."""
        pandas = importlib.import_module("pandas")
        return pandas.DataFrame(np.hstack([self.parameters, self.outputs]),
                                columns=[*self.parameter_names, *self.output_names])


def _study(values: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]], gradient: bool) -> Dict[str, Any]:
    """Returns the study of a batch."""
    arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(value, dtype=float)) for value in values.values()))
    if any(array.ndim != 1 for array in arrays):
        raise ValueError("the values of a parameter must be a list of numbers, one for each run")
    return {"vary": [{"parameter": name, "values": array} for name, array in zip(values, arrays)], "design": "list",
            "outputs": list(outputs), "gradient": gradient}


def _batch_of(result: Union[Job, Result], before: str) -> Batch:
    """Returns the batch of a result whose document has the user's model under the pointer `before`."""
    if result.status == "cancelled" or "outputs" not in result:
        raise JobFailed(result)
    return Batch(result, before)


# ---- jobs -----------------------------------------------------------------------------------------------------------


class Progress(NamedTuple):
    """The progress of a job; prints as one line."""

    status: str
    t: Optional[float]
    fraction: Optional[float]
    evaluations: int

    def __str__(self) -> str:
        share = f" {100 * self.fraction:.0f} %" if self.fraction is not None else ""
        reached = f", t = {self.t:g} s" if self.t is not None else ""
        return f"{self.status}{share}{reached}"


Callback = Callable[[Progress], object]


class Job(Arrays):
    """A job of the service, as it was when it was last read; refresh() and wait() read it again."""

    def __init__(self, client: Client, document: Dict[str, Any]) -> None:
        self._client = client
        self._document = document
        self._results: Optional[List[Dict[str, Any]]] = None

    def __repr__(self) -> str:
        return f"<mbsd.Job {self.id} {self.status} {self.model_name!r}>"

    @property
    def document(self) -> Dict[str, Any]:
        """The whole job document of the service."""
        return self._document

    @property
    def id(self) -> str:
        return str(self._document["id"])

    @property
    def status(self) -> str:
        """queued, running, succeeded, failed or cancelled."""
        return str(self._document["status"])

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def model_name(self) -> Optional[str]:
        return self._document.get("model_name")

    @property
    def analysis(self) -> Optional[Dict[str, Any]]:
        return self._document.get("analysis")

    @property
    def error(self) -> Optional[Dict[str, Any]]:
        """The error of a failed job: code, detail, t, element."""
        return self._document.get("error")

    @property
    def report(self) -> Optional[Dict[str, Any]]:
        """The report of the run; None before it has finished."""
        if "report" not in self._document:  # lists leave it out
            self.refresh()
        return self._document.get("report")

    @property
    def progress(self) -> Progress:
        made = self._document.get("progress") or {}
        return Progress(self.status, made.get("t"), made.get("fraction"), int(made.get("evaluations") or 0))

    def _path(self, rest: str = "") -> str:
        return f"/api/v1/jobs/{urllib.parse.quote(self.id, safe='')}{rest}"

    def _fetch(self, wait: float = 0.0) -> None:
        headers = {"Prefer": f"wait={wait:g}"} if wait > 0 else {}
        self._document = self._client._send("GET", self._path(), headers=headers, wait=wait).json()

    def refresh(self) -> Job:
        """Reads the current state of the job from the service."""
        self._fetch()
        return self

    def wait(self, timeout: Optional[float] = None, progress: Optional[Callback] = None, check: bool = True) -> Job:
        """Waits until the job has ended, and raises JobFailed where it did not succeed (not with check=False).

        progress is called with a Progress whenever it has changed; print does. A TimeoutError comes after `timeout`
        seconds; the job goes on and can be waited for again.
        """
        end = time.monotonic() + timeout if timeout is not None else None
        told: Optional[Progress] = None
        pause = FIRST_PAUSE
        while True:
            if progress and self.progress != told:
                told = self.progress
                progress(told)
            if self.ended:
                break
            left = end - time.monotonic() if end is not None else LONGEST_WAIT
            if left <= 0:
                raise TimeoutError(f"job {self.id} is {self.progress} after {timeout:g} s; wait() for it again, or "
                                   "cancel() it")
            asked = min(left, PROGRESS_WAIT if progress else LONGEST_WAIT)
            begun = time.monotonic()
            self._fetch(asked)
            # A service may be configured to wait for less than requested, or not at all.
            if not self.ended and time.monotonic() - begun < asked / 2:
                time.sleep(min(pause, left))
                pause = min(2 * pause, 2.0)
        if check and self.status != "succeeded":
            raise JobFailed(self)
        return self

    def cancel(self) -> Job:
        """Cancels the job; a running job ends a moment later."""
        self._document = self._client._send("POST", self._path("/cancel")).json()
        return self

    def delete(self) -> None:
        """Removes the job with its results."""
        self._client._delete(self._path())

    def model(self) -> Any:
        """Returns the document as it was sent."""
        return self._client._send("GET", self._path("/model")).json()

    # Results.

    @property
    def results(self) -> List[Dict[str, Any]]:
        """The arrays of the job: name, shape, labels, units, description."""
        if self._results is not None:
            return self._results
        found: List[Dict[str, Any]] = self._client._send("GET", self._path("/results")).json()["arrays"]
        if self.ended:
            self._results = found
        return found

    def __getitem__(self, name: str) -> Array:
        return self.array(name)

    def _columns(self, labels: Optional[Sequence[str]]) -> Dict[str, Column]:
        query = f"?{urllib.parse.urlencode({'columns': ','.join(labels)})}" if labels is not None else ""
        try:
            text = self._client._send("GET", self._path(f"/results.csv{query}")).body.decode()
        except ServiceError as error:
            if error.status == 400:
                raise KeyError(error.detail) from None
            raise
        head, *rows = csv.reader(io.StringIO(text))
        table = np.array([[float(cell) for cell in row] for row in rows]).reshape(len(rows), len(head))
        units = {label: unit for array in reversed(self.results)
                 for label, unit in zip(array["labels"], array.get("units", []))}
        return {label: Column(table[:, i], units.get(label, "")) for i, label in enumerate(head) if i > 0}

    def array(self, name: str, columns: Union[None, str, Sequence[str]] = None, from_: Optional[float] = None,
              to: Optional[float] = None, stride: Optional[int] = None) -> Array:
        """Returns an array, or a slice of it: columns by label, rows between two times, every stride-th row."""
        query: Dict[str, str] = {"format": "npy"}
        if columns is not None:
            query["columns"] = columns if isinstance(columns, str) else ",".join(columns)
        for key, value in (("from", from_), ("to", to)):
            if value is not None:
                query[key] = repr(float(value))
        if stride is not None:
            query["stride"] = str(stride)
        path = self._path(f"/results/{urllib.parse.quote(name, safe='')}?{urllib.parse.urlencode(query)}")
        try:
            body = self._client._send("GET", path, headers={"Accept": "application/x-npy"}).body
        except ServiceError as error:
            if error.status == 404 and name not in self.names:
                raise KeyError(error.detail) from None
            raise
        return np.asarray(np.load(io.BytesIO(body), allow_pickle=False))

    def arrays(self) -> Dict[str, Array]:
        """Returns all arrays by name, with one request."""
        names = self.names
        body = self._client._send("GET", self._path("/results.npz")).body
        with np.load(io.BytesIO(body), allow_pickle=False) as archive:
            # Names that are not valid file names are changed in the archive; the order is that of the list.
            if len(archive.files) != len(names):
                raise ServiceError(f"results.npz of job {self.id} has {len(archive.files)} arrays, not {len(names)}")
            return {name: archive[file] for name, file in zip(names, archive.files)}

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all arrays to a file in the format of its extension: .npz, .mat, .h5 or .csv.zip."""
        name = os.fspath(path)
        kind = next((kind for kind in FILES if name.endswith(kind)), None)
        if kind is None:
            raise ValueError(f"{name!r} ends with none of {', '.join(FILES)}")
        body = self._client._send("GET", self._path(f"/results{kind}")).body
        with open(name, "wb") as file:
            file.write(body)


# ---- the client -----------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Converts NumPy numbers for JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a model has no {type(value).__name__}: {value!r}")


def _json_of(value: Any) -> bytes:
    return json.dumps(value, default=_plain, allow_nan=False).encode()


def _text_of(model: Source) -> bytes:
    """Returns the bytes of a model; files and texts stay unchanged, so that positions in errors are correct."""
    if isinstance(model, bytes):
        return model
    if isinstance(model, str) and model.lstrip().startswith("{"):
        return model.encode()
    if isinstance(model, (str, os.PathLike)):
        with open(model, "rb") as file:
            return file.read()
    return _json_of(model if isinstance(model, Mapping) else model.document)


def _body_of(model: Source, analysis: Optional[Mapping[str, Any]]) -> bytes:
    text = _text_of(model)
    if analysis is None:
        return text
    return b'{"model": ' + text + b', "analysis": ' + _json_of(analysis) + b"}"


def _export_of(text: bytes, fmi: str, outputs: Optional[Sequence[str]]) -> bytes:
    """Returns the request for an FMU of a document. A text that is not JSON is returned for its error."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    return _json_of({**document, "fmi": fmi, **({} if outputs is None else {"outputs": list(outputs)})})


def _bytes_of(path: Union[str, "os.PathLike[str]"]) -> bytes:
    """Returns a file, or a zip archive of a folder."""
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return file.read()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, _, names in os.walk(path):
            for name in names:
                file_path = os.path.join(folder, name)
                archive.write(file_path, os.path.relpath(file_path, path))
    return packed.getvalue()


class Client:
    """A service at an address: http://HOST:PORT, https://HOST/PATH or unix:PATH. Threads may share it.

    timeout is how long one answer may take (waiting for a job not counted); a request is repeated at most `retries`
    times and for `retry_seconds`.
    """

    def __init__(self, url: str = "http://127.0.0.1:8080", token: Optional[str] = None, *, timeout: float = 60.0,
                 retries: int = 5, retry_seconds: float = 60.0) -> None:
        self._transport = _Transport(url, token, timeout, retries, retry_seconds)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def _send(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Mapping[str, str]] = None,
              wait: float = 0.0) -> _Answer:
        return self._transport.send(method, path, body, headers, wait)

    def _delete(self, path: str) -> None:
        try:
            self._send("DELETE", path)
        except ServiceError as error:
            # An earlier try, whose response was lost, may have removed it.
            if error.status != 404 or not error.repeated:
                raise

    def submit(self, model: Source, analysis: Optional[Mapping[str, Any]] = None, *, key: Optional[str] = None,
               wait: float = 0.0) -> Job:
        """Queues a model, with another analysis than its own if one is given. `key` is the Idempotency-Key: the same
        one again is the same job. The answer waits `wait` seconds for the job's end."""
        wait = min(wait, LONGEST_WAIT)
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        if wait > 0:
            headers["Prefer"] = f"wait={wait:g}"
        return Job(self, self._send("POST", "/api/v1/jobs", _body_of(model, analysis), headers, wait).json())

    def run(self, model: Source, analysis: Optional[Mapping[str, Any]] = None, wait: bool = True,
            progress: Optional[Callback] = None, timeout: Optional[float] = None, check: bool = True) -> Job:
        """Submits a model and waits until it has finished, as Job.wait() does."""
        if not wait:
            return self.submit(model, analysis)
        end = time.monotonic() + timeout if timeout is not None else None
        first = PROGRESS_WAIT if progress else LONGEST_WAIT
        job = self.submit(model, analysis, wait=first if timeout is None else min(first, timeout))
        return job.wait(None if end is None else max(0.0, end - time.monotonic()), progress, check)

    def job(self, id: str) -> Job:
        """A job by its id."""
        return Job(self, {"id": id, "status": ""}).refresh()

    def jobs(self, status: Optional[str] = None, limit: Optional[int] = None, **filters: str) -> Iterator[Job]:
        """Jobs, newest first, at most `limit`; further filters are query parameters of GET /api/v1/jobs."""
        query = {"limit": str(min(limit or 500, 500)), **filters, **({"status": status} if status else {})}
        count = 0
        while limit is None or count < limit:
            page = self._send("GET", f"/api/v1/jobs?{urllib.parse.urlencode(query)}").json()
            for document in page["jobs"]:
                if limit is not None and count == limit:
                    return
                count += 1
                yield Job(self, document)
            if not page["next"]:
                return
            query["cursor"] = page["next"]

    def validate(self, model: Source, analysis: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """What the service understands of a model, without running it; InvalidModel where it has mistakes."""
        answer: Dict[str, Any] = self._send("POST", "/api/v1/validate", _body_of(model, analysis)).json()
        return answer

    def batch(self, model: Source, values: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]], *,
              analysis: Optional[Mapping[str, Any]] = None, gradient: bool = False,
              progress: Optional[Callback] = None, timeout: Optional[float] = None) -> Batch:
        """Runs a model once for each value of its parameters, as mbsd.batch() does, as one job."""
        document = json.loads(_text_of(model))
        wrapped = "model" in document
        body: Dict[str, Any] = document if wrapped else {"model": document}
        body["study"] = _study(values, outputs, gradient)
        if analysis is not None:
            body["analysis"] = analysis
        return _batch_of(self.run(body, progress=progress, timeout=timeout, check=False), "" if wrapped else "/model")

    def import_(self, path: Union[str, "os.PathLike[str]"], *, format: Optional[str] = None, main: Optional[str] = None,
                keyframe: Optional[str] = None, floating: bool = False,
                partial: bool = False) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
        """Converts a model of another program, as mbsd.import_() does: a file, a folder or an archive."""
        asked = {"format": format, "main": main, "keyframe": keyframe, "floating": "true" if floating else None,
                 "partial": "true" if partial else None}
        query = urllib.parse.urlencode({key: value for key, value in asked.items() if value is not None})
        headers = {"Content-Type": "application/octet-stream"}
        try:
            found = self._send("POST", f"/api/v1/import?{query}", _bytes_of(path), headers).json()
        except InvalidModel as invalid:
            raise InvalidModel(invalid.status, _located(invalid.problem, path)) from None
        return found["model"], found["notes"]

    def export_fmu(self, model: Source, path: Union[str, "os.PathLike[str]"], *, fmi: str = "2.0",
                   outputs: Optional[Sequence[str]] = None, analysis: Optional[Mapping[str, Any]] = None) -> None:
        """Writes a model as an FMU, as mbsd.export_fmu() does."""
        body = _export_of(_body_of(model, analysis), fmi, outputs)
        data = self._send("POST", "/api/v1/export/fmu", body).body
        with open(path, "wb") as file:
            file.write(data)

    def examples(self) -> List[Dict[str, Any]]:
        """The models that come with the service: name, title, description, space, analysis."""
        found: List[Dict[str, Any]] = self._send("GET", "/api/v1/examples").json()["examples"]
        return found

    def example(self, name: str) -> Dict[str, Any]:
        """The document of an example."""
        found: Dict[str, Any] = self._send("GET", f"/api/v1/examples/{urllib.parse.quote(name, safe='')}").json()
        return found


# ---- in this process ------------------------------------------------------------------------------------------------

# The module of each name that needs the library, which is loaded when the name is used.
_IN_PROCESS = {"Model": "model", "Simulation": "stepping", "VectorSimulation": "stepping",
               **{name: "running" for name in ("Result", "batch", "export_fmu", "import_", "run")}}


def __getattr__(name: str) -> Any:
    if name == "gym":
        return importlib.import_module("_mbsd.gym")
    if name not in _IN_PROCESS:
        raise AttributeError(f"module 'mbsd' has no attribute '{name}'")
    try:
        module = importlib.import_module(f"_mbsd.{_IN_PROCESS[name]}")
    except ImportError as reason:
        raise ImportError("mbsd was installed without its library, or the library cannot be loaded; only mbsd.Client "
                          "works. Build it with ./run --build-only, install python3-dev, then install clients/python "
                          "again") from reason
    return getattr(module, name)


def __dir__() -> List[str]:
    return sorted({*globals(), *_IN_PROCESS, "gym"})


def _main(arguments: Sequence[str]) -> int:
    import argparse

    parser = argparse.ArgumentParser(prog="python3 -m mbsd", description="Runs a model and keeps its arrays.")
    parser.add_argument("call", choices=["run"])
    parser.add_argument("model", help="a model document")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="the service (default: %(default)s)")
    parser.add_argument("--out", help="the .npz file (default: the model's name)")
    given = parser.parse_args(arguments)
    out = given.out or os.path.splitext(os.path.basename(given.model))[0] + ".npz"
    try:
        with Client(given.url, os.environ.get("MBSD_TOKEN")) as client:
            job = client.run(given.model, progress=lambda made: print(made, file=sys.stderr), check=False)
            np.savez(out, **{name.replace("/", "_"): array for name, array in job.arrays().items()})
            for note in (job.report or {}).get("notes", []):
                print(f"note: {note}")
            print(f"{job.status}, arrays in {out}")
            job.wait()
    except (Error, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
