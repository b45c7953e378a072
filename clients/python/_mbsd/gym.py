"""Motions as environments of Gymnasium, for reinforcement learning."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import gymnasium  # type: ignore[import]
import numpy as np

import mbsd
from _mbsd.stepping import Simulation

Measure = Union[str, Callable[[Simulation], float]]


class Env(gymnasium.Env):  # type: ignore[misc]
    """An environment of Gymnasium whose actions are inputs of a model.

        env = mbsd.gym.Env(model, inputs=["u"], observations=["pin.q", "pin.qd"], reward="-pin.q^2 - 0.01*u^2",
                           terminated="abs(rail.q) > 2", dt=0.02, limits=(-10, 10), steps=500)
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    model, inputs and dt are those of mbsd.Simulation, observations its outputs. reward and terminated are an output, an
    expression or condition as of a sensor, or a function of the simulation; they are evaluated at the end of each step.
    terminated may be None. limits are the bounds of the actions, two numbers or two lists. An episode is truncated
    after `steps` steps, if given, and terminates with reward 0 if the motion cannot continue: info["error"] says why.
    start(random) returns the arguments of Simulation.reset() for an episode; random is a NumPy generator. reset()
    also takes them as options.
    """

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(self, model: mbsd.Source, inputs: Sequence[str], observations: Sequence[str], reward: Measure,
                 terminated: Optional[Measure] = None, dt: float = 0.01, *, limits: Any = (-np.inf, np.inf),
                 steps: Optional[int] = None,
                 start: Optional[Callable[[np.random.Generator], Mapping[str, Any]]] = None) -> None:
        measures = {"gym reward": reward, **({"gym terminated": terminated} if terminated is not None else {})}
        document = json.loads(mbsd._text_of(model))
        inner = document.get("model", document)
        names = {sensor.get("name") for sensor in inner.get("sensors", [])}
        added = [{"name": name, "value": f"if({text}, 1, 0)" if name == "gym terminated" else text}
                 for name, text in measures.items() if isinstance(text, str) and text not in names]
        inner["sensors"] = [*inner.get("sensors", []), *added]
        self.simulation = Simulation(document, inputs, dt, outputs=observations)
        self._reward = self._measure("gym reward", reward)
        self._terminated = self._measure("gym terminated", terminated) if terminated is not None else None
        low, high = (np.broadcast_to(np.asarray(bound, dtype=np.float32), len(inputs)) for bound in limits)
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(observations),), np.float64)
        self._start, self._steps, self._made = start, steps, 0

    def _measure(self, name: str, of: Measure) -> Callable[[Simulation], float]:
        if callable(of):
            return of
        label = name if name in self.simulation._index else of
        return lambda simulation: simulation[label]

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Mapping[str, Any]] = None) -> Tuple[mbsd.Array, Dict[str, Any]]:
        """Starts an episode."""
        super().reset(seed=seed)
        self._made = 0
        changes = options or (self._start(self.np_random) if self._start else {})
        return self.simulation.reset(**changes), {"t": self.simulation.t}

    def step(self, action: mbsd.Numbers) -> Tuple[mbsd.Array, float, bool, bool, Dict[str, Any]]:
        """Advances the motion by dt with the action as inputs."""
        self._made += 1
        truncated = self._steps is not None and self._made >= self._steps
        try:
            observation = self.simulation.step(action)
            reward = float(self._reward(self.simulation))
            ends = self._terminated is not None and bool(self._terminated(self.simulation))
        except mbsd.StepFailed as error:
            last = self.simulation._read(self.simulation._wanted)
            return last, 0.0, True, truncated, {"t": self.simulation.t, "error": str(error)}
        return observation, reward, ends, truncated, {"t": self.simulation.t}
