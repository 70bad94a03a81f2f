"""`Calls`: translation of names and calls of plain Python to JavaScript."""

from __future__ import annotations

import ast
import json
from typing import Protocol

from app.js.translate.vocabulary import BUILTINS, ERRORS, METHODS, fields, is_dataclass, safe


class Names(Protocol):
    """Lookup of names that are not local to a function."""

    def definition(self, name: str) -> ast.AST | str:
        """Return the definition of a name, which is then translated, or its kind: "math", "numpy", "native", "kernel" ..."""

    def method(self, name: str) -> ast.FunctionDef | None:
        """Return the only method of that name in the classes translated so far; None if there is none or more than one."""

    def use(self, name: str) -> None:
        """Record that an attribute is used, so that a method of that name is translated too."""


class Calls:
    """Writer of the names and calls of one module; `Expressions` adds the other expressions.

    Parameters
    ----------
    names : Names
    file : str
        Named in errors.
    arrays : bool
        Whether values may be arrays of NumPy; operators are then functions of ``lab/numpy.js``, which also takes numbers.
    """

    def __init__(self, names: Names, file: str, arrays: bool = False) -> None:
        self._names, self._file, self._arrays = names, file, arrays
        self._scopes: list[dict[str, str]] = []  #: local name -> its JavaScript name, per scope; the innermost is last

    def refuse(self, node: ast.AST, why: str = "") -> ValueError:
        """Return the error for a node that cannot be translated."""
        return ValueError(f"{self._file}:{getattr(node, 'lineno', '?')}: must be plain Python to be translated, got"
                          f" {ast.unparse(node)[:80]!r}{why and f' ({why})'}; rewrite the expression")

    def expr(self, node: ast.expr) -> str:
        """Return an expression."""
        raise NotImplementedError

    def atom(self, node: ast.expr) -> str:
        """Return an expression as an operand, in parentheses if necessary."""
        raise NotImplementedError

    def elements(self, nodes: list[ast.expr]) -> str:
        """Return expressions as an array."""
        return f"[{', '.join(map(self.expr, nodes))}]"

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
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if self._arrays and self._global(name) == "kernels":
                return f"np.kernels.{attr}({self._arguments(node)})"
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
        definition = self._names.definition(name)
        if definition == "kernel":
            return f"np.kernels.{name}({self._arguments(node)})"
        if definition == "checked":
            value = node.args[min(1, len(node.args) - 1)]  # a check has arguments name and value, and returns value
            if name == "is_infinite":
                return f"({self.atom(value)} === Infinity)"
            return f"py.shown({self.expr(value)})" if name == "shown" else self.atom(value)
        if definition == "native":
            return f"{name}({self._arguments(node)})"
        if definition == "fraction":  # a floating-point number in JavaScript
            return f"({' / '.join(map(self.atom, node.args))})"
        if definition == "array":
            return f"py.list({', '.join(map(self.expr, node.args[1:]))})"
        if definition == "replace":
            return f"py.replace({self.expr(node.args[0])}, {self._record(node, [])})"
        if isinstance(definition, ast.ClassDef) and is_dataclass(definition):
            return f"new {safe(name)}({self._record(node, [one.target.id for one in fields(definition)])})"
        if isinstance(definition, ast.ClassDef):
            methods = (one for one in definition.body if isinstance(one, ast.FunctionDef))
            made = next((one for one in methods if one.name == "__init__"), None)
            return f"new {safe(name)}({self._arguments(node, made, 1)})"
        return f"{safe(name)}({self._arguments(node, definition if isinstance(definition, ast.FunctionDef) else None)})"

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
            pairs = [f"...py.record({json.dumps(names)}, {self.elements(node.args)})"]
        else:
            pairs = [f"{name}: {self.expr(value)}" for name, value in zip(names, node.args, strict=False)]
        pairs += [f"...{self.atom(one.value)}" if one.arg is None else f"{one.arg}: {self.expr(one.value)}"
                  for one in node.keywords]
        return f"{{{', '.join(pairs)}}}"

    def _arguments(self, node: ast.Call, signature: ast.FunctionDef | None = None, skipped: int = 0) -> str:
        words = list(map(self.expr, node.args))
        if not node.keywords:
            return ", ".join(words)
        if signature is None and self._arrays:  # a function of NumPy: keyword arguments come last, as an object
            return ", ".join([*words, self._record(ast.Call(node.func, [], node.keywords), [])])
        if signature and [one.arg for one in node.keywords] == [None]:  # **dict: values by the names of the parameters
            names = [one.arg for one in signature.args.args][skipped + len(words):]
            return ", ".join([*words, f"...py.taken({self.expr(node.keywords[0].value)}, {json.dumps(names)})"])
        if signature is None or any(isinstance(one, ast.Starred) for one in node.args):
            raise self.refuse(node, "keyword arguments of an unknown function")
        names = [one.arg for one in (*signature.args.args, *signature.args.kwonlyargs)][skipped:]
        places = {names.index(one.arg): self.expr(one.value) for one in node.keywords if one.arg in names}
        if len(places) < len(node.keywords):
            raise self.refuse(node, "no parameter of that name")
        return ", ".join([*words, *(places.get(i, "undefined") for i in range(len(words), max(places) + 1))])
