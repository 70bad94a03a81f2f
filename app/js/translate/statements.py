"""`Writer`: translation of functions, classes and constants of plain Python to JavaScript."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable

from app.js.translate.expressions import Expressions
from app.js.translate.vocabulary import COMPREHENSION, ERRORS, RESERVED, fields, is_dataclass, safe

INDENT = "  "
LOCKS = ("between_calls", "one_at_a_time")
"""Decorators that are dropped: objects of a web worker have a single thread."""


def assigned(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names that statements bind in their scope, without duplicates."""
    names: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, COMPREHENSION):
            names |= dict.fromkeys(one.target.id for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
        elif not isinstance(node, ast.Lambda):
            names |= dict.fromkeys(assigned(ast.iter_child_nodes(node)))
    return list(names)


class Writer(Expressions):
    """Writer of the definitions of one module."""

    def constant(self, node: ast.Assign | ast.AnnAssign) -> str:
        """Return an assignment at the top level of a module."""
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        return f"export const {ast.unparse(target) if isinstance(target, ast.Name) else self.elements(target.elts)} = " \
               f"{self.expr(node.value)};"

    def function(self, node: ast.FunctionDef, head: str, method: bool = False) -> str:
        """Return a function whose head is the format ``head`` with ``{star}``; a method's first parameter is ``this``."""
        args = node.args
        if args.kwarg or args.posonlyargs or (args.vararg and args.kwonlyargs):
            raise self.refuse(node, "parameters must be plain, with at most *rest at the end")
        parameters = [*args.args, *args.kwonlyargs]
        defaults = [*[None] * (len(args.args) - len(args.defaults)), *args.defaults, *args.kw_defaults]
        scope = {one.arg: safe(one.arg) for one in (*parameters, *([args.vararg] if args.vararg else []))}
        if method:
            scope[parameters[0].arg] = "this"
            parameters, defaults = parameters[1:], defaults[1:]
        words = [scope[one.arg] + ("" if default is None else f" = {self.expr(default)}")
                 for one, default in zip(parameters, defaults, strict=True)]
        words += [f"...{scope[args.vararg.arg]}"] if args.vararg else []
        own = [name for name in assigned(node.body) if name not in scope]
        self._scopes.append(scope | {name: safe(name) for name in own})
        star = "*" if any(isinstance(one, ast.Yield) for one in ast.walk(node)) else ""
        local = [f"{INDENT}let {', '.join(self._scopes[-1][name] for name in own)};"] if own else []
        arrow = " =>" if head.endswith("= ") else ""
        lines = [f"{head.format(star=star)}({', '.join(words)}){arrow} {{", *local, *self.block(node.body), "}"]
        self._scopes.pop()
        return "\n".join(lines)

    def klass(self, node: ast.ClassDef, methods: Iterable[ast.FunctionDef]) -> str:
        """Return a class with some of its methods; the constructor of a dataclass takes an object of fields."""
        bases = [safe(base.id) for base in node.bases if isinstance(base, ast.Name) and base.id != "NamedTuple"
                 and isinstance(self._global(base.id), ast.ClassDef)]
        own = [ast.unparse(one.targets[0]) for one in node.body if isinstance(one, ast.Assign)]
        if len(bases) > 1 or own not in ([], ["__slots__"]):
            raise self.refuse(node, "a class must have at most one base and no class attributes")
        self._class, lines = node, [f"export class {' extends '.join([safe(node.name), *bases])} {{"]
        if is_dataclass(node):
            shown = []
            for one in fields(node):
                name, value = one.target.id, one.value
                if isinstance(value, ast.Call) and ast.unparse(value.func) == "field" and value.keywords:
                    value = ast.Call(value.keywords[0].value, [], [])  # default_factory
                default = f"py.missing({json.dumps(f'{node.name}.{name}')})" if value is None else self.expr(value)
                shown.append(f"{name}: {safe(name)} = {default}" if safe(name) != name else f"{name} = {default}")
            own = ", ".join(f"{one.target.id}: {safe(one.target.id)}" if one.target.id in RESERVED else one.target.id
                            for one in fields(node))
            parent = [f"{INDENT * 2}super();"] if bases else []
            lines += [f"{INDENT}constructor({{{', '.join(shown)}}} = {{}}) {{", *parent,
                      f"{INDENT * 2}Object.assign(this, {{{own}}});", f"{INDENT}}}"]
        for one in methods:
            decorators = {ast.unparse(word) for word in one.decorator_list}
            if decorators - {"property", "classmethod", "staticmethod", "cached_property", *LOCKS}:
                raise self.refuse(one, "an unknown decorator")
            name = "constructor" if one.name == "__init__" else one.name
            before = "static " if decorators & {"classmethod", "staticmethod"} else \
                "get " if decorators & {"property", "cached_property"} else ""
            text = self.function(one, f"{before}{{star}}{name}", "staticmethod" not in decorators)
            lines += [INDENT + line for line in text.split("\n")]
        return "\n".join([*lines, "}"])

    # statements -------------------------------------------------------------------------------------------

    def block(self, body: Iterable[ast.stmt]) -> list[str]:
        """Return the lines of statements."""
        return [INDENT + line for one in body for text in self.statement(one) for line in text.split("\n")]

    def statement(self, node: ast.stmt) -> list[str]:
        """Return the lines of one statement; none for a docstring, an assertion or a check of an argument."""
        match node:
            case ast.Pass() | ast.Assert() | ast.Expr(value=ast.Constant()):
                return []
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if self._global(name) == "checked":
                return []
            case ast.Expr(value=value):
                return [f"{self.expr(value)};"]
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr="errstate")))], body=body):
                return [line for one in body for line in self.statement(one)]
            case ast.Assign(targets=[ast.Subscript(value=whole, slice=key)], value=value) if self._arrays:
                return [f"np.put({self.expr(whole)}, {self.place(key)}, {self.expr(value)});"]
            case ast.AugAssign(target=ast.Subscript(value=whole, slice=key) as target, op=op, value=value) if self._arrays:
                now = ast.Subscript(whole, key, ast.Load())
                return [f"np.put({self.expr(whole)}, {self.place(key)}, {self._arithmetic(node, now, op, value)});"]
            case ast.Assign(targets=targets, value=value):
                return [f"{' = '.join([*map(self.expr, targets), self.expr(value)])};"]
            case ast.AnnAssign(target=target, value=value):
                return [] if value is None else [f"{self.expr(target)} = {self.expr(value)};"]
            case ast.AugAssign(target=target, op=op, value=value):
                return [f"{self.expr(target)} = {self._arithmetic(node, target, op, value)};"]
            case ast.Return(value=value):
                return ["return null;" if value is None else f"return {self.expr(value)};"]
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=args)) if name in ERRORS:
                return [f"throw new py.PythonError({', '.join([json.dumps(name), *map(self.expr, args)])});"]
            case ast.Break() | ast.Continue():
                return [f"{type(node).__name__.lower()};"]
            case ast.If(test=test, body=body, orelse=orelse):
                rest = self.statement(orelse[0]) if len(orelse) == 1 and isinstance(orelse[0], ast.If) else None
                lines = [f"if ({self.test(test)}) {{", *self.block(body)]
                if rest:
                    return [*lines, f"}} else {rest[0]}", *rest[1:]]
                return [*lines, *(["} else {", *self.block(orelse)] if orelse else []), "}"]
            case ast.For(target=target, iter=of, body=body, orelse=[]):
                return [f"for ({self.expr(target)} of {self._iter(of)}) {{", *self.block(body), "}"]
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while ({self.test(test)}) {{", *self.block(body), "}"]
            case ast.FunctionDef() if not any(isinstance(one, ast.Yield) for one in ast.walk(node)):
                return [f"{self.function(node, f'{self._scopes[-1][node.name]} = ')};"]
        raise self.refuse(node)
