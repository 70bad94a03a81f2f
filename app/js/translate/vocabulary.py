"""JavaScript equivalents of Python's names, functions, methods, operators and plain values."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable

RESERVED = set("arguments await case catch const debugger default delete do enum eval export extends function implements"
               " instanceof interface let new null package private protected public static super switch this throw typeof"
               " var void yield".split())
BUILTINS = set("abs all any bool callable dict enumerate float int len list max min next range reversed round set sorted str"
               " sum tuple zip".split())
ERRORS = {"ValueError", "TypeError", "KeyError"}
METHODS = {  # methods of built-in types, by the number of arguments: {0} is the object; {1}, ... are the arguments
    "append": {1: "{0}.push({1})"}, "extend": {1: "{0}.push(...py.iter({1}))"}, "items": {0: "py.items({0})"},
    "values": {0: "py.values({0})"}, "get": {1: "py.get({0}, {1})", 2: "py.get({0}, {1}, {2})"},
    "pop": {0: "{0}.pop()"}, "join": {1: "py.iter({1}).join({0})"}, "split": {1: "{0}.split({1})"},
    "strip": {0: "{0}.trim()"}, "removeprefix": {1: "py.removeprefix({0}, {1})"}, "partition": {1: "py.partition({0}, {1})"},
    "isascii": {0: "py.isascii({0})"}, "isdigit": {0: "py.isdigit({0})"},
    "rstrip": {1: "py.rstrip({0}, {1})"}, "startswith": {1: "{0}.startsWith({1})"}, "endswith": {1: "{0}.endsWith({1})"},
    "upper": {0: "{0}.toUpperCase()"}, "lower": {0: "{0}.toLowerCase()"}, "replace": {2: "{0}.replaceAll({1}, {2})"},
    "index": {1: "{0}.indexOf({1})"}, "bit_length": {0: "py.bit_length({0})"}}
MATH = {name: f"Math.{name}" for name in "atanh ceil expm1 floor hypot log log10 log2 sqrt tanh".split()} | {
    "isfinite": "Number.isFinite", "isnan": "Number.isNaN", "isinf": "py.isinf", "pi": "Math.PI",
    "e": "Math.E", "inf": "Infinity", "nan": "NaN"}
ARITHMETIC = {ast.Add: "{} + {}", ast.Sub: "{} - {}", ast.Mult: "{} * {}", ast.Div: "{} / {}", ast.Pow: "{} ** {}",
              ast.FloorDiv: "Math.floor({} / {})", ast.Mod: "py.mod({}, {})", ast.LShift: "{} * 2 ** {}",
              ast.RShift: "Math.floor({} / 2 ** {})", ast.BitAnd: "{} & {}"}
ELEMENTWISE = {  # functions of `lab/numpy.js` for operators of numbers and arrays, in modules that import NumPy
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power",
    ast.FloorDiv: "floor_divide", ast.Mod: "remainder", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.Eq: "equal",
    ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal",
    ast.USub: "negative", ast.Invert: "invert", ast.MatMult: "matmul"}
ORDER = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
WRAPPED = ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.UnaryOp | ast.Yield
SEQUENCE = ast.List | ast.Tuple | ast.ListComp | ast.Set
COMPREHENSION = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def safe(name: str) -> str:
    """Return a name that is not a reserved word of JavaScript."""
    return f"{name}_" if name in RESERVED else name


def is_plain(value: object) -> bool:
    """Return whether a value has only texts, numbers, booleans, None, lists, tuples and dicts with text keys."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(type(key) is str and is_plain(one) for key, one in value.items())
    return value is None or type(value) in (str, float, bool) or type(value) is int and abs(value) <= 2**53


def literal(value: object) -> str:
    """Return the JavaScript literal of a plain value."""
    return json.dumps(value, ensure_ascii=False)


def is_dataclass(node: ast.AST) -> bool:
    """Return whether a node is a dataclass or named tuple, which is constructed from an object of its fields."""
    return isinstance(node, ast.ClassDef) and (any("dataclass" in ast.unparse(one) for one in node.decorator_list)
                                               or any(ast.unparse(base) == "NamedTuple" for base in node.bases))


def fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    """Return the fields of a dataclass, in order."""
    return [one for one in node.body if isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation)]


def wrapped(text: str) -> str:
    """Return an expression, in parentheses if an operator may bind more tightly."""
    return text if re.fullmatch(r"!?[\w.$]+(\([^()]*\))?", text) else f"({text})"


def joined(sign: str, texts: Iterable[str]) -> str:
    """Return expressions joined by an operator."""
    return sign.join(map(wrapped, texts))
