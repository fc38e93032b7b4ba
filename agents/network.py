"""NetworkAgent: a policy network written by `wizard train`, computed by torch or numpy."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents.assessment import Assessment
from wizard_env.agents.layers import Layer, compute
from wizard_env.checks import check_choice, check_type, quoted, shortened
from wizard_env.compiled.processes import limit_torch_after_fork
from wizard_env.extras import missing_module
from wizard_env.files import write_tensors
from wizard_env.loading import agent_names, import_named, load
from wizard_env.observation.fields import HIGHS, OBS_SIZE, OBSERVATION, SLICES, USED_SIZE
from wizard_env.sampling import best_legal, certain
from wizard_env.view import Actions, Encoding, View, printed_actions, reorder_actions

FILE_NAME = "agent.safetensors"
FORMAT = "wizard-agent"
VERSION = "1"
LAYOUT = json.dumps([(field.name, field.shape) for field in OBSERVATION if field.name != "spare"])
"""The fields of the observation that a network reads. A file holds no weights for entries that are spare."""
BELIEF_HIGH = 255
"""The input for a belief of 1."""
_FIRST = "layer.0.weight"
_log = logging.getLogger(__name__)
_DTYPES = ("F32", "F16")
"""Types that weights may be stored in, as safetensors names them; the network computes in float32."""

Encode: TypeAlias = Callable[[Any], Any]
"""A custom encoding, from tensors to tensors, see `find_encoding`."""
Backend: TypeAlias = Literal["auto", "torch", "numpy"]


class Network:
    """A network that `wizard train` has written.

    scale: float32 [inputs], the factors on an observation, and what is added to it, before the first layer.
    layers: fully connected, with ReLU between them.
    value: the layer that replaces the last one to estimate points, or None.
    backend: "torch" or "numpy".
    """

    def __init__(
        self, path: str | PathLike[str], backend: Backend = "auto", encoding: str = "", beliefs: int = 0
    ) -> None:
        """Read a network. Raises ValueError for a file that `save_agent` of this version did not write.

        path, backend, encoding: as for `NetworkAgent`.
        beliefs: the number of inputs for beliefs, after the observation; see `wizard_env.agents.adaptive`.
        """
        check_type("path", path, str, PathLike)
        check_type("encoding", encoding, str)
        self.path = Path(path)
        self.backend = _choose_backend(backend)
        weights = read_agent(find_agent(self.path), encoding, beliefs)
        self.scale = input_scale(beliefs)
        self.encode: Encode | None = None
        if encoding:
            self.encode, inputs = find_encoding(encoding)
            needed = weights[_FIRST].shape[1]
            if inputs != needed:
                raise ValueError(
                    f"{path}: its network reads {needed} numbers, but {quoted(encoding)} makes {inputs}"
                )
        self.value = _pop_layer(weights, "value") if "value.weight" in weights else None
        self.layers = [_pop_layer(weights, f"layer.{number}") for number in range(len(weights) // 2)]

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], for observations uint8 [n, OBS_SIZE] in canonical suits.

        Where the network reads beliefs, they follow each observation.
        """
        return self._compute(self.layers[-1], observations)

    def values(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Estimate the points that each observer can expect from its round: float32 [n].

        observations: as for `logits`.
        """
        if self.value is None:
            raise ValueError(f"{self.path}: the network has no value, only a policy")
        return self._compute(self.value, observations)[:, 0]

    def _compute(self, head: Layer, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Compute the trunk, and a head: the last layer, or that of the value."""
        inputs = observations * self.scale if self.encode is None else _encode(self.encode, observations)
        layers = [*self.layers[:-1], head]
        return _compute_by_torch(layers, inputs) if self.backend == "torch" else compute(layers, inputs)


class PolicyAgent(Network):
    """Takes its network's likeliest action, or samples one from the network's probabilities."""

    def __init__(
        self,
        path: str,
        sample: bool = False,
        backend: Backend = "auto",
        encoding: str = "",
        beliefs: int = 0,
    ) -> None:
        """Read a network, see `Network`. sample: as for `NetworkAgent`."""
        check_type("sample", sample, bool)
        super().__init__(path, backend, encoding, beliefs)
        self.sample = sample

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        return self._choose(self._decide(view, encoding), encoding, view, rng)

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float32]]:
        """Return the actions, and the probability of each: float32 [n, NUM_ACTIONS]."""
        encoding = view.encode(canonical_suits=True)
        logits = self._decide(view, encoding)
        actions = self._choose(logits, encoding, view, rng)
        if not self.sample:
            return actions, certain(actions)
        return actions, _print_policy(_softmax(logits, encoding.mask), encoding.order)

    def _choose(
        self, logits: NDArray[np.float32], encoding: Encoding, view: View, rng: np.random.Generator
    ) -> Actions:
        if self.sample:
            actions, _ = sample_softmax(logits, encoding.mask, view.noise(rng))
        else:
            actions = best_legal(logits, encoding.mask)
        return printed_actions(actions, encoding.order)

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Return its policy and its value; it has no estimates for single actions."""
        encoding = view.encode(canonical_suits=True)
        unknown = np.full((len(view), NUM_ACTIONS), np.nan)
        value = self._estimate(view, encoding).astype(np.float64)
        return Assessment(self._printed_policy(view, encoding), unknown, value)

    def printed_policy(self, view: View) -> NDArray[np.float32]:
        """Compute float32 [n, NUM_ACTIONS], the probability of each action, in the suits as printed."""
        return self._printed_policy(view, view.encode(canonical_suits=True))

    def _printed_policy(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        return _print_policy(_softmax(self._decide(view, encoding), encoding.mask), encoding.order)

    def _decide(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        """Compute the logits for a view that is encoded."""
        return self.logits(encoding.observation)

    def _estimate(self, view: View, encoding: Encoding) -> NDArray[np.float32]:
        """Estimate the points for a view that is encoded; not a number if the network has no value."""
        if self.value is None:
            return np.full(len(view), np.nan, np.float32)
        return self.values(encoding.observation)


class NetworkAgent(PolicyAgent):
    """A network that reads observations, or a custom encoding of them."""

    def __init__(
        self, path: str, sample: bool = False, backend: Backend = "auto", encoding: str = ""
    ) -> None:
        """Read a network. Raises ValueError for a file that `save_agent` of this version did not write.

        Args:
            path: a file written by `save_agent`, the folder of a run that contains one, or the
                checkpoint next to it (which contains pickles and is not opened).
            sample: sample actions instead of taking the likeliest.
            backend: compute with "torch" or with "numpy", which skips zeros; "auto" is "numpy".
            encoding: where to import the custom encoding that the network was trained with, see
                `find_encoding`; its code runs.
        """
        super().__init__(path, sample, backend, encoding)


def _softmax(logits: NDArray[np.float32], mask: NDArray[np.uint8]) -> NDArray[np.float32]:
    legal = np.where(mask, logits, -np.inf)
    shares: NDArray[np.float32] = np.exp(legal - legal.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _print_policy(policy: NDArray[np.float32], order: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Translate a policy from the given suit orders to the suits as printed."""
    ids = np.tile(np.arange(NUM_ACTIONS), len(order))
    columns = reorder_actions(ids, order.repeat(NUM_ACTIONS)).reshape(-1, NUM_ACTIONS)
    return np.take_along_axis(policy, columns, axis=1)


def find_encoding(name: str) -> tuple[Encode, int]:
    """Import a custom encoding; return it and the number of inputs that it makes of a decision.

    It is a function from observations in canonical suits, a torch tensor uint8 [n, OBS_SIZE], to the inputs
    of a network, float32 [n, inputs] on the same device; row i must depend on observation i alone. Raises
    ValueError if it returns something else.

    name: "module:function" or "file.py:function". That code runs.
    """
    encode: Encode = import_named(name)
    with _inference() as torch:
        found = encode(torch.zeros((2, OBS_SIZE), dtype=torch.uint8))
    shape, dtype = tuple(getattr(found, "shape", ())), getattr(found, "dtype", type(found).__name__)
    if len(shape) != 2 or shape[0] != 2 or dtype != torch.float32:
        raise ValueError(
            f"encoding={quoted(name)} returns {dtype} {list(shape)} for two observations: "
            "allowed is torch.float32 [2, inputs]"
        )
    return encode, shape[1]


def _encode(encode: Encode, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
    with _inference() as torch:
        inputs: NDArray[np.float32] = encode(torch.from_numpy(observations)).numpy()
    return inputs


@contextmanager
def _inference() -> Iterator[Any]:
    """Import torch, which agents must load without, and let it compute without gradients."""
    import torch

    limit_torch_after_fork()
    with torch.inference_mode():
        yield torch


def _choose_backend(backend: Backend) -> Backend:
    check_choice("backend", backend, get_args(Backend))
    if backend == "torch" and find_spec("torch") is None:
        raise missing_module("torch")
    return "numpy" if backend == "auto" else backend


def _compute_by_torch(layers: Sequence[Layer], hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    with _inference() as torch:
        *trunk, (last_weight, last_bias) = [tuple(map(torch.from_numpy, layer)) for layer in layers]
        outputs = torch.from_numpy(hidden)
        for weight, bias in trunk:
            outputs = torch.addmm(bias, outputs, weight).relu_()
        return torch.addmm(last_bias, outputs, last_weight).numpy()


def reads_beliefs(path: str | PathLike[str]) -> bool:
    """Return whether a file of a network says that it reads beliefs; a missing or damaged file does not."""
    file_path = find_agent(Path(path))
    if not file_path.is_file():
        return False
    try:
        with safe_open(file_path, framework="np") as file:
            return "beliefs" in (file.metadata() or {})
    except (OSError, SafetensorError):
        return False


def find_network(name: str) -> Path:
    """Find the file of a network: by an agent's name, as in "champion:goal=points", or by a path.

    Raises ValueError for an agent that is no network.
    """
    if name.partition(":")[0] not in agent_names():
        return find_agent(Path(name))
    if not isinstance(agent := load(name), Network):
        raise ValueError(
            f"{quoted(name)} is no network: allowed are 'champion', 'adaptive' and the paths of networks"
        )
    return find_agent(agent.path)


def find_agent(path: Path) -> Path:
    """Find the network's file: in the folder of a run, or next to its checkpoint."""
    if path.is_dir():
        return path / FILE_NAME
    sibling = path.with_name(FILE_NAME)
    return sibling if path.suffix == ".zip" and sibling.exists() else path


def input_scale(beliefs: int = 0) -> NDArray[np.float32]:
    """Return the factors on an observation before the first layer: float32 [OBS_SIZE + beliefs].

    Counts are divided by the square root of their largest value: divided by the largest value itself, a
    missing trick would be 1/20 next to flags of 1, and a network would learn slowly to notice it. Scores
    are scaled to [0, 1], and so are beliefs, which follow the observation.
    """
    scale = np.float32(1) / np.sqrt(HIGHS.astype(np.float32))
    scale[SLICES["score"]] **= 2
    return np.concatenate([scale, np.full(beliefs, 1 / BELIEF_HIGH)]).astype(np.float32)


def save_agent(weights: Mapping[str, ArrayLike], path: Path, encoding: str = "", beliefs: int = 0) -> None:
    """Write a network.

    Args:
        weights: layer.N.weight [outputs, inputs] and layer.N.bias [outputs], with ReLU between layers; the
            input is an observation times `input_scale`. For a network with a value also value.weight
            [1, inputs of the last layer] and value.bias [1], whose output is the observer's points of
            the round. Arrays, or CPU tensors that require no gradient; float32 or float16.
        path: of the file.
        encoding: the name of the custom encoding that replaces `input_scale`, see `find_encoding`.
        beliefs: the number of inputs for beliefs, after the observation.
    """
    used = {name: np.asarray(values) for name, values in weights.items()}
    if not encoding:
        for name in _input_layers(used):
            used[name] = np.delete(used[name], np.arange(USED_SIZE, OBS_SIZE), axis=1)
    arrays = {name: np.ascontiguousarray(values) for name, values in used.items()}
    metadata = {"format": FORMAT, "version": VERSION, "layout": LAYOUT}
    metadata |= {"encoding": encoding} if encoding else {}
    metadata |= {"beliefs": str(beliefs)} if beliefs else {}
    write_tensors(path, save(arrays, metadata))


def read_agent(path: Path, encoding: str = "", beliefs: int | None = 0) -> dict[str, NDArray[np.float32]]:
    """Read the weights written by `save_agent`, and check them.

    The layout of the file must begin that of this version. The first layer gets weights of 0 for the
    entries of an observation that the network has never seen: fields added later, and those that are spare.

    encoding: a file never chooses what code runs; the caller names the custom encoding.
    beliefs: the number of inputs for beliefs that the network must read; any if None.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no agent at {path}: a run of `wizard train`, or a file of one, is needed")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            dtypes = {name: file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118
            foreign = set(dtypes.values()).difference(_DTYPES)
            weights = {} if foreign else {name: file.get_tensor(name) for name in dtypes}
    except SafetensorError as error:
        raise ValueError(f"{path} is not a network of this package: {shortened(error)}") from None
    if metadata.get("format") != FORMAT or metadata.get("version") != VERSION:
        given = shortened(f"format {metadata.get('format')!r} version {metadata.get('version')!r}")
        raise ValueError(f"{path}: {given}, allowed is {FORMAT!r} version {VERSION!r}")
    known = _count_known(path, metadata.get("layout", ""))
    if foreign:
        raise ValueError(f"{path}: weights in {', '.join(sorted(foreign))}, allowed are {', '.join(_DTYPES)}")
    trained_with = shortened(metadata.get("encoding", ""))
    if trained_with and not encoding:
        hint = f"load it with encoding={quoted(trained_with)}, whose code then runs"
        raise ValueError(f"{path}: trained with encoding {quoted(trained_with)}: {hint}")
    if encoding and not trained_with:
        raise ValueError(f"{path}: trained without a custom encoding")
    more = metadata.get("beliefs", "0")
    if beliefs is not None and more != str(beliefs):
        raise ValueError(
            f"{path}: its network reads {shortened(more)} inputs for beliefs, allowed is {beliefs} here"
        )
    if not _fit_together(weights, None if encoding or beliefs is None else known + beliefs):
        raise ValueError(f"{path}: its layers do not fit together or do not fit this version")
    for name, values in weights.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{path}: {name} holds numbers that are not finite")
    if _largest_output(weights) > float(np.finfo(np.float32).max):
        raise ValueError(f"{path}: its weights are so large that its outputs may not be finite")
    if not encoding:
        for name in _input_layers(weights):
            seen, believed = np.split(weights[name], [known], axis=1)
            unseen = np.zeros((len(seen), OBS_SIZE - known), seen.dtype)
            weights[name] = np.concatenate([seen, unseen, believed], axis=1)
    return {name: values.astype(np.float32) for name, values in weights.items()}


def _input_layers(weights: Mapping[str, NDArray[Any]]) -> list[str]:
    """Name the weights that read observations: of the first layer, and of the value if that is the last."""
    return (
        [_FIRST, "value.weight"]
        if "value.weight" in weights and "layer.1.weight" not in weights
        else [_FIRST]
    )


def _count_known(path: Path, layout: str) -> int:
    """Count the entries of an observation that the network of a file has been trained on.

    Raises ValueError for a layout that does not begin LAYOUT, and logs which fields are new to the network.
    """
    fields = json.loads(LAYOUT)
    beginnings = [json.dumps(fields[:count]) for count in range(1, len(fields) + 1)]
    if layout not in beginnings:
        raise ValueError(f"{path}: trained on an observation layout that differs from this version's")
    seen = beginnings.index(layout) + 1
    if new := [name for name, _ in fields[seen:]]:
        _log.warning("%s was trained before these fields of the observation: %s", path, ", ".join(new))
    return sum(field.size for field in OBSERVATION[:seen])


def _fit_together(weights: Mapping[str, NDArray[Any]], inputs: int | None) -> bool:
    """Return whether the layers form a chain from a number of inputs, or any if None, to the actions."""
    first = weights.get(_FIRST)
    if inputs is None:
        inputs = first.shape[1] if first is not None and first.ndim == 2 else 0
    widths = [inputs]
    while (bias := weights.get(f"layer.{len(widths) - 1}.bias")) is not None:
        widths.append(bias.size)
    if widths[-1] != NUM_ACTIONS or 0 in widths:
        return False
    shapes: dict[str, tuple[int, ...]] = {}
    for number, (before, after) in enumerate(pairwise(widths)):
        shapes |= {f"layer.{number}.weight": (after, before), f"layer.{number}.bias": (after,)}
    if "value.weight" in weights:
        shapes |= {"value.weight": (1, widths[-2]), "value.bias": (1,)}
    return {name: values.shape for name, values in weights.items()} == shapes


def _largest_output(weights: Mapping[str, NDArray[Any]]) -> float:
    """Return a bound on the numbers that a network, whose layers fit together, computes from bytes."""

    def bound_after(name: str, bound: float) -> float:
        sums = abs(weights[f"{name}.weight"]).sum(axis=1, dtype=np.float64)
        return float(sums.max()) * bound + float(abs(weights[f"{name}.bias"]).max())

    bounds = [255.0]
    while (name := f"layer.{len(bounds) - 1}") + ".bias" in weights:
        bounds.append(bound_after(name, bounds[-1]))
    return max(*bounds, bound_after("value", bounds[-2]) if "value.weight" in weights else 0.0)


def _pop_layer(weights: dict[str, NDArray[np.float32]], name: str) -> Layer:
    return Layer(np.ascontiguousarray(weights.pop(f"{name}.weight").T), weights.pop(f"{name}.bias"))
