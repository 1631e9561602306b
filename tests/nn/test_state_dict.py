"""state_dict and load_state_dict, and files of both."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn


def test_loading_copies_tensors_and_arrays() -> None:
    a, b = nn.Linear(3, 2), nn.Linear(3, 2)
    weight = b.weight
    result = b.load_state_dict({"weight": a.weight, "bias": np.arange(2.0)})
    assert result.missing_keys == []
    assert repr(result) == "<All keys matched successfully>"
    assert b.weight is weight
    assert np.array_equal(b.weight.detach().numpy(), a.weight.detach().numpy())
    assert b.bias.dtype == tp.float32
    assert np.array_equal(b.bias.detach().numpy(), [0, 1])


def test_a_state_dict_shares_memory_and_prefix() -> None:
    net = nn.Sequential(nn.Linear(2, 2))
    state = net.state_dict(prefix="net.")
    assert list(state) == ["net.0.weight", "net.0.bias"]
    assert not state["net.0.bias"].requires_grad
    state["net.0.bias"].fill_(7)
    assert np.array_equal(net[0].bias.detach().numpy(), [7, 7])
    assert net.state_dict(keep_vars=True)["0.bias"] is net[0].bias


def test_all_problems_are_listed_and_nothing_is_loaded() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    before = net[0].bias.detach().clone()
    state = {"0.weight": tp.zeros(3, 3), "0.bias": tp.zeros(2), "1.weight": "no", "2.weight": tp.zeros(1), "x": 1}
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    message = str(caught.value)
    assert message.startswith("Error(s) in loading state_dict for Sequential:")
    for part in ('"1.bias"', '"2.weight", "x"', "size mismatch for 0.weight", "1.weight", "Missing", "Unexpected"):
        assert part in message
    assert np.array_equal(net[0].bias.detach().numpy(), before.numpy())


def test_without_strict_the_keys_are_returned() -> None:
    net = nn.Linear(3, 2)
    result = net.load_state_dict({"weight": tp.ones(2, 3), "extra": tp.ones(1)}, strict=False)
    assert result == (["bias"], ["extra"])
    assert "missing_keys=['bias']" in repr(result)
    assert np.array_equal(net.weight.detach().numpy(), np.ones((2, 3)))
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict({"weight": tp.ones(1)}, strict=False)


def test_no_mapping_and_lost_imaginary_parts_are_refused() -> None:
    with pytest.raises(TypeError, match="mapping"):
        nn.Linear(1, 1).load_state_dict([1])  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="imaginary"):
        nn.Linear(1, 1, bias=False).load_state_dict({"weight": np.ones((1, 1), complex)})


def test_assign_holds_the_given_tensors() -> None:
    net = nn.BatchNorm1d(2).double()
    given = {
        name: tensor.float() if tensor.dtype.is_floating_point else tensor for name, tensor in net.state_dict().items()
    }
    net.load_state_dict(given, assign=True)
    assert net.weight.dtype == tp.float32
    assert isinstance(net.weight, nn.Parameter)
    assert net.running_mean is given["running_mean"]


def test_extra_state() -> None:
    class Counter(nn.Module):
        def __init__(self, calls: int = 0) -> None:
            super().__init__()
            self.calls = calls

        def get_extra_state(self) -> Any:
            return {"calls": self.calls}

        def set_extra_state(self, state: Any) -> None:
            self.calls = state["calls"]

    saved = nn.Sequential(Counter(3)).state_dict()
    assert saved == {"0._extra_state": {"calls": 3}}
    net = nn.Sequential(Counter())
    net.load_state_dict(saved)
    assert net[0].calls == 3
    with pytest.raises(RuntimeError, match=r"0\._extra_state"):
        net.load_state_dict({})


def test_states_without_a_batch_count_load() -> None:
    net = nn.BatchNorm1d(2)
    net(tp.ones(3, 2))
    state = {name: tensor for name, tensor in net.state_dict().items() if name != "num_batches_tracked"}
    net.load_state_dict(state)
    assert int(net.num_batches_tracked) == 1
    versioned = net.state_dict()
    del versioned["num_batches_tracked"]
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        net.load_state_dict(versioned)


def test_hooks_of_states() -> None:
    net = nn.Sequential(nn.Linear(1, 1, bias=False))
    calls: list[str] = []
    net.register_state_dict_pre_hook(lambda module, prefix, keep: calls.append("pre"))
    net.register_state_dict_post_hook(lambda module, state, prefix, meta: state.update(note=tp.ones(1)))
    net.register_load_state_dict_pre_hook(lambda module, state, *_: state.pop("note"))
    handle = net.register_load_state_dict_post_hook(lambda module, keys: calls.append(repr(keys)))
    state = net.state_dict()
    assert "note" in state
    net.load_state_dict(state)
    assert calls == ["pre", "<All keys matched successfully>"]
    assert "note" in state
    handle.remove()
    net.load_state_dict(state)
    assert len(calls) == 2


def test_files(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    path = tmp_path / "net.safetensors"
    tp.save(net.state_dict(), path)
    other = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    other.load_state_dict(tp.load(path))
    assert np.array_equal(other[0].weight.detach().numpy(), net[0].weight.detach().numpy())
    assert tp.load(path)["1.num_batches_tracked"].shape == ()


def test_files_of_views_nested_dicts_and_single_tensors(tmp_path: Path) -> None:
    path = str(tmp_path / "x.safetensors")
    transposed = tp.tensor(np.arange(6.0).reshape(2, 3)).t()
    tp.save(OrderedDict(a={"b": transposed, "c": tp.tensor([True])}), path)
    loaded = tp.load(path)
    assert np.array_equal(loaded["a.b"].numpy(), transposed.numpy())
    assert loaded["a.c"].dtype == tp.bool
    tp.save(transposed, path)
    assert np.array_equal(tp.load(path).numpy(), transposed.numpy())


def test_files_of_states_with_numbers_lists_and_names(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    state = {
        "model": nn.Linear(2, 1).state_dict(),
        "epoch": 3,
        7: [True, None, ("Adam", -0.1), {"rate": float("inf")}],
        "rates": (tp.tensor(0.5), 0.25),
        "empty": [{}, (), []],
    }
    tp.save(state, path, metadata={"by": "test"})
    found = tp.load(path)
    assert found.keys() == state.keys()
    assert found["epoch"] == 3
    assert found[7] == state[7]
    assert found["empty"] == state["empty"]
    assert isinstance(found["rates"], tuple)
    assert float(found["rates"][0]) == 0.5
    assert np.array_equal(found["model"]["weight"].numpy(), state["model"]["weight"].numpy())  # type: ignore[call-overload,index]


@pytest.mark.parametrize(
    ("words", "bad"),
    [
        (r"'epoch' must .*got set; pickle", {"model": {"w": tp.ones(1)}, "epoch": {3}}),
        (r"'a\.b\.0' must .*got ndarray; pickle", {"a": {"b": [np.ones(1)]}}),
        (r"expected a tensor, a number, .*got object; pickle", object()),
        (r"'a' must .*got dict; pickle", {"a": {(1, 2): tp.ones(1)}}),
        (r"got Linear; .*state_dict\(\)", nn.Linear(1, 1)),
        (r"'model' must .*got Linear; .*state_dict\(\)", {"model": nn.Linear(1, 1)}),
        (r"complex128 \('a'\)", {"a": tp.ones(1, dtype=tp.complex128)}),
    ],
)
def test_files_refuse_what_they_cannot_hold(tmp_path: Path, words: str, bad: Any) -> None:
    path = tmp_path / "x.safetensors"
    with pytest.raises(TypeError, match=rf"^save\(\): .*{words}"):
        tp.save(bad, path)
    assert not path.exists()


def test_files_refuse_names_and_paths_that_do_not_fit(tmp_path: Path) -> None:
    path = str(tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="safetensors"):
        tp.save({}, "x.pt")
    with pytest.raises(ValueError, match=r"'a\.b'"):
        tp.save({"a.b": tp.ones(1), "a": {"b": tp.ones(1)}}, path)
    with pytest.raises(TypeError, match=r"metadata.*'epoch': 3"):
        tp.save({}, path, metadata={"epoch": 3})
    with pytest.raises(FileNotFoundError, match="no directory"):
        tp.save({}, tmp_path / "nowhere" / "x.safetensors")
    with pytest.raises(FileNotFoundError):
        tp.load(str(tmp_path / "none.safetensors"))


@pytest.mark.parametrize("kept", [0, 5, 20, -1])
def test_damaged_files_are_named(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "x.safetensors"
    tp.save({"w": tp.ones(3)}, path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError, match=r"^load\(\): '.*x\.safetensors'"):
        tp.load(path)


def test_files_of_types_that_no_tensor_has(tmp_path: Path) -> None:
    header = b'{"w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\x80\x3f")
    with pytest.raises(TypeError, match=r"^load\(\): '.*x\.safetensors'.*bfloat16"):
        tp.load(path)
