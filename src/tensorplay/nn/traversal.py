"""Walking the tree of modules: children, parameters and buffers with their dotted names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from tensorplay.nn.attributes import Attributes
from tensorplay.nn.parameter import Parameter
from tensorplay.nn.substitution import substituted
from tensorplay.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorplay.nn.module import Module

Self = TypeVar("Self", bound="Traversal")
Slot = tuple["Module", str, Tensor | None]  # where a parameter or buffer lives, its name there, what it holds


class Traversal(Attributes):
    """A node in the tree of modules."""

    def children(self) -> Iterator[Module]:
        """
        Direct submodules, each once.

        Returns
        -------
        iterator of Module
            In order of registration.

        Examples
        --------
        >>> list(tp.nn.Sequential(tp.nn.Identity()).children())
        [Identity()]
        """
        return (module for _, module in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """
        Names and direct submodules, each once.

        Yields
        ------
        (str, Module)
            In order of registration.

        Examples
        --------
        >>> list(tp.nn.Sequential(tp.nn.Identity()).named_children())
        [('0', Identity())]
        """
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """
        This module and all below it.

        Parameters
        ----------
        remove_duplicate : bool, default True
            Give a module that is registered twice once only.

        Returns
        -------
        iterator of Module
            Parents before children.

        Examples
        --------
        >>> len(list(tp.nn.Sequential(tp.nn.Identity()).modules()))
        2
        """
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """
        Dotted names and modules: this one and all below it.

        Parameters
        ----------
        memo : set of Module, optional
            Modules to leave out; what is given is added.
        prefix : str, default ""
            Put before all names.
        remove_duplicate : bool, default True
            Give a module that is registered twice once only.

        Yields
        ------
        (str, Module)
            Parents before children; the name of this module is `prefix`.

        Examples
        --------
        >>> [name for name, _ in tp.nn.Sequential(tp.nn.Identity()).named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        this: Any = self
        if this in memo:
            return
        if remove_duplicate:
            memo.add(this)
        yield prefix, this
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, join(prefix, name), remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """
        Parameters, each once.

        Parameters
        ----------
        recurse : bool, default True
            Those of submodules too.

        Returns
        -------
        iterator of Parameter
            In order of registration.

        Examples
        --------
        >>> [p.shape for p in tp.nn.Linear(3, 2).parameters()]
        [tensorplay.Size([2, 3]), tensorplay.Size([2])]
        """
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """
        Dotted names and parameters.

        Parameters
        ----------
        prefix : str, default ""
            Put before all names.
        recurse : bool, default True
            Those of submodules too.
        remove_duplicate : bool, default True
            Give a parameter that has several names once only, under the first.

        Returns
        -------
        iterator of (str, Parameter)
            In order of registration.

        Examples
        --------
        >>> [name for name, _ in tp.nn.Linear(3, 2).named_parameters()]
        ['weight', 'bias']
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """
        Buffers, each once.

        Parameters
        ----------
        recurse : bool, default True
            Those of submodules too.

        Returns
        -------
        iterator of Tensor
            In order of registration.

        Examples
        --------
        >>> len(list(tp.nn.BatchNorm1d(2).buffers()))
        3
        """
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """
        Dotted names and buffers.

        Parameters
        ----------
        prefix : str, default ""
            Put before all names.
        recurse : bool, default True
            Those of submodules too.
        remove_duplicate : bool, default True
            Give a buffer that has several names once only, under the first.

        Returns
        -------
        iterator of (str, Tensor)
            In order of registration.

        Examples
        --------
        >>> [name for name, _ in tp.nn.BatchNorm1d(2).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]
        for path, owner in owners:
            for name, member in owner._members(kind).items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield join(path, name), member

    def get_submodule(self, target: str) -> Module:
        """
        Submodule of a dotted name.

        Parameters
        ----------
        target : str
            Empty for this module.

        Returns
        -------
        Module
            The module of that name.

        Raises
        ------
        AttributeError
            If there is none.

        Examples
        --------
        >>> tp.nn.Sequential(tp.nn.Identity()).get_submodule("0")
        Identity()
        """
        module: Any = self
        for name in target.split(".") if target else ():
            found = getattr(module, name, None)
            if not isinstance(found, Traversal):
                raise AttributeError(f"get_submodule({target!r}): {type(module).__name__} has no submodule {name!r}")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """
        Put a module at a dotted name.

        Parameters
        ----------
        target : str
            Non-empty; all but the last part must exist.
        module : Module
            What to put there.
        strict : bool, default False
            Raise unless there is a submodule of that name already.

        Raises
        ------
        ValueError, AttributeError
            If the name is empty or leads nowhere, or `module` is no Module.

        Examples
        --------
        >>> m = tp.nn.Sequential(tp.nn.Identity())
        >>> m.set_submodule("0", tp.nn.Linear(1, 1))
        >>> m[0]
        Linear(in_features=1, out_features=1, bias=True)
        """
        if not target:
            raise ValueError("set_submodule(): target must name a submodule, got an empty string")
        if not isinstance(module, Traversal):
            raise ValueError(f"set_submodule({target!r}): expected a Module, got {type(module).__name__}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or name in parent._modules:
            parent.get_submodule(name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """
        Parameter of a dotted name.

        Parameters
        ----------
        target : str
            Dotted name.

        Returns
        -------
        Parameter
            The parameter of that name.

        Raises
        ------
        AttributeError
            If there is none.

        Examples
        --------
        >>> tp.nn.Linear(3, 2).get_parameter("bias").shape
        tensorplay.Size([2])
        """
        return self._get_member("get_parameter", "_parameters", target)

    def get_buffer(self, target: str) -> Tensor:
        """
        Buffer of a dotted name.

        Parameters
        ----------
        target : str
            Dotted name.

        Returns
        -------
        Tensor
            The buffer of that name.

        Raises
        ------
        AttributeError
            If there is none.

        Examples
        --------
        >>> tp.nn.BatchNorm1d(2).get_buffer("running_mean")
        tensor([0., 0.])
        """
        return self._get_member("get_buffer", "_buffers", target)

    def _get_member(self, title: str, kind: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = owner._members(kind).get(name)
        if found is None:
            raise AttributeError(f"{title}({target!r}): {type(owner).__name__} has no {kind[1:-1]} {name!r}")
        return found

    def apply(self: Self, fn: Callable[[Module], None]) -> Self:
        """
        Call a function on every module below this one and on this one; returns this module.

        Parameters
        ----------
        fn : callable
            ``fn(module)``.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> _ = tp.nn.Sequential(tp.nn.Identity()).apply(lambda m: print(type(m).__name__))
        Identity
        Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)  # type: ignore[arg-type]
        return self

    # ---- what functional_call needs

    def _slots(self) -> dict[str, Slot]:
        """Every name of every parameter and buffer, and where it lives, whatever stands in for it here."""
        found: dict[str, Slot] = {}
        for path, owner in self.named_modules(remove_duplicate=False):
            for members in (owner._parameters, owner._buffers):
                for name, member in members.items():
                    found[join(path, name)] = (owner, name, member)
        return found

    def _substituted(self, entries: Sequence[tuple[Module, str, Tensor]]) -> AbstractContextManager[None]:
        """Context in which tensors stand in for parameters and buffers of modules of this tree."""
        return substituted(entries)


def join(prefix: str, name: str) -> str:
    """A dotted name."""
    return f"{prefix}.{name}" if prefix else name
