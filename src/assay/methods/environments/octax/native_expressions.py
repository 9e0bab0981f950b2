"""Expressions of score and end in numba: one machine at a time, called from the native machine's loop.

The program is that of `expressions.Expression.program`; what each instruction does is written there.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from assay.methods.environments.octax.expressions import STACK, Op

CONSTANT, REGISTER, BYTE, INDEX, DELAY, SOUND, PEEK = (int(op) for op in list(Op)[:7])
NEGATE, NOT, ABS = int(Op.NEGATE), int(Op.NOT), int(Op.ABS)
ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER = (int(op) for op in list(Op)[Op.ADD : Op.AND_BITS])
AND_BITS, OR_BITS, XOR_BITS, LEFT, RIGHT = (int(op) for op in list(Op)[Op.AND_BITS : Op.MIN])
MIN, MAX, AND, OR = (int(op) for op in list(Op)[Op.MIN : Op.LESS])
LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL, SELECT = (int(op) for op in list(Op)[Op.LESS :])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _wrap(value: int) -> int:
    """The lowest 32 bits, with sign."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _binary(op: int, a: int, b: int) -> int:
    """In 64 bits, where nothing overflows, then back to 32."""
    if op == ADD:
        return _wrap(a + b)
    if op == SUBTRACT:
        return _wrap(a - b)
    if op == MULTIPLY:
        return _wrap(a * b)
    if op == DIVIDE:
        return _wrap(a // b) if b != 0 else 0
    if op == REMAINDER:
        return a % b if b != 0 else 0
    if op == AND_BITS:
        return a & b
    if op == OR_BITS:
        return a | b
    if op == XOR_BITS:
        return a ^ b
    if op == LEFT:
        return _wrap(a << (b & 31))
    if op == RIGHT:
        return a >> (b & 31)
    if op == MIN:
        return min(a, b)
    if op == MAX:
        return max(a, b)
    if op == AND:
        return b if a != 0 else a
    if op == OR:
        return a if a != 0 else b
    if op == LESS:
        return 1 if a < b else 0
    if op == LESS_EQUAL:
        return 1 if a <= b else 0
    if op == GREATER:
        return 1 if a > b else 0
    if op == GREATER_EQUAL:
        return 1 if a >= b else 0
    if op == EQUAL:
        return 1 if a == b else 0
    return 1 if a != b else 0


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_on_stack(
    program: NDArray[np.int32],
    V: NDArray[np.uint8],
    memory: NDArray[np.uint8],
    I: int,  # noqa: E741
    delay: int,
    sound: int,
    stack: NDArray[np.int64],
) -> int:
    """As `evaluate_program`, with the room for its stack given: an int64 array of at least `expressions.STACK`.

    For loops over many machines: one stack per thread, instead of one allocation per machine.
    """
    top = -1
    for k in range(0, program.size, 2):
        op, operand = int(program[k]), int(program[k + 1])
        if op < PEEK:
            top += 1
            if op == REGISTER:
                stack[top] = V[operand]
            elif op == CONSTANT:
                stack[top] = operand
            elif op == BYTE:
                stack[top] = memory[operand]
            elif op == INDEX:
                stack[top] = I
            elif op == DELAY:
                stack[top] = delay
            else:
                stack[top] = sound
        elif op == PEEK:
            stack[top] = memory[stack[top] & 0xFFF]
        elif op == NEGATE:
            stack[top] = _wrap(-stack[top])
        elif op == NOT:
            stack[top] = 1 if stack[top] == 0 else 0
        elif op == ABS:
            stack[top] = _wrap(-stack[top] if stack[top] < 0 else stack[top])
        elif op == SELECT:
            top -= 2
            if stack[top + 1] == 0:
                stack[top] = stack[top + 2]
        else:
            b = stack[top]
            value = _binary(op, stack[top - 1], b)
            if operand != 0:  # a comparison of a chain: its right side stays
                stack[top - 1] = value
            else:
                top -= 1
                stack[top] = value
    return int(stack[0])


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_program(
    program: NDArray[np.int32],
    V: NDArray[np.uint8],
    memory: NDArray[np.uint8],
    I: int,  # noqa: E741
    delay: int,
    sound: int,
) -> int:
    """The int32 value of an expression for one machine; callable from numba code and from Python.

    Args:
        program: int32 array (2k,), `Expression.program`; nothing else may be given, since it is not checked again.
        V: the registers, uint8 (16,).
        memory: uint8 (4096,).
        I: the index register, 0 to 65,535.
        delay: the delay timer, 0 to 255.
        sound: the sound timer, 0 to 255.
    """
    return evaluate_on_stack(program, V, memory, I, delay, sound, np.empty(STACK, np.int64))
