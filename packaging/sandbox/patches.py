"""What is changed in QuickJS before it is compiled: a call that fails is at its own place, not in its last argument.

QuickJS notes the place of a call, then compiles the arguments, whose places are noted behind it. So an error would name
the wrong line, and say of the wrong name that it is no function. Here the call's place is noted again behind them.
"""

from __future__ import annotations

from inputs import InputError

_PARSER = "static __exception int js_parse_postfix_expr(JSParseState *s, int parse_flags)\n{"
_KEPT = " call_line = s->token.line_num; call_column = s->token.col_num;"
_AGAIN = " if (call_line) emit_source_loc_at(s, call_line, call_column);"

_INSERTED = {
    _PARSER: " int call_line = 0, call_column = 0;",
    "parse_func_call:\n": _KEPT,
    "call_type = FUNC_CALL_TEMPLATE;": _KEPT,
    "/* apply function call */": _AGAIN,
    "emit_func_call:\n": _AGAIN,
}
"""What is put behind a text that is there once."""


def patched(source: str) -> str:
    """The text of quickjs.c with the changes. Raises InputError when it is another than they were made for."""
    for text, inserted in _INSERTED.items():
        if source.count(text) != 1:
            raise InputError(f"quickjs.c is not the one that was reviewed: {text!r} is not there once")
        source = source.replace(text, text + inserted)
    return source
