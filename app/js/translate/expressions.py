"""`Expressions`: translation of expressions of plain Python to JavaScript. What has no exact translation is an error."""

from __future__ import annotations

import ast
import json
import re

from app.js.translate.calls import Calls
from app.js.translate.vocabulary import (
    ARITHMETIC,
    BUILTINS,
    ELEMENTWISE,
    MATH,
    ORDER,
    SEQUENCE,
    WRAPPED,
    is_plain,
    joined,
    literal,
    safe,
    wrapped,
)


class Expressions(Calls):
    """Writer of the expressions of one module."""

    def expr(self, node: ast.expr) -> str:
        """Return an expression."""
        match node:
            case ast.Constant(value=value):
                if not is_plain(value):
                    raise self.refuse(node)
                return literal(value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return self.elements(elts)
            case ast.Set(elts=elts):
                return f"new Set({self.elements(elts)})"
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
            case ast.Call():
                return self._call(node)
        raise self.refuse(node)

    def atom(self, node: ast.expr) -> str:
        """Return an expression as an operand, in parentheses if necessary."""
        return f"({self.expr(node)})" if isinstance(node, WRAPPED) else self.expr(node)

    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition, with Python's truth value."""
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
                return f"{a} {sign}{'=' if none else '=='} {b}"  # undefined, the value of a missing field, is None too
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
        """Return the index of a subscript in the form of `lab/numpy.js`."""
        match key:
            case ast.Tuple(elts=elts):
                return f"[{', '.join(map(self.place, elts))}]"
            case ast.Slice(lower=lower, upper=upper, step=step):
                return f"np.slice({', '.join('null' if one is None else self.expr(one) for one in (lower, upper, step))})"
        return self.expr(key)
