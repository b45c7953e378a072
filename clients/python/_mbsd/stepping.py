"""Motions that a program advances step by step, with inputs."""

from __future__ import annotations

import concurrent.futures
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

import mbsd
from _mbsd import library
from _mbsd._library import ffi, lib  # type: ignore[import]


def _document_of(model: mbsd.Source, inputs: Sequence[str]) -> bytes:
    """Returns the text of a document that declares these inputs. A parameter of this name becomes an input."""
    text = mbsd._text_of(model)
    try:
        document = json.loads(text)
    except ValueError:
        return text  # the library locates the mistake
    inner = document.get("model", document)
    missing = [name for name in inputs if name not in inner.get("inputs", {})]
    if not missing:
        return text
    parameters = dict(inner.get("parameters", {}))
    inner["inputs"] = {**inner.get("inputs", {}), **{name: parameters.pop(name, 0) for name in missing}}
    if "parameters" in inner:
        inner["parameters"] = parameters
    return mbsd._json_of(document)


def _raise(answer: Any) -> None:
    """Raises the error of an answer."""
    found = library.Answer(answer)
    error = found.error() or {}
    if found.status == "invalid":
        raise mbsd.InvalidModel(None, {"title": "Invalid document", **error})
    if found.status == "failed":
        raise mbsd.StepFailed(error)


class Simulation:
    """A motion in steps of dt, with inputs that hold during each step.

        s = mbsd.Simulation("cart.json", inputs=["u"], outputs=["rail.q", "rail.qd"], dt=0.01)
        y = s.reset(initial={"rail": 0.1})
        for _ in range(100):
            y = s.step([-50*y[0] - 20*y[1]])

    model is the path of a JSON document, its text, a dict or a Model; type and times of its analysis have no effect.
    inputs are the names of the values for step(), by default all inputs of the document. A name that is no input of the
    document is made one; that of a parameter starts with its value. outputs are sensors and labels of columns, as
    "pin.q" or "bob.x"; by default all sensors, or the coordinates and their rates if there are none. Raises
    InvalidModel with every mistake, and StepFailed if the model cannot be assembled.
    """

    def __init__(self, model: mbsd.Source, inputs: Optional[Sequence[str]] = None, dt: float = 0.01, *,
                 outputs: Optional[Sequence[str]] = None) -> None:
        text = _document_of(model, inputs or [])
        refusal = ffi.new("mbsd_answer **")
        made = lib.mbsd_simulation_new(text, len(text), refusal)
        if made == ffi.NULL:
            _raise(refusal[0])
        self._simulation = ffi.gc(made, lib.mbsd_simulation_free)
        self.dt = float(dt)
        self._inputs = self._list(lib.mbsd_simulation_inputs)
        self._outputs = self._list(lib.mbsd_simulation_outputs)
        self._index: Dict[str, int] = {}
        for i, output in enumerate(self._outputs):
            self._index.setdefault(output["name"], i)
        self.inputs: List[str] = [item["name"] for item in self._inputs] if inputs is None else list(inputs)
        sensors = [item["name"] for item in self._outputs if item["name"] == item["array"]]
        self.outputs: List[str] = list(outputs) if outputs is not None else sensors or [
            item["name"] for item in self._outputs if item["array"] == "uT"]
        self._wanted = self._indices(self.outputs)
        declared = [item["name"] for item in self._inputs]
        # For step(): the arrays of one call, and the slots of its inputs.
        self._given = np.array([item["start"] for item in self._inputs])
        self._places: Any = slice(None) if declared == self.inputs else [declared.index(name) for name in self.inputs]
        self._values = np.empty(len(self.outputs))
        self._good = ffi.new("bool *")
        self._call = (ffi.new("mbsd_simulation *[]", [self._simulation]), 1, ffi.from_buffer("double[]", self._given))
        self._call_without = (*self._call[:2], ffi.NULL)
        self._target = (ffi.from_buffer("size_t[]", self._wanted), len(self._wanted),
                        ffi.from_buffer("double[]", self._values), self._good)

    def __repr__(self) -> str:
        return f"<mbsd.Simulation at t = {self.t:g} s>"

    def _list(self, call: Any) -> List[Dict[str, Any]]:
        count = ffi.new("size_t *")
        found = call(self._simulation, count)
        return [{"name": library._text(item.name), "unit": library._text(item.unit), "array": library._text(item.array),
                 "start": item.start} for item in (found[i] for i in range(count[0]))]

    def _indices(self, names: Sequence[str]) -> Any:
        missing = [name for name in names if name not in self._index]
        if missing:
            raise KeyError(mbsd._unknown("output", missing[0], self._index))
        return np.array([self._index[name] for name in names], dtype=np.uintp)

    def _check(self, good: bool) -> None:
        if not good:
            raise mbsd.StepFailed(json.loads(ffi.string(lib.mbsd_simulation_error(self._simulation))))

    def _read(self, indices: Any) -> mbsd.Array:
        values = np.empty(len(indices))
        self._check(lib.mbsd_simulation_read(self._simulation, ffi.from_buffer("size_t[]", indices), len(indices),
                                             ffi.from_buffer("double[]", values)))
        return values

    @property
    def t(self) -> float:
        """The time [s]."""
        return float(lib.mbsd_simulation_time(self._simulation))

    @property
    def parameters(self) -> Dict[str, float]:
        """The parameters of the document, with the values they have without reset(parameters=...)."""
        return {item["name"]: item["start"] for item in self._list(lib.mbsd_simulation_parameters)}

    @property
    def units(self) -> Dict[str, str]:
        """The units of all outputs; "" if it has none, or if it is not known."""
        return {name: self._outputs[i]["unit"] for name, i in self._index.items()}

    def reset(self, parameters: Optional[Mapping[str, float]] = None,
              initial: Optional[Mapping[str, Any]] = None) -> mbsd.Array:
        """Starts anew, with values of parameters and with positions of joints, and returns the outputs.

        A value of initial is a number, a list for a joint with several coordinates, or a dict as `initial` of the joint
        or body in the document. What an earlier call changed does not count. Inputs have their start values. Raises
        InvalidModel or StepFailed, and then changes nothing.
        """
        changes = {"parameters": dict(parameters or {}), "initial": dict(initial or {})}
        _raise(lib.mbsd_simulation_reset(self._simulation, ffi.new("char[]", mbsd._json_of(changes))))
        self._given[:] = [item["start"] for item in self._list(lib.mbsd_simulation_inputs)]
        return self._read(self._wanted)

    def step(self, inputs: Optional[mbsd.Numbers] = None, dt: Optional[float] = None) -> mbsd.Array:
        """Advances the time by dt with these inputs, and returns the outputs at its end. None: the inputs of the last
        step. Raises StepFailed if the motion cannot continue; the simulation is then as before."""
        before = self._given.copy()
        if inputs is not None:
            self._take(inputs)
        lib.mbsd_simulation_step_all(*(self._call if inputs is not None else self._call_without),
                                     self.dt if dt is None else dt, *self._target)
        if not self._good[0]:
            self._given[:] = before
            self._check(False)
        return self._values.copy()

    def _take(self, inputs: mbsd.Numbers) -> None:
        if len(inputs) != len(self.inputs):  # type: ignore[arg-type]
            raise ValueError(f"the inputs are {len(self.inputs)} numbers: {', '.join(self.inputs)}")
        self._given[self._places] = inputs

    def __getitem__(self, name: str) -> float:
        """Returns the present value of any output: s["pin.q"]."""
        return float(self._read(self._indices([name]))[0])

    @property
    def state(self) -> bytes:
        """The state of the motion, inputs included. After s.state = z the same inputs give the same bits, also in
        another simulation of the same document that was reset with the same values."""
        size = lib.mbsd_simulation_state_size(self._simulation)
        found = ffi.new("char[]", size)
        lib.mbsd_simulation_get_state(self._simulation, found)
        return bytes(ffi.buffer(found, size))

    @state.setter
    def state(self, state: bytes) -> None:
        self._check(lib.mbsd_simulation_set_state(self._simulation, ffi.from_buffer(state), len(state)))


class VectorSimulation:
    """Several motions of one model, which step together on all processors.

        v = mbsd.VectorSimulation("cart.json", 8, inputs=["u"], dt=0.01)
        v.reset(parameters={"m": [1, 2, 3, 4, 5, 6, 7, 8]})
        Y = v.step(U)                                             # n x inputs -> n x outputs

    The arguments are those of Simulation; workers is the number of threads. A member whose motion cannot continue is
    marked in `failed`, with its error in `errors`: its outputs are NaN, and it stands until it is reset. The results do
    not depend on workers.
    """

    def __init__(self, model: mbsd.Source, n: int, inputs: Optional[Sequence[str]] = None, dt: float = 0.01, *,
                 outputs: Optional[Sequence[str]] = None, workers: Optional[int] = None) -> None:
        text = _document_of(model, inputs or [])
        self.members = [Simulation(text, inputs, dt, outputs=outputs) for _ in range(n)]
        self.failed = np.zeros(n, dtype=bool)
        self.errors: List[Optional[mbsd.StepFailed]] = [None] * n
        self._threads = min(n, workers or os.cpu_count() or 1)
        self._pool = concurrent.futures.ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<mbsd.VectorSimulation of {len(self)}, {int(self.failed.sum())} failed>"

    @property
    def t(self) -> mbsd.Array:
        """The times of the members [s]."""
        return np.array([member.t for member in self.members])

    def reset(self, parameters: Optional[Mapping[str, Any]] = None, initial: Optional[Mapping[str, Any]] = None,
              members: Optional[Sequence[int]] = None) -> mbsd.Array:
        """Starts members anew, by default all, and returns the outputs of all. A value of a parameter or a position is
        one number for all of them, or an array with one for each. A member that cannot start is marked as failed."""
        chosen = range(len(self)) if members is None else list(members)
        for row, i in enumerate(chosen):
            changes = [{name: value if np.ndim(value) == 0 or isinstance(value, Mapping) else value[row]
                        for name, value in (given or {}).items()} for given in (parameters, initial)]
            try:
                self.members[i].reset(*changes)
                self.failed[i], self.errors[i] = False, None
            except mbsd.StepFailed as error:
                self.failed[i], self.errors[i] = True, error
        out = np.full((len(self), len(self.members[0].outputs)), np.nan)
        for i, member in enumerate(self.members):
            if not self.failed[i]:
                out[i] = member._read(member._wanted)
        return out

    def _step(self, chosen: List[int], given: Optional[mbsd.Array], dt: float, out: mbsd.Array) -> None:
        """Steps some members; other threads step others meanwhile."""
        first = self.members[0]
        simulations = ffi.new("mbsd_simulation *[]", [self.members[i]._simulation for i in chosen])
        good, values = np.zeros(len(chosen), dtype=bool), np.empty((len(chosen), out.shape[1]))
        inputs = ffi.NULL if given is None else ffi.from_buffer("double[]", given[chosen])
        lib.mbsd_simulation_step_all(simulations, len(chosen), inputs, dt,
                                     ffi.from_buffer("size_t[]", first._wanted), out.shape[1],
                                     ffi.from_buffer("double[]", values), ffi.from_buffer("bool[]", good))
        for row, i in enumerate(chosen):
            if good[row]:
                out[i] = values[row]
                continue
            self.failed[i] = True
            self.errors[i] = mbsd.StepFailed(json.loads(ffi.string(
                lib.mbsd_simulation_error(self.members[i]._simulation))))

    def step(self, inputs: Optional[mbsd.Numbers] = None, dt: Optional[float] = None) -> mbsd.Array:
        """Advances all members that have not failed, with inputs [n x inputs]; returns the outputs [n x outputs]."""
        first = self.members[0]
        if inputs is not None:
            values = np.asarray(inputs, dtype=float)
            if values.shape != (len(self), len(first.inputs)):
                raise ValueError(f"the inputs are {len(self)} x {len(first.inputs)} numbers: {', '.join(first.inputs)}")
            for member, row in zip(self.members, values):
                member._take(row)
        given = None if inputs is None else np.array([member._given for member in self.members])
        out = np.full((len(self), len(first.outputs)), np.nan)
        standing = [i for i in range(len(self)) if not self.failed[i]]
        parts = [part.tolist() for part in np.array_split(np.array(standing, dtype=int), self._threads) if len(part)]
        step = first.dt if dt is None else float(dt)
        if self._pool is None:
            for part in parts:
                self._step(part, given, step, out)
        else:
            for done in [self._pool.submit(self._step, part, given, step, out) for part in parts]:
                done.result()
        return out
