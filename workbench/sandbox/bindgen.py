"""The JavaScript that the TypeScript compiler's module was made to talk to, as far as it does: a table of values.

The module (from wasm-bindgen) holds no values of its own: it keeps numbers of them and asks for what it needs to know.
Its imports carry a hash behind their name, which changes with each version of the generator.
"""

# The functions below are called with numbers by WebAssembly, as many as their name wants.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, cast

from workbench.sandbox import wasm
from workbench.sandbox.engines import Engine, Instance
from workbench.sandbox.values import UNDEFINED

_HASH = re.compile(r"_[0-9a-f]{16}$")
_FIRST = 132
_RESERVED: Mapping[int, object] = {128: UNDEFINED, 129: None, 130: True, 131: False}
_LOOSE_EQUALS_NULL = (None, UNDEFINED)


class Values:
    """The values that one instance holds numbers of, and the functions that it asks of them."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}
        self._next = 0
        self.instance: Instance | None = None
        self.failure = ""
        """Why the module gave up, if it did; no exception may cross it."""

    def serve(self, instance: Instance) -> None:
        """Begin anew for another instance of the module."""
        self._held, self._next = dict(_RESERVED), _FIRST
        self.instance, self.failure = instance, ""

    def hold(self, value: object) -> int:
        number, self._next = self._next, self._next + 1
        self._held[number] = value
        return number

    def take(self, number: int) -> Any:
        return self._held[number] if number < _FIRST else self._held.pop(number)

    def at(self, number: int) -> Any:
        return self._held[number]

    # ---- memory

    def _text(self, at: int, size: int) -> str:
        return self._memory().read(at & 0xFFFFFFFF, size).decode("utf-8", "replace")

    def _write(self, at: int, form: str, *values: float) -> None:
        self._memory().write(struct.pack(form, *values), at & 0xFFFFFFFF)

    def _memory(self) -> Instance:
        return cast("Instance", self.instance)

    def _put_text(self, at: int, text: str | None) -> None:
        """Where a text lies and its size, written to `at`; twice zero for none."""
        data = (text or "").encode("utf-8", "replace")
        where = 0
        if text is not None:
            where = self._memory().call("__wbindgen_export_2", len(data), 1) & 0xFFFFFFFF
            self._memory().write(data, where)
        self._write(at, "<II", where, len(data))

    # ---- the imports, by name; without its hash where the name alone tells what is meant

    def link(self, engine: Engine, linker: wasm.Linker) -> None:
        """Define what the module imports; what it never calls for the work it is given here gives it up."""
        functions = self.functions()

        def refuse(name: str) -> Callable[..., int]:
            def missing(*_: object) -> int:
                self.failure = f"the compiler needs {name}"
                engine.interrupt()
                return 0

            return missing

        for wanted in engine.module.imports:
            name = wanted.name or ""
            function = functions.get(name) or functions.get(_HASH.sub("", name)) or refuse(name)
            kind = cast("wasm.FuncType", wanted.type)
            nothing = 0 if kind.results else None
            linker.define_func(wanted.module, name, kind, self._guarded(function, engine, nothing))

    def _guarded(
        self, function: Callable[..., Any], engine: Engine, nothing: int | None
    ) -> Callable[..., Any]:
        """The function, with nothing raised into the module: wasmtime keeps what is raised for all threads together.

        A trap comes where the function calls back into a module that is being ended, or has no memory left; then the
        module is ended as soon as it goes on.
        """

        def call(*given: int) -> Any:
            try:
                return function(*given)
            except wasm.Trap as trap:
                if trap.trap_code != wasm.TrapCode.INTERRUPT:
                    self.failure = self.failure or str(trap)
                engine.interrupt()
                return nothing

        return call

    def functions(self) -> dict[str, Callable[..., Any]]:
        at, hold = self.at, self.hold
        return {
            "__wbindgen_error_new": lambda where, size: hold(self._text(where, size)),
            "__wbindgen_string_new": lambda where, size: hold(self._text(where, size)),
            "__wbindgen_number_new": hold,
            "__wbindgen_bigint_from_i64": hold,
            "__wbindgen_bigint_from_u64": lambda value: hold(value & (2**64 - 1)),
            "__wbindgen_object_clone_ref": lambda one: hold(at(one)),
            "__wbindgen_object_drop_ref": self._drop,
            "__wbindgen_is_bigint": lambda _: 0,
            "__wbindgen_is_function": lambda _: 0,
            "__wbindgen_is_undefined": lambda one: int(at(one) is UNDEFINED),
            "__wbindgen_is_string": lambda one: int(isinstance(at(one), str)),
            "__wbindgen_is_object": lambda one: int(isinstance(at(one), dict | list)),
            "__wbindgen_is_falsy": lambda one: int(not at(one) and not isinstance(at(one), dict | list)),
            "__wbindgen_boolean_get": lambda one: int(at(one)) if isinstance(at(one), bool) else 2,
            "__wbindgen_number_get": self._number_get,
            "__wbindgen_string_get": self._string_get,
            "__wbindgen_debug_string": lambda where, one: self._put_text(where, repr(at(one))),
            "__wbindgen_in": lambda key, owner: int(at(key) in at(owner)),
            "__wbindgen_jsval_eq": lambda a, b: int(self._equal(at(a), at(b))),
            "__wbindgen_jsval_loose_eq": lambda a, b: int(
                self._equal(at(a), at(b)) or (at(a) in _LOOSE_EQUALS_NULL and at(b) in _LOOSE_EQUALS_NULL)
            ),
            "__wbindgen_throw": self._throw,
            "__wbg_new_405e22f390576ce2": lambda: hold({}),
            "__wbg_new_78feb108b6472713": lambda: hold([]),
            "__wbg_length": lambda one: len(at(one)),
            "__wbg_isArray": lambda one: int(isinstance(at(one), list)),
            "__wbg_instanceof_Map": lambda _: 0,
            "__wbg_instanceof_Uint8Array": lambda _: 0,
            "__wbg_instanceof_ArrayBuffer": lambda _: 0,
            "__wbg_isSafeInteger": lambda one: int(self._is_integer(at(one))),
            "__wbg_iterator": lambda: hold(UNDEFINED),
            "__wbg_entries": lambda one: hold([list(pair) for pair in at(one).items()]),
            "__wbg_get": self._get,
            "__wbg_getwithrefkey": lambda owner, key: hold(at(owner).get(at(key), UNDEFINED)),
            "__wbg_toString": lambda one: hold(str(at(one))),
            "__wbg_set": self._set,
        }

    def _drop(self, number: int) -> None:
        self.take(number)

    def _throw(self, where: int, size: int) -> None:
        self.failure = self._text(where, size)  # the module ends itself after this

    def _number_get(self, where: int, number: int) -> None:
        value = self.at(number)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        self._write(where, "<i4xd", int(is_number), float(value) if is_number else 0.0)

    def _string_get(self, where: int, number: int) -> None:
        value = self.at(number)
        self._put_text(where, value if isinstance(value, str) else None)

    def _get(self, owner: int, key: int) -> int:
        value = self.at(owner)
        return self.hold(value[key] if isinstance(value, list) else value.get(self.at(key), UNDEFINED))

    def _set(self, owner: int, key: int, item: int) -> None:
        value = self.at(owner)
        if isinstance(value, list):
            cast("list[object]", value).append(self.take(item))
        else:
            value[self.take(key)] = self.take(item)

    @staticmethod
    def _equal(a: object, b: object) -> bool:
        return a is b or (type(a) is type(b) and a == b)

    @staticmethod
    def _is_integer(value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
