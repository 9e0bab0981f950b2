"""Score and end of a game as integer expressions over the machine's registers, such as `"V14//10 - V14%10"` (ours).

An expression is written in Python's syntax and means what Python would make of it, in 32-bit integers:

- `V0` to `V15` (also `VA` to `VF`), `I`, `DT` and `ST` (the delay and the sound timer), `mem[address]` (a byte of
  memory), whole numbers (`10`, `0x1F`), `True` and `False`;
- `+ - * // %`, unary `-`, `& | ^ << >>`, comparisons (also chained), `and`, `or`, `not`, `a if c else b`, `min`, `max`,
  `abs`.

Results wrap round at 2^32 (two's complement). `//` and `%` round down, as in Python; division by 0 gives 0. A shift
uses the lowest five bits of its right side. A comparison and `not` give 1 or 0; `and` and `or` give one of their
operands. An address that is computed counts modulo 4096.

The text is compiled once to a program for a small stack machine, which runs in three ways that agree bit by bit: over
an array of machines in numpy, for one machine in numba (`native_expressions.evaluate_program`), and traced by JAX.
There are no jumps: every operand of `and`, `or` and `if` is computed, and the result selected; nothing in an expression
can fail or change a machine, so the difference cannot be seen.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.machine import MEMORY, Machines

LONGEST = 500
"""Characters of an expression, at most."""
STACK = 32
"""Values that the stack machine holds, at most."""
DEEPEST = 250
"""Levels of nesting, at most."""


class Op(IntEnum):
    """An instruction of the stack machine; each is followed by its operand (0 where it has none)."""

    CONSTANT = 0
    """Push the operand."""
    REGISTER = 1
    """Push V[operand]."""
    BYTE = 2
    """Push memory[operand]."""
    INDEX = 3
    """Push I."""
    DELAY = 4
    SOUND = 5
    PEEK = 6
    """Replace an address by the byte there."""
    NEGATE = 7
    NOT = 8
    ABS = 9
    ADD = 10
    SUBTRACT = 11
    MULTIPLY = 12
    DIVIDE = 13
    REMAINDER = 14
    AND_BITS = 15
    OR_BITS = 16
    XOR_BITS = 17
    LEFT = 18
    RIGHT = 19
    MIN = 20
    MAX = 21
    AND = 22
    """b where a is not 0, otherwise a."""
    OR = 23
    """a where a is not 0, otherwise b."""
    LESS = 24
    """Comparisons: 1 or 0 in place of a and b; with operand 1, b stays on top of it (for chains)."""
    LESS_EQUAL = 25
    GREATER = 26
    GREATER_EQUAL = 27
    EQUAL = 28
    NOT_EQUAL = 29
    SELECT = 30
    """From a, condition, b: a where the condition is not 0, otherwise b."""


_LOADS = range(Op.CONSTANT, Op.PEEK)
_UNARY = range(Op.PEEK, Op.ADD)
_COMPARISONS = range(Op.LESS, Op.SELECT)
_BINARY_OPERATORS: dict[type[ast.operator], Op] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUBTRACT,
    ast.Mult: Op.MULTIPLY,
    ast.FloorDiv: Op.DIVIDE,
    ast.Mod: Op.REMAINDER,
    ast.BitAnd: Op.AND_BITS,
    ast.BitOr: Op.OR_BITS,
    ast.BitXor: Op.XOR_BITS,
    ast.LShift: Op.LEFT,
    ast.RShift: Op.RIGHT,
}
_UNARY_OPERATORS: dict[type[ast.unaryop], Op] = {ast.USub: Op.NEGATE, ast.Not: Op.NOT}
_COMPARISON_OPERATORS: dict[type[ast.cmpop], Op] = {
    ast.Lt: Op.LESS,
    ast.LtE: Op.LESS_EQUAL,
    ast.Gt: Op.GREATER,
    ast.GtE: Op.GREATER_EQUAL,
    ast.Eq: Op.EQUAL,
    ast.NotEq: Op.NOT_EQUAL,
}
_NAMES: dict[str, tuple[Op, int]] = (
    {f"V{x}": (Op.REGISTER, x) for x in range(16)}
    | {f"V{x:X}": (Op.REGISTER, x) for x in range(16)}
    | {"I": (Op.INDEX, 0), "DT": (Op.DELAY, 0), "ST": (Op.SOUND, 0)}
)
_FUNCTIONS = {"min": Op.MIN, "max": Op.MAX, "abs": Op.ABS}


@dataclass(frozen=True)
class Expression:
    """An integer expression over the registers of a machine; immutable, equal and hashed by its text.

    Args:
        text: the expression, at most 500 characters, in the language that this module describes.

    Attributes:
        program: int32 array (2k,), k instructions of `Op`, each with its operand; read-only.

    Raises:
        ValueError: where the text is none; one line that quotes it and names the column.
    """

    text: str
    program: NDArray[np.int32] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ValueError(f'expression: {self.text!r} is no text; write it as "V5"')
        object.__setattr__(self, "text", self.text.strip())
        program = np.array(_Compiler(self.text).program, np.int32)
        program.setflags(write=False)
        object.__setattr__(self, "program", program)

    def __reduce__(self) -> tuple[type[Expression], tuple[str]]:
        return Expression, (self.text,)

    def __str__(self) -> str:
        return self.text

    def evaluate(self, machines: Machines) -> NDArray[np.int32]:
        """The value for each machine, int32 (n,).

        Args:
            machines: array (n,) of dtype `machine.machine_dtype`.
        """
        values: list[Any] = []
        for op, operand in self.program.reshape(-1, 2).tolist():
            if op in _LOADS:
                values.append(_load(machines, op, operand))
            elif op == Op.PEEK:
                address = values.pop() & (MEMORY - 1)
                values.append(np.take_along_axis(machines["memory"], address[:, None], 1)[:, 0].astype(np.int64))
            else:
                _apply(values, op, operand, np, _numpy_binary)
        result: NDArray[np.int32] = values[0].astype(np.int32)
        return result

    def evaluate_jax(self, state: Any) -> Any:
        """The value for each machine as a jax array int32 (...,); works under `jit` and `vmap`.

        Args:
            state: anything with the jax arrays V (..., 16), memory (..., 4096), I, delay and sound (...,), of any
                integer types.
        """
        import jax.numpy as jnp

        shape = state.V.shape[:-1]
        values: list[Any] = []
        for op, operand in self.program.reshape(-1, 2).tolist():
            if op == Op.CONSTANT:
                values.append(jnp.full(shape, operand, jnp.int32))
            elif op == Op.REGISTER:
                values.append(state.V[..., operand].astype(jnp.int32))
            elif op == Op.BYTE:
                values.append(state.memory[..., operand].astype(jnp.int32))
            elif op in _LOADS:
                part = {Op.INDEX: state.I, Op.DELAY: state.delay, Op.SOUND: state.sound}[Op(op)]
                values.append(jnp.asarray(part).astype(jnp.int32))
            elif op == Op.PEEK:
                address = values.pop() & (MEMORY - 1)
                byte = jnp.take_along_axis(state.memory, address[..., None], -1)[..., 0]
                values.append(byte.astype(jnp.int32))
            else:
                _apply(values, op, operand, jnp, _jax_binary)
        return values[0]


def _load(machines: Machines, op: int, operand: int) -> NDArray[np.int64]:
    """What a push finds, widened to 64 bits."""
    if op == Op.CONSTANT:
        return np.full(len(machines), operand, np.int64)
    part = {Op.REGISTER: "V", Op.BYTE: "memory", Op.INDEX: "I", Op.DELAY: "delay", Op.SOUND: "sound"}[Op(op)]
    column: NDArray[Any] = machines[part][:, operand] if op in (Op.REGISTER, Op.BYTE) else machines[part]
    return column.astype(np.int64)


def _apply(values: list[Any], op: int, operand: int, xp: Any, binary: Any) -> None:
    """One instruction other than a load on the stack `values`; `xp` is numpy or jax.numpy."""
    b = values.pop()
    if op == Op.NOT:
        values.append((b == 0).astype(b.dtype))
    elif op in _UNARY:
        zero = xp.zeros_like(b)
        values.append(
            binary(xp, Op.SUBTRACT, zero, b)
            if op == Op.NEGATE
            else xp.where(b < 0, binary(xp, Op.SUBTRACT, zero, b), b)
        )
    elif op == Op.SELECT:
        condition, a = values.pop(), values.pop()
        values.append(xp.where(condition != 0, a, b))
    else:
        a = values.pop()
        values.append(binary(xp, op, a, b))
        if op in _COMPARISONS and operand:
            values.append(b)


def _numpy_binary(xp: Any, op: int, a: Any, b: Any) -> Any:
    """In 64 bits, where nothing overflows, then back to 32."""
    return _binary(xp, op, a, b).astype(np.int32).astype(np.int64)


def _jax_binary(xp: Any, op: int, a: Any, b: Any) -> Any:
    """In 32 bits, which wrap."""
    return _binary(xp, op, a, b).astype(xp.int32)


def _binary(xp: Any, op: int, a: Any, b: Any) -> Any:
    match op:
        case Op.ADD:
            return a + b
        case Op.SUBTRACT:
            return a - b
        case Op.MULTIPLY:
            return a * b
        case Op.DIVIDE:
            return xp.where(b == 0, 0, a // xp.where(b == 0, 1, b))
        case Op.REMAINDER:
            return xp.where(b == 0, 0, a % xp.where(b == 0, 1, b))
        case Op.AND_BITS:
            return a & b
        case Op.OR_BITS:
            return a | b
        case Op.XOR_BITS:
            return a ^ b
        case Op.LEFT:
            return a << (b & 31)
        case Op.RIGHT:
            return a >> (b & 31)
        case Op.MIN:
            return xp.minimum(a, b)
        case Op.MAX:
            return xp.maximum(a, b)
        case Op.AND:
            return xp.where(a != 0, b, a)
        case Op.OR:
            return xp.where(a != 0, a, b)
        case Op.LESS:
            return a < b
        case Op.LESS_EQUAL:
            return a <= b
        case Op.GREATER:
            return a > b
        case Op.GREATER_EQUAL:
            return a >= b
        case Op.EQUAL:
            return a == b
        case _:
            return a != b


class _Compiler:
    """Text to a program; every refusal is one line that quotes the text and names the column."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.program: list[int] = []
        self.height = 0
        self._emit_node(self._parse(), 0)

    def _parse(self) -> ast.expr:
        if not self.text:
            raise ValueError('expression: it is empty; write a register, such as "V5", or a number')
        if len(self.text) > LONGEST:
            raise ValueError(
                f"expression {self.text[:40] + '...'!r}: {len(self.text)} characters; at most {LONGEST} are allowed"
            )
        strange = next((i for i, c in enumerate(self.text) if not (" " <= c <= "~" or c == "\t")), None)
        if strange is not None:
            raise self._error(f"bad syntax (no expression has the character {self.text[strange]!r})", strange + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "1if V0 else 2" is odd, but clear
                return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            column = error.offset or len(self.text) + 1  # 0 where the text ends too early
            raise self._error(f"bad syntax ({error.msg})", column) from None
        except (RecursionError, MemoryError):
            raise self._error("too deep", 1) from None

    def _error(self, what: str, at: ast.AST | int) -> ValueError:
        """`at`: a node, or a column counted from 1."""
        column = at if isinstance(at, int) else getattr(at, "col_offset", 0) + 1
        return ValueError(f"expression {self.text!r}, column {column}: {what}")

    def _emit(self, node: ast.AST, op: Op, operand: int = 0) -> None:
        pushes = 1 if op in _LOADS else 0 if op in _UNARY else -2 if op == Op.SELECT else -1
        if op in _COMPARISONS and operand:
            pushes = 0
        self.height += pushes
        if self.height > STACK:
            raise self._error(f"too deep: it needs more than {STACK} values at once; use fewer brackets", node)
        self.program += [int(op), operand]

    def _emit_node(self, node: ast.expr, depth: int) -> None:
        if depth > DEEPEST:
            raise self._error(f"too deep: more than {DEEPEST} levels of nesting", node)
        deeper = depth + 1
        match node:
            case ast.Constant(value=value):
                self._constant(node, value)
            case ast.Name(id=name):
                self._emit(node, *self._name(node, name))
            case ast.Subscript(value=ast.Name(id="mem"), slice=index):
                self._memory(node, index, deeper)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY_OPERATORS:
                self._emit_node(operand, deeper)
                self._emit(node, _UNARY_OPERATORS[type(op)])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY_OPERATORS:
                self._emit_node(left, deeper)
                self._emit_node(right, deeper)
                self._emit(node, _BINARY_OPERATORS[type(op)])
            case ast.BinOp(op=ast.Div()):
                raise self._error("/ gives fractions; write // for whole numbers", node)
            case ast.BoolOp(op=op, values=values):
                self._fold(node, values, Op.AND if isinstance(op, ast.And) else Op.OR, deeper)
            case ast.Compare():
                self._compare(node, deeper)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                for part in (body, test, orelse):
                    self._emit_node(part, deeper)
                self._emit(node, Op.SELECT)
            case ast.Call():
                self._call(node, deeper)
            case _:
                raise self._error(f"{self._quote(node)} is not allowed here; {_ALLOWED}", node)

    def _quote(self, node: ast.AST) -> str:
        source = ast.get_source_segment(self.text, node) or self.text
        return repr(source if len(source) <= 30 else source[:27] + "...")

    def _constant(self, node: ast.expr, value: object) -> None:
        if not isinstance(value, int):
            kind = "a fraction" if isinstance(value, float) else "no whole number"
            raise self._error(f"{self._quote(node)} is {kind}; all numbers here are whole", node)
        if value >= 1 << 32:
            raise self._error(f"{self._quote(node)} does not fit into 32 bits", node)
        self._emit(node, Op.CONSTANT, value - (1 << 32) if value >= 1 << 31 else int(value))

    def _name(self, node: ast.expr, name: str) -> tuple[Op, int]:
        if name in _NAMES:
            return _NAMES[name]
        if name == "mem":
            raise self._error("mem needs an address, such as mem[0x3F0]", node)
        if name in _FUNCTIONS:
            raise self._error(f"{name} needs its values in brackets, such as {name}(V1, V2)", node)
        if name[0] == "V" and name[1:].isdigit():
            raise self._error(f"no register {name}; there are V0 to V15 (V10 to V15 are also VA to VF)", node)
        close = difflib.get_close_matches(name.upper(), [n.upper() for n in [*_NAMES, "mem", *_FUNCTIONS]], 3)
        names = [n for n in [*_NAMES, "mem", *_FUNCTIONS] if n.upper() in close]
        advice = f"did you mean {' or '.join(names)}?" if names else _ALLOWED
        raise self._error(f"unknown name {name!r}; {advice}", node)

    def _memory(self, node: ast.expr, index: ast.expr, depth: int) -> None:
        if isinstance(index, ast.Slice | ast.Tuple):
            raise self._error("mem[...] takes one address", node)
        start, height = len(self.program), self.height
        self._emit_node(index, depth)
        inner = np.array(self.program[start:], np.int32)
        if np.isin(inner[::2], [Op.REGISTER, Op.BYTE, Op.INDEX, Op.DELAY, Op.SOUND, Op.PEEK]).any():
            self._emit(node, Op.PEEK)
            return
        address = _constant_value(inner)
        if not 0 <= address < MEMORY:
            raise self._error(f"address {address} is outside the memory, 0 to {MEMORY - 1} (0xFFF)", index)
        self.program, self.height = self.program[:start], height
        self._emit(node, Op.BYTE, address)

    def _fold(self, node: ast.expr, values: list[ast.expr], op: Op, depth: int) -> None:
        self._emit_node(values[0], depth)
        for value in values[1:]:
            self._emit_node(value, depth)
            self._emit(node, op)

    def _compare(self, node: ast.Compare, depth: int) -> None:
        """a < b < c: the middle is computed once and kept on top of the first result."""
        self._emit_node(node.left, depth)
        for i, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            if type(op) not in _COMPARISON_OPERATORS:
                raise self._error(f"{self._quote(node)} is no comparison of numbers; use < <= > >= == !=", node)
            self._emit_node(right, depth)
            self._emit(node, _COMPARISON_OPERATORS[type(op)], int(i < len(node.ops)))
        for _ in node.ops[1:]:
            self._emit(node, Op.AND)

    def _call(self, node: ast.Call, depth: int) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS:
            raise self._error(f"{self._quote(node.func)} cannot be called; there are min, max and abs", node)
        plain = not node.keywords and not any(isinstance(value, ast.Starred) for value in node.args)
        if name == "abs":
            if not plain or len(node.args) != 1:
                raise self._error("abs takes one value, such as abs(V1 - V2)", node)
            self._emit_node(node.args[0], depth)
            self._emit(node, Op.ABS)
            return
        if not plain or len(node.args) < 2:
            raise self._error(f"{name} takes two values or more, such as {name}(V1, V2)", node)
        self._fold(node, node.args, _FUNCTIONS[name], depth)


_ALLOWED = "an expression has V0 to V15, I, DT, ST, mem[address], whole numbers and operators"


def _constant_value(program: NDArray[np.int32]) -> int:
    """The value of a program that loads nothing of a machine."""
    values: list[Any] = []
    for op, operand in program.reshape(-1, 2).tolist():
        if op == Op.CONSTANT:
            values.append(np.full(1, operand, np.int64))
        else:
            _apply(values, op, operand, np, _numpy_binary)
    return int(values[0][0])
