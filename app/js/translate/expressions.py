"""Expressions of plain Python as JavaScript. What it cannot say exactly, it refuses, with file and line."""

from __future__ import annotations

import ast
import json
import re
from typing import Protocol

from app.js.translate.vocabulary import (
    ARITHMETIC,
    BUILTINS,
    ELEMENTWISE,
    ERRORS,
    MATH,
    METHODS,
    ORDER,
    SEQUENCE,
    WRAPPED,
    fields,
    is_dataclass,
    is_plain,
    joined,
    literal,
    safe,
    wrapped,
)


class Names(Protocol):
    """What a `Writer` asks about names that are not local."""

    def definition(self, name: str) -> ast.AST | str:
        """Return a definition that is translated too, or a word for what is not: "math", "numpy", "native", "kernel"..."""

    def method(self, name: str) -> ast.FunctionDef | None:
        """Return the one method of that name in the classes translated so far, if there is."""

    def use(self, name: str) -> None:
        """Note that an attribute is used, so that a method of that name is translated too."""


class Expressions:
    """Writes the expressions of one module.

    Parameters
    ----------
    names : Names
    file : str
        Named in errors.
    arrays : bool
        Whether values may be arrays of NumPy: signs are then functions of ``lab/numpy.js``, which takes both.
    """

    def __init__(self, names: Names, file: str, arrays: bool = False) -> None:
        self._names, self._file, self._arrays = names, file, arrays
        self._scopes: list[dict[str, str]] = []  #: local names, as JavaScript has them; the innermost is last

    def refuse(self, node: ast.AST, why: str = "") -> ValueError:
        """Return the error of what cannot be translated."""
        return ValueError(f"{self._file}:{getattr(node, 'lineno', '?')}: must be plain Python to be translated, got"
                          f" {ast.unparse(node)[:80]!r}{why and f' ({why})'}; write it otherwise")

    def expr(self, node: ast.expr) -> str:
        """Return an expression."""
        match node:
            case ast.Constant(value=value):
                if not is_plain(value):
                    raise self.refuse(node)
                return literal(value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.List() | ast.Tuple():
                return self._list(node)
            case ast.Set(elts=elts):
                return f"new Set({self._list(ast.List(elts))})"
            case ast.Starred(value=value):
                return f"...{self._iter(value) if isinstance(node.ctx, ast.Load) else self.expr(value)}"
            case ast.Dict(keys=keys, values=values):
                pairs = [f"...{self.atom(value)}" if key is None else f"{self._key(key)}: {self.expr(value)}"
                         for key, value in zip(keys, values, strict=True)]
                return f"({{{', '.join(pairs)}}})"
            case ast.JoinedStr(values=[ast.Constant() as only]):
                return self.expr(only)
            case ast.JoinedStr(values=values):
                return f"`{''.join(map(self._part, values))}`"
            case ast.Attribute(value=ast.Name(id="math"), attr=attr) if self._global("math") == "math" and attr in MATH:
                return MATH[attr]
            case ast.Attribute(value=ast.Name(id="np"), attr=attr) if self._arrays and self._global("np") == "numpy":
                return f"np.{safe(attr)}"
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr):
                self._names.use(attr)
                return f"super.{attr}"
            case ast.Attribute(value=value, attr=attr):
                self._names.use(attr)
                if isinstance(value, ast.Name) and self._local(value.id) is None and value.id in BUILTINS:
                    raise self.refuse(node)
                return f"{self.atom(value)}.{attr}"
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{wrapped(self.test(operand))}"
            case ast.UnaryOp(op=op, operand=operand) if self._arrays and not isinstance(operand, ast.Constant):
                return f"np.{ELEMENTWISE[type(op)]}({self.expr(operand)})"
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return f"{'-' if isinstance(node.op, ast.USub) else '+'}{self.atom(operand)}"
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(node, left, op, right)
            case ast.BoolOp(op=op, values=values):
                if self._boolean(node):
                    return self.test(node)
                return self._nested("py.or" if isinstance(op, ast.Or) else "py.and", values)
            case ast.Compare(left=left, ops=ops, comparators=right):
                words = [self._compare(node, a, op, b) for a, op, b in zip([left, *right], ops, right, strict=False)]
                return words[0] if len(words) == 1 else joined(" && ", words)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"{wrapped(self.test(test))} ? {self.atom(body)} : {self.atom(orelse)}"
            case ast.NamedExpr(target=target, value=value):
                return f"({self.expr(target)} = {self.expr(value)})"
            case ast.Lambda(args=args, body=body):
                self._scopes.append({one.arg: safe(one.arg) for one in args.args})
                text = f"({', '.join(safe(one.arg) for one in args.args)}) => {self.atom(body)}"
                self._scopes.pop()
                return text
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node.generators, node.elt)
            case ast.SetComp():
                return f"new Set({self._comprehension(node.generators, node.elt)})"
            case ast.DictComp():
                return f"Object.fromEntries({self._comprehension(node.generators, ast.List([node.key, node.value]))})"
            case ast.Yield(value=value):
                return f"yield {self.expr(value)}"
            case ast.YieldFrom(value=value):
                return f"yield* {self._iter(value)}"
            case ast.Call():
                return self._call(node)
        raise self.refuse(node)

    def atom(self, node: ast.expr) -> str:
        """Return an expression that can be an operand."""
        return f"({self.expr(node)})" if isinstance(node, WRAPPED) else self.expr(node)

    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition, with Python's idea of what is true."""
        if isinstance(node, ast.BoolOp):
            return joined(" || " if isinstance(node.op, ast.Or) else " && ", map(self.test, node.values))
        return self.expr(node) if self._boolean(node) else f"py.truthy({self.expr(node)})"

    def _boolean(self, node: ast.expr) -> bool:
        match node:
            case ast.Compare() | ast.Constant(value=bool()) | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._boolean, values))
            case ast.Call(func=ast.Name(id=("isinstance" | "any" | "all" | "bool") as name)):
                return self._local(name) is None
            case ast.Call(func=ast.Attribute(attr="isfinite" | "isnan" | "isinf" | "startswith" | "endswith")):
                return True
        return False

    def _nested(self, name: str, values: list[ast.expr]) -> str:
        first, *rest = values
        return f"{name}({self.expr(first)}, () => {self._nested(name, rest)})" if rest else self.atom(first)

    def _compare(self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        a, b = self.atom(left), self.atom(right)
        match op:
            case ast.Eq() | ast.NotEq() if self._arrays:
                return f"np.{ELEMENTWISE[type(op)]}({a}, {b})"
            case ast.Is() | ast.IsNot():
                sign = "=" if isinstance(op, ast.Is) else "!"
                none = any(isinstance(one, ast.Constant) and one.value is None for one in (left, right))
                return f"{a} {sign}{'=' if none else '=='} {b}"  # a field that is left out is None too
            case ast.Eq() | ast.NotEq():
                plain = any(isinstance(one, ast.Constant) and not isinstance(one.value, bool) for one in (left, right))
                equal = isinstance(op, ast.Eq)
                return f"{a} {'===' if equal else '!=='} {b}" if plain else f"{'' if equal else '!'}py.eq({a}, {b})"
            case ast.In() | ast.NotIn():
                return f"{'!' if isinstance(op, ast.NotIn) else ''}py.contains({b}, {a})"
        if self._arrays and type(op) in ELEMENTWISE:
            return f"np.{ELEMENTWISE[type(op)]}({a}, {b})"
        if isinstance(left, SEQUENCE) or isinstance(right, SEQUENCE):
            return f"py.compare({a}, {b}) {ORDER[type(op)]} 0"
        return f"{a} {ORDER[type(op)]} {b}"

    def _arithmetic(self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr) -> str:
        whole = [isinstance(one, SEQUENCE) for one in (left, right)]
        if isinstance(op, ast.Mult) and (whole[0] or isinstance(getattr(left, "value", None), str)):
            return f"py.times({self.expr(left)}, {self.expr(right)})"
        if self._arrays and type(op) in ELEMENTWISE and (isinstance(op, ast.BitOr) or not any(whole)):
            return f"np.{ELEMENTWISE[type(op)]}({self.expr(left)}, {self.expr(right)})"
        if type(op) not in ARITHMETIC or any(whole):
            raise self.refuse(node, "lists are joined as [*a, *b]")
        return ARITHMETIC[type(op)].format(self.atom(left), self.atom(right))

    def _comprehension(self, generators: list[ast.comprehension], element: ast.expr) -> str:
        (one, *rest), names = generators, {}
        source = self._iter(one.iter)
        for node in ast.walk(one.target):
            if isinstance(node, ast.Name):
                names[node.id] = safe(node.id)
        self._scopes.append(names)
        target = self.expr(one.target)
        filters = "".join(f".filter(({target}) => {self.test(test)})" for test in one.ifs)
        inner = self._comprehension(rest, element) if rest else self.atom(element)
        self._scopes.pop()
        if inner == target:
            return source + filters
        return f"{source}{filters}.{'flatMap' if rest else 'map'}(({target}) => {inner})"

    def _iter(self, node: ast.expr) -> str:
        if isinstance(node, SEQUENCE | ast.GeneratorExp) and not isinstance(node, ast.Set):
            return self.expr(node)
        text = self.expr(node)
        return text if re.match(r"py\.(items|values|range|enumerate|zip|sorted|reversed|iter|list|tuple)\(", text) and \
            isinstance(node, ast.Call) else f"py.iter({text})"

    def _list(self, node: ast.List | ast.Tuple) -> str:
        return f"[{', '.join(map(self.expr, node.elts))}]"

    def _key(self, node: ast.expr) -> str:
        text = self.expr(node)
        plain = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return (node.value if node.value.isidentifier() else text) if plain else f"[{text}]"

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            text = json.dumps(node.value, ensure_ascii=False)[1:-1].replace('\\"', '"')
            return text.replace("`", "\\`").replace("${", "\\${")
        if node.conversion != -1:
            raise self.refuse(node, "no !r")
        value = self.expr(node.value)
        if node.format_spec is None:
            return f"${{py.str({value})}}"
        return f"${{py.format({value}, {self.expr(node.format_spec)})}}"

    def _subscript(self, node: ast.Subscript) -> str:
        whole, key = self.atom(node.value), node.slice
        if self._arrays and isinstance(node.ctx, ast.Load):
            return f"np.at({whole}, {self.place(key)})"
        if isinstance(key, ast.Slice):
            if key.step is not None or not isinstance(node.ctx, ast.Load):
                raise self.refuse(node)
            first = "0" if key.lower is None else self.expr(key.lower)
            return f"{whole}.slice({first}{'' if key.upper is None else f', {self.expr(key.upper)}'})"
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
            at = self.expr(key)
            return f"{whole}.at({at})" if isinstance(node.ctx, ast.Load) else f"{whole}[{whole}.length {at}]"
        return f"{whole}[{self.expr(key)}]"

    def place(self, key: ast.expr) -> str:
        """Return the index of a subscript as `lab/numpy.js` takes it."""
        match key:
            case ast.Tuple(elts=elts):
                return f"[{', '.join(map(self.place, elts))}]"
            case ast.Slice(lower=lower, upper=upper, step=step):
                return f"np.slice({', '.join('null' if one is None else self.expr(one) for one in (lower, upper, step))})"
        return self.expr(key)

    # names and calls --------------------------------------------------------------------------------------

    def _local(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _global(self, name: str) -> ast.AST | str | None:
        return None if self._local(name) is not None or name in BUILTINS | ERRORS else self._names.definition(name)

    def _name(self, node: ast.Name, name: str) -> str:
        local = self._local(name)
        if local is None and name in BUILTINS:
            return f"py.{name}"
        if local is None and isinstance(self._global(name), str):
            raise self.refuse(node)
        return local or safe(name)

    def _call(self, node: ast.Call) -> str:
        match node.func:
            case ast.Name(id=name) if self._local(name) is None:
                return self._call_of(node, name)
            case ast.Attribute(value=ast.Name(id="np")) as function if self._arrays:
                return f"{self.expr(function)}({self._arguments(node)})"
            case ast.Attribute(value=ast.Name(id="re"), attr="sub") if self._global("re") == "re":
                pattern, replacement, text = node.args
                return f"{self.atom(text)}.replace(/{pattern.value}/gu, {self.expr(replacement)})"
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
                return f"super({self._arguments(node)})"
            case ast.Attribute(attr="replace" | "_replace", value=value) if node.keywords and not node.args:
                return f"py.replace({self.expr(value)}, {self._record(node, [])})"
            case ast.Attribute(attr=attr, value=value) if attr in METHODS and (attr == "replace"
                                                                               or self._names.method(attr) is None):
                if node.keywords or len(node.args) not in METHODS[attr]:
                    raise self.refuse(node)
                return METHODS[attr][len(node.args)].format(self.atom(value), *map(self.expr, node.args))
            case ast.Attribute(attr=attr) as function:
                signature = self._names.method(attr)
                return f"{self.expr(function)}({self._arguments(node, signature, 1)})"
        if self.expr(node.func) == "this":
            names = [one.target.id for one in fields(self._class)]
            return f"new this({self._record(node, names) if is_dataclass(self._class) else self._arguments(node)})"
        return f"{self.atom(node.func)}({self._arguments(node)})"

    def _call_of(self, node: ast.Call, name: str) -> str:
        if name == "isinstance":
            kinds = [ast.unparse(one) for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)]
            words = [json.dumps(one) if one in BUILTINS else self._name(ast.Name(one), one) for one in kinds]
            return f"py.isinstance({self.expr(node.args[0])}, {', '.join(words)})"
        if name == "getattr":
            whole, key, *default = node.args
            return f"py.get({self.expr(whole)}, {', '.join(map(self.expr, [key, *default]))})" if default else \
                f"{self.atom(whole)}[{self.expr(key)}]"
        if name in BUILTINS:
            return self._builtin(node, name)
        found = self._names.definition(name)
        if found == "kernel":
            return f"np.kernels.{name}({self._arguments(node)})"
        if found == "checked":
            value = node.args[min(1, len(node.args) - 1)]  # a check takes name and value and returns the value
            if name == "is_infinite":
                return f"({self.atom(value)} === Infinity)"
            return f"py.shown({self.expr(value)})" if name == "shown" else self.atom(value)
        if found == "native":
            return f"{name}({self._arguments(node)})"
        if found == "array":
            return f"py.list({', '.join(map(self.expr, node.args[1:]))})"
        if found == "replace":
            return f"py.replace({self.expr(node.args[0])}, {self._record(node, [])})"
        if isinstance(found, ast.ClassDef) and is_dataclass(found):
            return f"new {safe(name)}({self._record(node, [one.target.id for one in fields(found)])})"
        if isinstance(found, ast.ClassDef):
            made = next((one for one in found.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            return f"new {safe(name)}({self._arguments(node, made, 1)})"
        return f"{safe(name)}({self._arguments(node, found if isinstance(found, ast.FunctionDef) else None)})"

    def _builtin(self, node: ast.Call, name: str) -> str:
        options = [f"{one.arg}: {self.expr(one.value)}" for one in node.keywords if (name, one.arg) != ("zip", "strict")]
        if options and name not in ("min", "max", "sorted"):
            raise self.refuse(node, "pass it without its name")
        words = list(map(self.expr, node.args))
        if self._arrays and name in ("sum", "abs"):
            return f"np.{'total' if name == 'sum' else name}({', '.join(words)})"
        if name in ("min", "max") and (len(words) > 1 or isinstance(node.args[0], ast.Starred)):
            words = [f"[{', '.join(words)}]"]
        words += [f"{{{', '.join(options)}}}"] if options else []
        return f"py.{name}({', '.join(words)})"

    def _record(self, node: ast.Call, names: list[str]) -> str:
        if any(isinstance(one, ast.Starred) for one in node.args):
            pairs = [f"...py.record({json.dumps(names)}, {self._list(ast.List(node.args))})"]
        else:
            pairs = [f"{name}: {self.expr(value)}" for name, value in zip(names, node.args, strict=False)]
        pairs += [f"...{self.atom(one.value)}" if one.arg is None else f"{one.arg}: {self.expr(one.value)}"
                  for one in node.keywords]
        return f"{{{', '.join(pairs)}}}"

    def _arguments(self, node: ast.Call, signature: ast.FunctionDef | None = None, skipped: int = 0) -> str:
        words = list(map(self.expr, node.args))
        if not node.keywords:
            return ", ".join(words)
        if signature is None and self._arrays:  # of NumPy: those with names come last, as an object
            return ", ".join([*words, self._record(ast.Call(node.func, [], node.keywords), [])])
        if signature is None or any(isinstance(one, ast.Starred) for one in node.args):
            raise self.refuse(node, "whose keyword arguments are these?")
        names = [one.arg for one in (*signature.args.args, *signature.args.kwonlyargs)][skipped:]
        places = {names.index(one.arg): self.expr(one.value) for one in node.keywords if one.arg in names}
        if len(places) < len(node.keywords):
            raise self.refuse(node, "it has no such parameter")
        return ", ".join([*words, *(places.get(i, "undefined") for i in range(len(words), max(places) + 1))])
