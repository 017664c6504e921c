"""The JavaScript that the TypeScript compiler's module was made to talk to, as far as it does: a table of values.

The module (from wasm-bindgen) holds no values of its own: it keeps numbers of them and asks for what it needs to know.
Most that it asks is about its options, which are always the same: the answers are compiled to WebAssembly, as a hundred
calls of Python for each file took longer than the file. What is left is texts and the object that it answers with.
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

Options = Mapping[str, "str | bool | Options"]

_HASH = re.compile(r"_[0-9a-f]{16}$")
_UNDEFINED, _NULL, _TRUE, _FALSE = range(128, 132)
_RESERVED: Mapping[int, object] = {_UNDEFINED: UNDEFINED, _NULL: None, _TRUE: True, _FALSE: False}
_OBJECTS, _WORDS, _OTHERS = 132, 1 << 10, 1 << 20
"""Where the numbers begin: of the options and what they hold, of names, which stay, and of the values of one file."""


class Values:
    """The values that one instance holds numbers of, and the functions that it asks of them."""

    def __init__(self, options: Options) -> None:
        self._words: dict[str, int] = {}
        self._held: dict[int, Any] = {}
        self._next = _OTHERS
        self._instance: Instance | None = None
        self._parts: dict[tuple[int, int], int] = {}
        self._lists: dict[int, tuple[int, int]] = {}
        self._next_object = _OBJECTS
        self.options = self._object(options)
        self.failure = ""
        """Why the module gave up, if it did; no exception may cross it."""

    def serve(self, instance: Instance) -> None:
        self._instance = instance

    def begin(self) -> None:
        """Forget the values of the file before; names stay, for the module keeps their numbers."""
        self._held = {**_RESERVED, **{number: word for word, number in self._words.items()}}
        self._next, self.failure = _OTHERS, ""

    def hold(self, value: object) -> int:
        number, self._next = self._next, self._next + 1
        self._held[number] = value
        return number

    def at(self, number: int) -> Any:
        return self._held[number]

    def _word(self, text: str) -> int:
        return self._words.setdefault(text, _WORDS + len(self._words))

    # ---- the options

    def _object(self, fields: Options) -> int:
        """The number of an object that is there for good: its fields by their names, and a list of pairs of both."""
        number, entries = self._new_object(), self._new_object()
        self._lists[number] = entries, len(fields)
        for at, (name, field) in enumerate(fields.items()):
            pair, key, value = self._new_object(), self._word(name), self._value(field)
            self._parts |= {(number, key): value, (entries, at): pair, (pair, 0): key, (pair, 1): value}
        return number

    def _value(self, value: str | bool | Options) -> int:
        if isinstance(value, bool):
            return _TRUE if value else _FALSE
        return self._word(value) if isinstance(value, str) else self._object(value)

    def _new_object(self) -> int:
        self._next_object += 1
        return self._next_object - 1

    # ---- memory

    def _text(self, at: int, size: int) -> str:
        return self._memory().read(at & 0xFFFFFFFF, size).decode("utf-8", "replace")

    def _write(self, at: int, form: str, *values: float) -> None:
        self._memory().write(struct.pack(form, *values), at & 0xFFFFFFFF)

    def _memory(self) -> Instance:
        return cast("Instance", self._instance)

    def _put_text(self, at: int, text: str | None) -> None:
        """Where a text lies and its size, written to `at`; twice zero for none."""
        data = (text or "").encode("utf-8", "replace")
        where = 0
        if text is not None:
            where = self._memory().call("__wbindgen_export_2", len(data), 1) & 0xFFFFFFFF
            self._memory().write(data, where)
        self._write(at, "<II", where, len(data))

    # ---- the imports, by name; without its hash where the name alone tells what is meant

    def link(self, engine: Engine, store: wasm.Store) -> None:
        """Define what the module imports; what it never calls for the work it is given here gives it up."""
        constant = engine.exports_of(store, self._constant_answers())
        functions = self._functions()

        def refuse(name: str) -> Callable[..., int]:
            def missing(*_: object) -> int:
                self.failure = f"the compiler needs {name}"
                engine.interrupt()
                return 0

            return missing

        for wanted in engine.module.imports:
            name = wanted.name or ""
            short = _HASH.sub("", name)
            if short in constant:
                engine.linker.define(store, wanted.module, name, constant[short])
                continue
            function = functions.get(name) or functions.get(short) or refuse(name)
            kind = cast("wasm.FuncType", wanted.type)
            nothing = 0 if kind.results else None
            engine.linker.define_func(wanted.module, name, kind, self._guarded(function, engine, nothing))

    def _constant_answers(self) -> str:
        """The module that answers by numbers alone, as text. Nothing is let go of before `begin`, so a copy is the same
        number."""
        look = "".join(
            f"(if (i32.and {_is(0, owner)} {_is(1, key)}) (then (return (i32.const {value}))))"
            for (owner, key), value in self._parts.items()
        )
        entries = "".join(_answer(number, entries) for number, (entries, _) in self._lists.items())
        lengths = "".join(_answer(entries, length) for entries, length in self._lists.values())
        undefined = f"(i32.const {_UNDEFINED})"
        is_missing = [f"(i32.or {_is(each, _UNDEFINED)} {_is(each, _NULL)})" for each in (0, 1)]
        is_same = f"(i32.or (i32.eq (local.get 0) (local.get 1)) (i32.and {' '.join(is_missing)}))"
        is_object = f"(i32.and {_is_from(_OBJECTS)} (i32.eqz {_is_from(_WORDS)}))"
        functions = (
            _function("__wbindgen_object_drop_ref", 1, "", result=""),
            _function("__wbindgen_object_clone_ref", 1, "(local.get 0)"),
            _function("__wbindgen_is_undefined", 1, _is(0, _UNDEFINED)),
            _function("__wbindgen_is_falsy", 1, f"(i32.or {is_missing[0]} {_is(0, _FALSE)})"),
            _function("__wbindgen_is_function", 1, "(i32.const 0)"),
            _function("__wbindgen_is_bigint", 1, "(i32.const 0)"),
            _function("__wbindgen_is_object", 1, is_object),
            _function("__wbindgen_is_string", 1, _is_from(_WORDS)),
            _function("__wbindgen_boolean_get", 1, f"{_answer(_TRUE, 1)}{_answer(_FALSE, 0)}(i32.const 2)"),
            _function("__wbindgen_jsval_loose_eq", 2, is_same),
            _function("__wbindgen_in", 2, f"(i32.ne (call $get (local.get 1) (local.get 0)) {undefined})"),
            _function("__wbg_getwithrefkey", 2, "(call $get (local.get 0) (local.get 1))"),
            _function("__wbg_get", 2, f"{look}{undefined}", name="$get"),
            _function("__wbg_iterator", 0, undefined),
            _function("__wbg_isArray", 1, "(i32.const 0)"),
            _function("__wbg_entries", 1, f"{entries}{undefined}"),
            _function("__wbg_length", 1, f"{lengths}(i32.const 0)"),
        )
        return f"(module {''.join(functions)})"

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

    def _functions(self) -> dict[str, Callable[..., Any]]:
        at, hold = self.at, self.hold
        return {
            "__wbindgen_error_new": lambda where, size: hold(self._text(where, size)),
            "__wbindgen_string_new": self._string_new,
            "__wbindgen_number_new": hold,
            "__wbindgen_bigint_from_i64": hold,
            "__wbindgen_bigint_from_u64": lambda value: hold(value & (2**64 - 1)),
            "__wbindgen_number_get": self._number_get,
            "__wbindgen_string_get": self._string_get,
            "__wbindgen_debug_string": lambda where, one: self._put_text(where, repr(at(one))),
            "__wbindgen_throw": self._throw,
            "__wbg_new_405e22f390576ce2": lambda: hold({}),
            "__wbg_new_78feb108b6472713": lambda: hold([]),
            "__wbg_toString": lambda one: hold(str(at(one))),
            "__wbg_set": self._set,
        }

    def _string_new(self, where: int, size: int) -> int:
        text = self._text(where, size)
        if not text.isidentifier():
            return self.hold(text)
        number = self._word(text)
        self._held[number] = text
        return number

    def _throw(self, where: int, size: int) -> None:
        self.failure = self._text(where, size)  # the module ends itself after this

    def _number_get(self, where: int, number: int) -> None:
        value = self.at(number)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        self._write(where, "<i4xd", int(is_number), float(value) if is_number else 0.0)

    def _string_get(self, where: int, number: int) -> None:
        value = self.at(number)
        self._put_text(where, value if isinstance(value, str) else None)

    def _set(self, owner: int, key: int, item: int) -> None:
        value = self.at(owner)
        if isinstance(value, list):
            cast("list[object]", value).append(self.at(item))
        else:
            value[self.at(key)] = self.at(item)


def _function(
    export: str, parameters: int, body: str, *, result: str = "(result i32)", name: str = ""
) -> str:
    return f'(func {name} (export "{export}") {"(param i32)" * parameters} {result} {body})'


def _is(parameter: int, number: int) -> str:
    return f"(i32.eq (local.get {parameter}) (i32.const {number}))"


def _is_from(number: int) -> str:
    return f"(i32.ge_u (local.get 0) (i32.const {number}))"


def _answer(number: int, answer: int) -> str:
    """Answers for one number; goes on for every other."""
    return f"(if {_is(0, number)} (then (return (i32.const {answer}))))"
