"""state_dict and load_state_dict: a module's state as a flat mapping of names to tensors."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from tensorplay.core.hooks import RemovableHandle, add_hook, hooks_of
from tensorplay.nn.hooks import Hook
from tensorplay.nn.parameter import Parameter
from tensorplay.nn.traversal import Traversal
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.factories import as_tensor
from tensorplay.tensor.tensor import Tensor

EXTRA_STATE = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """
    What `load_state_dict` did not use.

    Examples
    --------
    >>> m = tp.nn.Linear(1, 1)
    >>> m.load_state_dict(m.state_dict())
    <All keys matched successfully>
    """

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class StateDict(Traversal):
    """A node in the tree of modules whose state can be taken out and put in."""

    _version = 1

    # ---- out

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """
        Parameters and persistent buffers by dotted name.

        Parameters
        ----------
        destination : dict, optional
            What to fill; a new one by default.
        prefix : str, default ""
            Put before all names.
        keep_vars : bool, default False
            Give the parameters themselves instead of detached tensors on their memory.

        Returns
        -------
        dict of str to Tensor
            Shares memory with the module; clone what must stay as it is.

        Examples
        --------
        >>> list(tp.nn.Linear(3, 2).state_dict())
        ['weight', 'bias']
        """
        found: Any = OrderedDict() if destination is None else destination
        if destination is None:
            found._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(found, "_metadata"):
            found._metadata[prefix[:-1]] = metadata
        for hook in hooks_of(self._hooks, "state_dict_pre"):
            hook.function(self, prefix, keep_vars)
        self._save_to_state_dict(found, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in hooks_of(self._hooks, "state_dict"):
            hook.function(self, found, prefix, metadata)
        return found

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._persistent().items():
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not StateDict.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _persistent(self) -> dict[str, Tensor | None]:
        """Own parameters and persistent buffers."""
        buffers = self._members("_buffers")
        kept = {name: buffer for name, buffer in buffers.items() if name not in self._non_persistent_buffers_set}
        return {**self._members("_parameters"), **kept}

    def get_extra_state(self) -> Any:
        """
        State beside parameters and buffers; a subclass that has some overrides this and `set_extra_state`.

        Returns
        -------
        object
            What `set_extra_state` takes.

        Raises
        ------
        RuntimeError
            Unless a subclass overrides it.

        Examples
        --------
        >>> class Counter(tp.nn.Module):
        ...     calls = 3
        ...     def get_extra_state(self):
        ...         return self.calls
        >>> Counter().state_dict()["_extra_state"]
        3
        """
        raise RuntimeError(
            f"{type(self).__name__} has no extra state: override get_extra_state() and set_extra_state()"
        )

    def set_extra_state(self, state: Any) -> None:
        """
        Take back what `get_extra_state` gave.

        Parameters
        ----------
        state : object
            From a state dict.

        Raises
        ------
        RuntimeError
            Unless a subclass overrides it.

        Examples
        --------
        >>> class Counter(tp.nn.Module):
        ...     def set_extra_state(self, state):
        ...         self.calls = state
        >>> m = Counter()
        >>> _ = m.load_state_dict({"_extra_state": 3})
        >>> m.calls
        3
        """
        raise RuntimeError(
            f"{type(self).__name__} has no extra state: override get_extra_state() and set_extra_state()"
        )

    # ---- in

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """
        Copy parameters and persistent buffers from a mapping of dotted names; returns the keys that did not fit.

        Parameters
        ----------
        state_dict : mapping of str to Tensor or numpy.ndarray
            As `state_dict` gives it.
        strict : bool, default True
            Whether missing and unexpected keys are an error.
        assign : bool, default False
            Let the module hold the given tensors instead of copying them.

        Returns
        -------
        IncompatibleKeys
            Named tuple of the lists `missing_keys` and `unexpected_keys`.

        Raises
        ------
        RuntimeError
            If a shape differs or, with `strict`, keys do. It lists all problems, and nothing was loaded.
        TypeError
            If `state_dict` is no mapping.

        Examples
        --------
        >>> a, b = tp.nn.Linear(3, 2), tp.nn.Linear(3, 2)
        >>> b.load_state_dict(a.state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"load_state_dict(): expected a mapping of names to tensors, got {type(state_dict).__name__}"
            )
        metadata = getattr(state_dict, "_metadata", {})
        state = OrderedDict(state_dict)
        result = IncompatibleKeys([], [])
        problems: list[str] = []
        pending: list[Callable[[], None]] = []
        for path, module in self.named_modules(remove_duplicate=False):
            local = {**metadata.get(path, {}), "assign": assign, "pending": pending}
            prefix = f"{path}." if path else ""
            extra = (result.missing_keys, result.unexpected_keys, problems)
            for hook in hooks_of(module._hooks, "load_pre"):
                hook.function(module, state, prefix, local, strict, *extra)
            module._load_from_state_dict(state, prefix, local, strict, *extra)
        problems = [*(self._key_problems(result) if strict else ()), *problems]
        if problems:
            listed = "".join(f"\n\t{problem}" for problem in problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:{listed}")
        for load in pending:
            load()
        for module in self.modules():
            for hook in hooks_of(module._hooks, "load_post"):
                hook.function(module, result)
        return result

    def _key_problems(self, keys: IncompatibleKeys) -> list[str]:
        return [
            f"{what} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in names) + "."
            for what, names in (("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys))
            if names
        ]

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Check what the state holds for this module alone; ``local_metadata["pending"]`` collects what is to be "
        "done."""
        expected = {name: tensor for name, tensor in self._persistent().items() if tensor is not None}
        pending = local_metadata["pending"]
        for name, tensor in expected.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.append(key)
                continue
            given = as_tensor_or_none(state_dict[key])
            problem = _misfit(key, tensor, given, state_dict[key])
            if given is None or problem is not None:
                error_msgs.append(problem or "")
            else:
                pending.append(functools.partial(self._load_one, name, tensor, given, local_metadata["assign"]))
        has_extra = type(self).set_extra_state is not StateDict.set_extra_state
        if has_extra and prefix + EXTRA_STATE in state_dict:
            pending.append(functools.partial(self.set_extra_state, state_dict[prefix + EXTRA_STATE]))
        elif has_extra:
            missing_keys.append(prefix + EXTRA_STATE)
        known = {*expected, EXTRA_STATE} if has_extra else expected.keys()
        unexpected_keys.extend([key for key in state_dict if self._is_unexpected(key, prefix, known)])

    def _is_unexpected(self, key: str, prefix: str, known: Collection[str]) -> bool:
        """Whether a key is meant for this module, but not for one of its members."""
        if not key.startswith(prefix):
            return False
        head, dot, _ = key.removeprefix(prefix).partition(".")
        return head not in self._modules if dot else head not in known

    def _load_one(self, name: str, tensor: Tensor, given: Tensor, assign: bool) -> None:
        if not assign:
            with no_grad():
                tensor.copy_(given)
        elif isinstance(tensor, Parameter):
            setattr(self, name, Parameter(given, requires_grad=tensor.requires_grad))
        else:
            setattr(self, name, given)

    # ---- hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """
        Call a function before this module's state is taken; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, prefix, keep_vars)``.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: print("saving"))
        >>> _ = m.state_dict()
        saving
        """
        return add_hook(self._hooks, "state_dict_pre", Hook(hook))

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """
        Call a function after this module's state was taken; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, state_dict, prefix, local_metadata)``, which may change the state dict.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.update(note=1))
        >>> m.state_dict()["note"]
        1
        """
        return add_hook(self._hooks, "state_dict", Hook(hook))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """
        Call a function before state is loaded into this module; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``; it
            may rename entries of the state dict, a copy.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Linear(1, 1, bias=False)
        >>> def rename(module, state, prefix, *_):
        ...     state[prefix + "weight"] = state.pop(prefix + "w")
        >>> _ = m.register_load_state_dict_pre_hook(rename)
        >>> m.load_state_dict({"w": tp.ones(1, 1)})
        <All keys matched successfully>
        """
        return add_hook(self._hooks, "load_pre", Hook(hook))

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """
        Call a function after state was loaded; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, incompatible_keys)``.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_load_state_dict_post_hook(lambda module, keys: print(keys))
        >>> _ = m.load_state_dict({})
        <All keys matched successfully>
        """
        return add_hook(self._hooks, "load_post", Hook(hook))


def as_tensor_or_none(entry: Any) -> Tensor | None:
    """A tensor or an array of a state dict as a tensor; None for anything else."""
    if isinstance(entry, Tensor):
        return entry
    return as_tensor(entry) if hasattr(entry, "__array__") else None


def _misfit(key: str, tensor: Tensor, given: Tensor | None, entry: Any) -> str | None:
    """Why an entry cannot be loaded into a parameter or buffer; None if it can."""
    if given is None:
        return f"{key!r}: expected a tensor or an array, got {type(entry).__name__}."
    if given.shape != tensor.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {tensor.shape}."
        )
    if given.dtype.is_complex and not tensor.dtype.is_complex:
        return f"{key!r}: a {given.dtype} tensor does not fit one of {tensor.dtype}: its imaginary part would be lost."
    return None
