"""dataclass(frozen=True) without the module dataclasses, which takes as long to import as all others
that a loop needs: it is imported when somebody asks for the fields."""

from __future__ import annotations

from reprlib import recursive_repr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _C = TypeVar("_C", bound=type[Any])


def dataclass(**_options: bool) -> Callable[[_C], _C]:
    """The decorator, for a class that has an __init__ of its own."""

    def decorate(cls: _C) -> _C:
        attributes: dict[str, Any] = {
            "__match_args__": (*getattr(cls, "__match_args__", ()), *cls.__annotations__),
            "__dataclass_fields__": _Later(cls, "__dataclass_fields__"),
            "__dataclass_params__": _Later(cls, "__dataclass_params__"),
            "__repr__": _repr,
            "__eq__": _eq,
            "__hash__": _hash,
            "__replace__": _replace,
            "__setattr__": _refusing(cls, "assign to", cls.__setattr__),
            "__delattr__": _refusing(cls, "delete", cls.__delattr__),
        }
        for name, attribute in attributes.items():
            if not (name == "__repr__" and name in cls.__dict__):
                setattr(cls, name, attribute)
        return cls

    return decorate


class _Later:
    """An attribute by which dataclasses knows a class, made when it is read."""

    def __init__(self, cls: type[Any], name: str) -> None:
        self._cls, self._name = cls, name

    def __get__(self, instance: object, owner: object) -> Any:
        from dataclasses import field, make_dataclass
        from typing import get_type_hints

        cls, fields = self._cls, []
        for name, kind in get_type_hints(cls).items():
            default = {"default": getattr(cls, name)} if hasattr(cls, name) else {}
            fields.append((name, kind, field(**default)))
        made = getattr(make_dataclass(cls.__name__, fields, frozen=True), self._name)
        setattr(cls, self._name, made)
        return made


def _values(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, name) for name in self.__match_args__)


@recursive_repr()
def _repr(self: Any) -> str:
    fields = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({', '.join(fields)})"


def _eq(self: Any, other: Any) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _replace(self: Any, /, **changes: Any) -> Any:
    from dataclasses import replace

    return replace(self, **changes)


def _refusing(cls: type[Any], what: str, change: Callable[..., None]) -> Callable[..., None]:
    """Changes the attributes that a subclass adds, and no field."""

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is cls or name in cls.__match_args__:
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot {what} field {name!r}")
        change(self, name, *value)

    return refuse
