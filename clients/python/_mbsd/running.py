"""Runs documents in this process."""

from __future__ import annotations

import csv
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
        raise _failure(mbsd._shift(answer.error() or {}, before))
    result = Result(answer)
    if check and result.status != "succeeded":
        raise mbsd.JobFailed(result)
    return result


def batch(model: mbsd.Source, values: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]], *,
          analysis: Optional[Mapping[str, Any]] = None, gradient: bool = False, workers: Optional[int] = None,
          progress: Optional[mbsd.Callback] = None) -> mbsd.Batch:
    """Runs a model once for each value of its parameters.

    values maps names of parameters to values, one for each run; a single number is used in all runs. outputs are those
    of a study: {"name", "of", "take", ...}. gradient requests the derivatives of all outputs by all parameters in
    values. workers is the number of threads (None: one for each processor); the results do not depend on it. A run that
    fails has NaN outputs and a status. Errors, analysis and progress are as in run().
    """
    text, before = _request(model, analysis)
    document = json.loads(text)
    if "model" not in document:
        document, before = {"model": document}, "/model"
    study = mbsd._study(values, outputs, gradient)
    answer = library.run(mbsd._json_of({**document, "study": study}), progress, workers)
    if answer.status == "invalid":
        raise _failure(mbsd._shift(answer.error() or {}, before))
    return mbsd._batch_of(Result(answer), before)


def export_fmu(model: mbsd.Source, path: Union[str, "os.PathLike[str]"], *, fmi: str = "2.0",
               outputs: Optional[Sequence[str]] = None, analysis: Optional[Mapping[str, Any]] = None) -> None:
    """Writes a model as an FMU for co-simulation, of FMI 2.0 or 3.0.

    outputs are names of sensors and labels of columns; by default all sensors, and positions and velocities of bodies
    and joints. Raises InvalidModel with every mistake. analysis is as in run().
    """
    text, before = _request(model, analysis)
    answer = library.export_fmu(mbsd._export_of(text, fmi, outputs))
    if answer.status == "invalid":
        raise _failure(mbsd._shift(answer.error() or {}, before))
    with open(path, "wb") as file:
        file.write(answer.file())


def import_(path: Union[str, "os.PathLike[str]"], *, format: Optional[str] = None, main: Optional[str] = None,
            keyframe: Optional[str] = None, floating: bool = False,
            partial: bool = False) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    """Converts a file, a folder or an archive of another program (DAP, simEngine2D, Robotran, URDF, MJCF, SDF).

    Returns the document and the notes about parts that were changed or dropped. Raises InvalidModel with all parts that
    cannot be converted; with partial=True these are notes.
    """
    os.stat(path)  # raises an error if there is no such file
    answer = library.convert(os.fspath(path), {"format": format, "main_file": main, "keyframe": keyframe,
                                               "floating": floating, "partial": partial})
    if answer.status == "invalid":
        raise _failure(mbsd._located(answer.error() or {}, path))
    found = answer.json()
    return found["model"], found["notes"]
