"""Runs documents in this process."""

from __future__ import annotations

import csv
import importlib
import itertools
import json
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

import mbsd
from _mbsd import library


class Result(mbsd.Arrays):
    """The result of a run. Its arrays are read-only views of the library's memory, with the names of the service."""

    def __init__(self, answer: library.Answer) -> None:
        self.status = answer.status
        self.report: Optional[Dict[str, Any]] = answer.json()
        self.error = answer.error()
        self._arrays = {array.name: array for array in answer.arrays()}

    def __repr__(self) -> str:
        return f"<mbsd.Result {self.status}, {len(self._arrays)} arrays>"

    def __getitem__(self, name: str) -> mbsd.Array:
        if name not in self._arrays:
            raise KeyError(self._missing(name))
        return self._arrays[name].data

    @property
    def results(self) -> List[Dict[str, Any]]:
        return [{"name": array.name, "shape": list(array.data.shape), "labels": array.labels, "units": array.units,
                 "unit": array.unit, "description": array.description} for array in self._arrays.values()]

    @property
    def notes(self) -> List[str]:
        """Remarks about the run, in whole sentences."""
        notes: List[str] = (self.report or {}).get("notes", [])
        return notes

    def _columns(self, labels: Optional[Sequence[str]]) -> Dict[str, mbsd.Column]:
        timed = [array for array in self._arrays.values() if not array.timeless and array.name != "T"]
        found: Dict[str, mbsd.Column] = {}
        for array in timed:
            table = array.data.reshape(len(array.data), -1)
            if labels is None and array.name != "uT" and array.data.ndim > 1:
                continue
            for i, label in enumerate(array.labels):
                found.setdefault(label, mbsd.Column(table[:, i], array.units[i]))
        if labels is None:
            return found
        missing = [label for label in labels if label not in found]
        if missing:
            raise KeyError(mbsd._unknown("column", missing[0], found))
        return {label: found[label] for label in labels}

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all arrays to a .npz file, or coordinates, rates and sensors over time to a .csv file."""
        name = os.fspath(path)
        if name.endswith(".npz"):
            np.savez(name, **dict(zip(_file_names(self.names), (self[array] for array in self.names))))
        elif name.endswith(".csv"):
            columns = self._columns(None)
            with open(name, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["t", *columns])
                writer.writerows(np.column_stack([self["T"], *(column.data for column in columns.values())]).tolist())
        else:
            raise ValueError(f"{name!r} ends with neither .npz nor .csv")


def _file_names(names: Iterable[str]) -> List[str]:
    """Returns a different valid file name for each array: its name, if that is valid."""
    names = list(names)
    stems = [re.sub(r"[\x00-\x1f\x7f/\\:]|^\.|(?<=\.)\.", "_", name) for name in names]
    files = [name if name == stem else "" for name, stem in zip(names, stems)]
    for i, stem in enumerate(stems):
        numbered = itertools.chain([stem], (f"{stem}_{number}" for number in itertools.count(2)))
        files[i] = files[i] or next(file for file in numbered if file not in files)
    return files


def _failure(error: Dict[str, Any]) -> mbsd.InvalidModel:
    return mbsd.InvalidModel(None, {"title": "Invalid document", **error})


def _shift(error: Dict[str, Any], before: str) -> Dict[str, Any]:
    """Makes pointers begin in the user's document, which was put under `before`."""
    def shifted(item: Dict[str, Any]) -> Dict[str, Any]:
        pointer = str(item.get("pointer") or "")
        inside = pointer == before or pointer.startswith(before + "/")
        return {**item, "pointer": pointer[len(before):] if inside else pointer}

    return {**shifted(error), **({"errors": [shifted(e) for e in error["errors"]]} if "errors" in error else {})}


def _request(model: mbsd.Source, analysis: Optional[Mapping[str, Any]]) -> Tuple[bytes, str]:
    """Returns the text for the library, and the pointer under which it has the user's document."""
    text = mbsd._text_of(model)
    if analysis is None:
        return text, ""
    try:
        document = json.loads(text)
    except ValueError:
        return text, ""  # the library locates the mistake
    wrapped = isinstance(document, dict) and "model" in document
    inner = document["model"] if wrapped else document
    own = document.get("analysis") if wrapped else None
    if "type" not in analysis and isinstance(inner, dict):
        analysis = {**(own or inner.get("analysis") or {}), **analysis}
    if wrapped:
        return mbsd._json_of({**document, "analysis": analysis}), ""
    return mbsd._body_of(text, analysis), "/model"


def run(model: mbsd.Source, analysis: Optional[Mapping[str, Any]] = None, *,
        progress: Optional[mbsd.Callback] = None, check: bool = True) -> Result:
    """Runs a model in this process: its analysis, its study or its optimization.

    model is the path of a JSON document, its text, a dict or a Model. The members of analysis replace those of the
    document's analysis; if it has a "type", it replaces the whole analysis. Raises InvalidModel with every mistake, and
    JobFailed, whose `result` has the rows up to the failure (not with check=False). progress is called with a Progress
    about every 10 ms; what it raises ends the run, and so does Ctrl-C.
    """
    text, before = _request(model, analysis)
    answer = library.run(text, progress)
    if answer.status == "invalid":
        raise _failure(_shift(answer.error() or {}, before))
    result = Result(answer)
    if check and result.status != "succeeded":
        raise mbsd.JobFailed(result)
    return result


class Batch:
    """The runs of a model with different values of its parameters."""

    def __init__(self, result: Result, before: str) -> None:
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


def batch(model: mbsd.Source, values: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]], *,
          analysis: Optional[Mapping[str, Any]] = None, gradient: bool = False, workers: Optional[int] = None,
          progress: Optional[mbsd.Callback] = None) -> Batch:
    """Runs a model once for each value of its parameters.

    values maps names of parameters to values, one for each run; a single number is used in all runs. outputs are those
    of a study: {"name", "of", "take", ...}. gradient requests the derivatives of all outputs by all parameters in
    values. workers is the number of threads (None: one for each processor); the results do not depend on it. A run that
    fails has NaN outputs and a status. Errors, analysis and progress are as in run().
    """
    arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(value, dtype=float)) for value in values.values()))
    if any(array.ndim != 1 for array in arrays):
        raise ValueError("the values of a parameter must be a list of numbers, one for each run")
    study = {"vary": [{"parameter": name, "values": array} for name, array in zip(values, arrays)], "design": "list",
             "outputs": list(outputs), "gradient": gradient}
    text, before = _request(model, analysis)
    document = json.loads(text)
    if "model" not in document:
        document, before = {"model": document}, "/model"
    answer = library.run(mbsd._json_of({**document, "study": study}), progress, workers)
    if answer.status == "invalid":
        raise _failure(_shift(answer.error() or {}, before))
    result = Result(answer)
    if "outputs" not in result or result.status == "cancelled":
        raise mbsd.JobFailed(result)
    return Batch(result, before)


def import_(path: Union[str, "os.PathLike[str]"], *, format: Optional[str] = None, main: Optional[str] = None,
            keyframe: Optional[str] = None, floating: bool = False,
            partial: bool = False) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    """Converts a file, a folder or an archive of another program (DAP, simEngine2D, Robotran, URDF, MJCF, SDF).

    Returns the document and the notes about parts that were changed or dropped. Raises InvalidModel with all parts that
    cannot be converted; with partial=True these are notes.
    """
    os.stat(path)  # raises an error if there is no such file

    def located(item: Dict[str, Any]) -> Dict[str, Any]:
        file = item.get("file") or os.path.basename(path)
        return {**item, "pointer": item.get("pointer") or f"{file}:{item.get('line') or item.get('source', '')}"}

    answer = library.convert(os.fspath(path), {"format": format, "main_file": main, "keyframe": keyframe,
                                               "floating": floating, "partial": partial})
    if answer.status == "invalid":
        error = answer.error() or {}
        raise _failure({**error, "errors": [located(item) for item in error.get("errors", [])]})
    found = answer.json()
    return found["model"], found["notes"]
