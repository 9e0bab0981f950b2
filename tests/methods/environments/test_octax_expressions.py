"""Expressions: what they mean, four evaluations that agree, and what is refused."""

import ast
import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lockstep import differences, random_machines

from assay.methods.environments.octax.expressions import DEEPEST, LONGEST, Expression
from assay.methods.environments.octax.machine import machine_dtype
from assay.methods.environments.octax.native_expressions import evaluate_on_stack, evaluate_program

# --- the oracle: Python's own arithmetic, walking the syntax tree -------------------------------------------------


def wrap(value):
    return (int(value) + 2**31) % 2**32 - 2**31


BINARY = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else 0,
    ast.Mod: lambda a, b: a % b if b else 0,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.LShift: lambda a, b: a << (b % 32),
    ast.RShift: lambda a, b: a >> (b % 32),
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


def oracle(text, machine):
    names = {f"V{x}": int(machine["V"][x]) for x in range(16)} | {f"V{x:X}": int(machine["V"][x]) for x in range(16)}
    names |= {"I": int(machine["I"]), "DT": int(machine["delay"]), "ST": int(machine["sound"])}

    def value(node):
        match node:
            case ast.Constant():
                return wrap(node.value)
            case ast.Name():
                return names[node.id]
            case ast.Subscript():
                return int(machine["memory"][value(node.slice) % 4096])
            case ast.UnaryOp(op=ast.USub()):
                return wrap(-value(node.operand))
            case ast.UnaryOp(op=ast.Not()):
                return int(not value(node.operand))
            case ast.BinOp():
                return wrap(BINARY[type(node.op)](value(node.left), value(node.right)))
            case ast.BoolOp(op=ast.And()):
                return next((v for v in map(value, node.values) if not v), value(node.values[-1]))
            case ast.BoolOp():
                return next((v for v in map(value, node.values) if v), value(node.values[-1]))
            case ast.Compare():
                values = [value(node.left), *map(value, node.comparators)]
                pairs = zip(node.ops, values[:-1], values[1:], strict=True)
                return int(all(BINARY[type(op)](a, b) for op, a, b in pairs))
            case ast.IfExp():
                return value(node.body) if value(node.test) else value(node.orelse)
            case ast.Call():
                found = {"min": min, "max": max, "abs": abs}[node.func.id]
                return wrap(found(*map(value, node.args)))

    return value(ast.parse(text, mode="eval").body)


def python_value(text, machine):
    return wrap(oracle(text, machine))


def native_value(expression, machine):
    m = machine
    return evaluate_program(expression.program, m["V"], m["memory"], int(m["I"]), int(m["delay"]), int(m["sound"]))


def jax_state(machines):
    jnp = pytest.importorskip("jax.numpy")
    return SimpleNamespace(**{name: jnp.asarray(machines[name]) for name in ("V", "memory", "I", "delay", "sound")})


# --- random expressions -------------------------------------------------------------------------------------------

leaves = st.one_of(
    st.integers(0, 15).map(lambda x: f"V{x}"),
    st.sampled_from(["VA", "VF", "I", "DT", "ST", "True", "mem[0]", "mem[0xFFF]", "mem[4 * 100 - 1]"]),
    st.integers(0, 300).map(str),
    st.sampled_from(["0", "1", "31", "0x7FFFFFFF", "0x80000000", "0xFFFFFFFF", "65536"]),
)


def larger(inner):
    binary = st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "and", "or"])
    compare = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    chains = st.lists(st.tuples(compare, inner), min_size=1, max_size=3)
    return st.one_of(
        st.tuples(inner, binary, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, chains).map(lambda t: "(" + t[0] + "".join(f" {op} {b}" for op, b in t[1]) + ")"),
        st.tuples(st.sampled_from(["-", "not "]), inner).map(lambda t: f"({t[0]}{t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda t: f"{t[0]}({', '.join(t[1])})"
        ),
        inner.map(lambda a: f"abs({a})"),
        inner.map(lambda a: f"mem[{a} + V0]"),
    )


expressions = st.recursive(leaves, larger, max_leaves=12).filter(lambda text: len(text) <= LONGEST)
MACHINES = random_machines(12, np.random.default_rng(5))
MACHINES["V"][0] = [0, 1, 2, 3, 4, 5, 31, 32, 127, 128, 254, 255, 0, 0, 9, 10]
MACHINES["V"][1] = 0
MACHINES["V"][2] = 255


@settings(max_examples=300, deadline=None)
@given(expressions)
def test_numpy_and_numba_agree_with_python(text):
    expression = Expression(text)
    expected = [python_value(text, machine) for machine in MACHINES]
    values = expression.evaluate(MACHINES)
    assert values.dtype == np.int32
    assert values.tolist() == expected
    assert [native_value(expression, machine) for machine in MACHINES] == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(expressions, min_size=4, max_size=4))
def test_jax_agrees_with_numpy(texts):
    state = jax_state(MACHINES)
    for text in texts:
        values = Expression(text).evaluate_jax(state)
        assert values.dtype == np.int32
        assert np.asarray(values).tolist() == Expression(text).evaluate(MACHINES).tolist()


@pytest.mark.parametrize(
    "text", ["7", "V14//10 - V14%10", "mem[I + V3] if V1 < V2 <= 200 else -DT", "max(V1, V2, 9) << 27 or ST"]
)
def test_jax_under_jit_and_vmap(text):
    jax = pytest.importorskip("jax")
    expression = Expression(text)
    names = ("V", "memory", "I", "delay", "sound")
    arrays = [jax.numpy.asarray(MACHINES[name]) for name in names]

    def evaluate(*parts):
        return expression.evaluate_jax(SimpleNamespace(**dict(zip(names, parts, strict=True))))

    expected = expression.evaluate(MACHINES).tolist()
    assert jax.jit(evaluate)(*arrays).tolist() == expected
    one_by_one = jax.jit(jax.vmap(evaluate))(*arrays)
    assert one_by_one.dtype == np.int32
    assert one_by_one.tolist() == expected


# --- what they mean -----------------------------------------------------------------------------------------------


def machine(**parts):
    machines = np.zeros(1, machine_dtype())
    machines["V"][0, :] = parts.get("V", np.arange(16) * 10)
    machines["memory"][0, :] = np.arange(4096) % 251
    machines["I"], machines["delay"], machines["sound"] = 0x1234, 7, 9
    return machines


CASES = [
    ("V5", 50),
    ("V5 + 256*V6", 50 + 256 * 60),
    ("V14//10 - V14%10", 14),
    ("VE == V14 == 140", 1),
    ("VA + VF", 250),
    ("I", 0x1234),
    ("DT*100 + ST", 709),
    ("mem[0x3F0]", 0x3F0 % 251),
    ("mem[V0 - 1]", 4095 % 251),
    ("mem[4095 + V1]", 9),
    ("-V1", -10),
    ("-7 // 2", -4),
    ("-7 % 2", 1),
    ("7 % -2", -1),
    ("7 // 0", 0),
    ("7 % 0", 0),
    ("0x7FFFFFFF + 1", -(2**31)),
    ("0x80000000 // -1", -(2**31)),
    ("0x80000000 % -1", 0),
    ("abs(0x80000000)", -(2**31)),
    ("-0x80000000", -(2**31)),
    ("0xFFFFFFFF", -1),
    ("65536 * 65536", 0),
    ("65537 * 65537", 131073),
    ("1 << 31", -(2**31)),
    ("1 << 32", 1),
    ("1 << -1", -(2**31)),
    ("-1 >> 31", -1),
    ("-8 >> 33", -4),
    ("6 & 3 | 8 ^ 1", 2 | 9),
    ("1 < V1 < 11 < V2", 1),
    ("1 < V1 < 10", 0),
    ("10 > V1 < 11", 0),
    ("not V1", 0),
    ("not V0", 1),
    ("V1 and V2", 20),
    ("V0 and V2", 0),
    ("V0 or V2", 20),
    ("V1 or V2", 10),
    ("V0 or False or V3 and 7", 7),
    ("V1 if V0 else V2", 20),
    ("V1 if V2 > V1 else V2", 10),
    ("min(V3, V1, V2)", 10),
    ("max(V3, V1, V2)", 30),
    ("abs(V1 - V2)", 10),
    ("  V1\t", 10),
    ("True + True", 2),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_meaning(text, expected):
    machines = machine()
    expression = Expression(text)
    assert expression.evaluate(machines).tolist() == [expected]
    assert native_value(expression, machines[0]) == expected
    assert int(expression.evaluate_jax(jax_state(machines))[0]) == expected


def test_no_machines_and_high_resolution():
    assert Expression("V1 + mem[I]").evaluate(MACHINES[:0]).shape == (0,)
    machines = np.zeros(3, machine_dtype(hires=True))
    machines["V"][:, 4] = [1, 2, 3]
    assert Expression("V4").evaluate(machines).tolist() == [1, 2, 3]


def test_machines_are_left_alone():
    before = MACHINES.copy()
    Expression("mem[V1] + V2 // V3").evaluate(MACHINES)
    assert differences(before, MACHINES) == []


def test_one_stack_serves_many_machines():
    stack = np.full(32, 99, np.int64)
    expression = Expression("V1 - (V2 - (V3 - V4))")
    for m in MACHINES:
        value = evaluate_on_stack(expression.program, m["V"], m["memory"], 0, 0, 0, stack)
        assert value == python_value(expression.text, m)


def test_immutable_hashable_readable():
    expression = Expression(" V5 ")
    assert repr(expression) == "Expression(text='V5')"
    assert str(expression) == "V5"
    assert {expression: 1}[Expression("V5")] == 1
    assert expression != Expression("V6")
    with pytest.raises(AttributeError):
        expression.text = "V6"
    with pytest.raises(ValueError, match="read-only"):
        expression.program[0] = 1
    for twin in (pickle.loads(pickle.dumps(expression)), copy.deepcopy(expression)):
        assert twin == expression
        assert twin.program.tolist() == expression.program.tolist()
        assert not twin.program.flags.writeable


def test_constant_address_becomes_one_load():
    assert Expression("mem[0x300 + 16*15]").program.tolist() == Expression("mem[0x3F0]").program.tolist()
    assert Expression("mem[0x3F0]").program.size == 2


# --- what is refused ----------------------------------------------------------------------------------------------

REFUSED = [
    ("V16", 1, "no register V16; there are V0 to V15"),
    ("V1 + V99", 6, "no register V99"),
    ("V1 + v5", 6, "did you mean V5"),
    ("Mem", 1, "did you mean mem"),
    ("score", 1, "unknown name 'score'; an expression has V0 to V15"),
    ("V1 +", 5, "bad syntax"),
    ("(V1", 1, "bad syntax"),
    ("V1 V2", 4, "bad syntax"),
    ("V5 = 3", 4, "bad syntax"),
    ("V1\n+V2", 3, "bad syntax"),
    ("V1; V2", 3, "bad syntax"),
    ("V1 + 1.5", 6, "'1.5' is a fraction"),
    ("1e3", 1, "is a fraction"),
    ("2j", 1, "no whole number"),
    ("'V5'", 1, "no whole number"),
    ("None", 1, "no whole number"),
    ("...", 1, "no whole number"),
    ("4294967296", 1, "does not fit into 32 bits"),
    ("V1 / 2", 1, "write // for whole numbers"),
    ("V1 ** 2", 1, "not allowed here"),
    ("V1 @ V2", 1, "not allowed here"),
    ("~V1", 1, "not allowed here"),
    ("+V1", 1, "not allowed here"),
    ("V1.real", 1, "'V1.real' is not allowed here"),
    ("V[3]", 1, "'V[3]' is not allowed here"),
    ("mem", 1, "mem needs an address"),
    ("min", 1, "min needs its values in brackets"),
    ("mem[1:2]", 1, "mem[...] takes one address"),
    ("mem[1, 2]", 1, "mem[...] takes one address"),
    ("mem[4096]", 5, "address 4096 is outside the memory, 0 to 4095"),
    ("V1 + mem[-1]", 10, "address -1 is outside the memory"),
    ("mem[2 * 2048]", 5, "address 4096 is outside"),
    ("mem[V1 + mem[5000]]", 14, "address 5000 is outside"),
    ("sum(V1, V2)", 1, "'sum' cannot be called; there are min, max and abs"),
    ("__import__('os')", 1, "cannot be called"),
    ("V1.bit_length()", 1, "cannot be called"),
    ("(lambda: 1)()", 1, "cannot be called"),
    ("lambda: 1", 1, "not allowed here"),
    ("[V1]", 1, "not allowed here"),
    ("V1, V2", 1, "not allowed here"),
    ("(V1 := 3)", 2, "not allowed here"),
    ("f'{V1}'", 1, "not allowed here"),
    ("V1 in V2", 1, "no comparison of numbers"),
    ("V1 is 1", 1, "no comparison of numbers"),
    ("abs(V1, V2)", 1, "abs takes one value"),
    ("min(V1)", 1, "min takes two values or more"),
    ("max(V1, key=V2)", 1, "max takes two values or more"),
    ("max(*V1, V2)", 1, "max takes two values or more"),
    ("V1 + öl", 6, "no expression has the character 'ö'"),
    ("Ｖ5", 1, "no expression has the character"),
    ("V1\0", 3, "no expression has the character '\\x00'"),
    ("V1 \ud800", 4, "no expression has the character"),
]


@pytest.mark.parametrize(("text", "column", "what"), REFUSED)
def test_refused_with_one_line_and_the_column(text, column, what):
    with pytest.raises(ValueError, match="expression") as error:
        Expression(text)
    message = str(error.value)
    assert repr(text) in message
    assert f"column {column}: " in message
    assert what in message
    assert "\n" not in message


def test_empty_long_deep_and_no_text():
    with pytest.raises(ValueError, match="it is empty"):
        Expression("  ")
    with pytest.raises(ValueError, match="is no text"):
        Expression(5)
    assert Expression("+".join(["V1"] * 167)).evaluate(MACHINES)[0] == 167 * MACHINES["V"][0, 1]
    with pytest.raises(ValueError, match=f"501 characters; at most {LONGEST}"):
        Expression("+".join(["V1"] * 167) + "+")
    deep = "-" * (DEEPEST + 1) + "1"
    with pytest.raises(ValueError, match=f"column {DEEPEST + 2}: too deep: more than {DEEPEST} levels"):
        Expression(deep)
    with pytest.raises(ValueError, match="more than 32 values at once"):
        Expression("V1-(" * 40 + "V1" + ")" * 40)
    with pytest.raises(ValueError, match=r"too many nested parentheses|too deep"):
        Expression("(" * 240 + "V1" + ")" * 240)


def test_chains_of_comparisons_stay_small():
    """A nested chain computes its middle once: the program grows with the text, not with its powers."""
    text = "V1"
    while len(text) < 300:
        text = f"0 < ({text}) < 9"
    assert Expression(text).program.size < 2 * len(text)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("V0159ABF()[]<>=+-*/%&|^, .memifelsandorIDTabx"), max_size=25))
def test_any_text_is_an_expression_or_one_plain_line(text):
    expression, message = None, ""
    try:
        expression = Expression(text)
    except ValueError as error:
        message = str(error)
    if expression is None:
        assert message.startswith("expression")
        assert "\n" not in message
    else:
        assert expression.evaluate(MACHINES).tolist() == [python_value(text.strip(), m) for m in MACHINES]
