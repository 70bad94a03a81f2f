"""Static search for private parts of other packages that the project reads, sets, imports, overrides or replaces."""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache

from tests.sources import texts

OURS = ("app", "sampler")
PUBLIC = {"_esm", "_bundle", "_stylesheets", "_importmap", "_send_msg", "_handle_msg", "_repr_mimebundle_", "_replace",
          "_fields", "_asdict", "_make", "_ArgumentGroup", "_exit", "_slot_defaults", "_validate_value"}
"""Documented names with a leading underscore."""
SETTINGS = {"panel.config", "panel.state", "panel.io.state.state", "sys"}
"""Objects of other packages with settable attributes."""
PATCHED = ("tornado", "bokeh", "panel", "holoviews")
"""Packages whose methods must not be replaced."""
MUTATORS = {"append", "insert", "extend", "remove", "clear", "pop", "update", "setdefault", "add", "discard"}
MODULE = re.compile(r"sys\.modules\[|(importlib\.)?import_module\(")
ACCESSORS = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"}
LOOKUP = re.compile(rf"\b({'|'.join(ACCESSORS)}|vars)\(|\.__dict__\[")


def is_private(name: object) -> bool:
    """Return True if a name is private by convention and not documented."""
    return isinstance(name, str) and bool(re.fullmatch(r"_(?!_)\w*[A-Za-z]\w*", name)) and name not in PUBLIC


@cache
def resolve(dotted: str) -> object:
    """Import a module or an attribute by its dotted name; None if it is not installed."""
    try:
        return importlib.import_module(dotted)
    except (ImportError, ValueError):
        owner, _, name = dotted.rpartition(".")
        return getattr(resolve(owner), name, None) if owner else None


@cache
def own_names(base: type) -> set[str]:
    """Return the names that a foreign class defines and the private names that its methods set or read."""
    codes = [getattr(inspect.unwrap(value), "__code__", None) for value in vars(base).values() if inspect.isfunction(value)]
    return set(vars(base)) | {name for code in codes if code for name in code.co_names if is_private(name)}


def names_of(owner: type) -> set[str]:
    return set().union(*map(own_names, owner.__mro__))


@cache
def names_of_patched() -> tuple[set[str], set[str]]:
    """Return the method names and the private names of all classes of the `PATCHED` packages."""
    for module in ("panel", "panel.io.server", "bokeh.server.session", "tornado.websocket", "holoviews.plotting.bokeh"):
        importlib.import_module(module)
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in PATCHED]
    classes = {c for module in modules for c in vars(module).values()
               if isinstance(c, type) and c.__module__.partition(".")[0] in PATCHED}
    methods = {name for c in classes for name, value in vars(c).items() if inspect.isfunction(value)}
    bases = {base for c in classes for base in c.__mro__}
    return methods, {name for base in bases for name in own_names(base) if is_private(name)}


class Source:
    """One module of the project: its syntax tree, imports and defined names."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text, self.nodes = name, text, []
        self.parts: dict[ast.ClassDef, list[ast.AST]] = {}  #: nodes of each class
        self._walk(ast.parse(text))
        self.imports: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.imports[alias.asname or first] = first
            elif isinstance(node, ast.ImportFrom) and node.module:
                self.imports |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for node in self.nodes if MODULE.search(text) else ():  # modules imported by a call
            if isinstance(node, ast.Assign) and MODULE.match(ast.unparse(node.value)):
                parts = [self.dotted(part) or getattr(part, "value", None) for part in ast.walk(node.value)]
                modules = [part.removesuffix(".__module__") for part in parts
                           if isinstance(part, str) and not part.startswith(("sys", "importlib"))]
                self.imports |= {t.id: modules[0] for t in node.targets if isinstance(t, ast.Name) and modules}
        self.classes = {node.name: node for node in self.parts}
        self.functions = {n.name for n in self.nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
        self.defined = {name for node in self.nodes for name in defined_at(node)}
        packages = {whole.partition(".")[0] for whole in self.imports.values()}
        self.may_patch = not packages.isdisjoint(PATCHED) or "ession" in text

    def _walk(self, node: ast.AST) -> None:
        """List a node and its descendants, without the context (load or store) of names."""
        start = len(self.nodes)
        self.nodes.append(node)
        for name in node._fields:
            value = getattr(node, name, None) if name != "ctx" else None
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, ast.AST):
                    self._walk(part)
        if isinstance(node, ast.ClassDef):
            self.parts[node] = self.nodes[start:]

    def whole(self, node: ast.AST) -> str | None:
        """Return the dotted name of an attribute chain that starts at an import."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id)
        return f"{base}.{node.attr}" if isinstance(node, ast.Attribute) and (base := self.whole(node.value)) else None

    def dotted(self, node: ast.AST) -> str | None:
        """Return the same for imports of other packages, else None."""
        whole = self.whole(node)
        return None if whole is None or whole.partition(".")[0] in OURS else whole


def defined_at(node: ast.AST) -> list[str]:
    """Return the names defined by a node: function, class, variable, attribute of self, slot."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and is_self(node.value):
        return [node.attr]
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__slots__":
        return [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
    return []


def is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


class Project:
    """All sources of the project, for resolving base classes across files."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = {name: Source(name, text) for name, text in sources.items()}
        self.defined = set().union(*(source.defined for source in self.sources.values()))
        self._bases: dict[ast.ClassDef, tuple[set[str], set[str]]] = {}

    @classmethod
    def from_disk(cls) -> "Project":
        return cls({path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): text
                    for path, text in texts(*OURS).items()})

    def bases(self, source: Source, owner: ast.ClassDef) -> tuple[set[str], set[str]]:
        """Return the names of the foreign bases of a class, and the names that it and the project's bases define."""
        if owner in self._bases:
            return self._bases[owner]
        foreign: set[str] = set()
        own = {name for node in source.parts[owner] for name in defined_at(node)}
        for base in owner.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            imported = source.dotted(base)
            home, _, name = (source.whole(base) or f"{source.name}.{ast.unparse(base)}").rpartition(".")
            ours = self.sources[home].classes.get(name) if home in self.sources else None
            if ours is not None and ours is not owner:
                above = self.bases(self.sources[home], ours)
            elif imported and isinstance(resolve(imported), type):
                above = names_of(resolve(imported)), set()
            else:
                continue
            foreign.update(above[0])
            own.update(above[1])
        self._bases[owner] = foreign, own
        return foreign, own

    def findings(self) -> list[tuple[str, int, str]]:
        places = {(name, line, what) for name, source in self.sources.items() for line, what in self.of(source)}
        return sorted(places)

    def of(self, source: Source) -> Iterator[tuple[int, str]]:
        yield from _imports(source)
        yield from _replacements(source)
        yield from _names_in_text(source)
        of_class: dict[int, tuple[set[str], set[str]]] = {}
        for owner, parts in reversed(source.parts.items()):  # a class inside another comes later
            foreign, own = self.bases(source, owner)
            of_class |= dict.fromkeys(map(id, parts), (foreign, own))
            yield from ((node.lineno, f"overrides {owner.name}.{name}") for node in parts if foreign
                        for name in defined_at(node) if is_private(name) and name in foreign)
        for node in source.nodes:
            if isinstance(node, ast.Attribute) and is_private(node.attr):
                owner = of_class.get(id(node)) if is_self(node.value) else None
                foreign, mine = owner or (names_of_patched()[1] if source.may_patch else set(), source.defined)
                ours = node.attr in mine or node.attr in self.defined and node.attr not in foreign
                if not ours:
                    yield node.lineno, f"{'reads' if isinstance(node.ctx, ast.Load) else 'sets'} .{node.attr}"


def _imports(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.nodes:
        names = ([alias.name for alias in node.names] if isinstance(node, ast.Import) else
                 [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else [])
        for name in names:
            if name.partition(".")[0] not in OURS and any(map(is_private, name.split("."))):
                yield node.lineno, f"imports {name}"


def _names_in_text(source: Source) -> Iterator[tuple[int, str]]:
    """Yield private names in strings of a module that looks attributes up by string."""
    if LOOKUP.search(source.text):
        parts = {id(part) for node in source.nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        yield from ((node.lineno, f"names {node.value}") for node in source.nodes
                    if isinstance(node, ast.Constant) and is_private(node.value) and node.value not in source.defined
                    and id(node) not in parts)


def _replacements(source: Source) -> Iterator[tuple[int, str]]:
    """Yield replacements of attributes, container entries and methods of other packages."""
    for node in source.nodes:
        if isinstance(node, ast.Assign) and source.may_patch and _is_callable(source, node.value):
            yield from ((node.lineno, f"replaces method {target.attr}") for target in node.targets
                        if isinstance(target, ast.Attribute) and not is_self(target.value)
                        and target.attr in names_of_patched()[0] - source.defined)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if (owner := source.dotted(node.value)) and owner not in SETTINGS:
                yield node.lineno, f"sets {owner}.{node.attr}"
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if (owner := source.dotted(node.value)) and _is_container(owner):
                yield node.lineno, f"changes {owner}"
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if isinstance(node.func, ast.Attribute) and name in MUTATORS and (owner := source.dotted(node.func.value)):
                if _is_container(owner):
                    yield node.lineno, f"changes {owner}"
            elif node.args and (owner := source.dotted(node.args[0])) and owner not in SETTINGS and (
                    name in ("setattr", "delattr") or len(node.args) > 2 and _is_code(owner) and _is_name(node.args[1])):
                what = node.args[1]
                if name not in ACCESSORS - {"setattr", "delattr"}:
                    yield node.lineno, f"replaces {owner}.{what.value if isinstance(what, ast.Constant) else '?'}"


def _is_callable(source: Source, value: ast.AST) -> bool:
    """Return True for a function of this file, a lambda or a partial."""
    if isinstance(value, ast.Call):
        return getattr(value.func, "attr", getattr(value.func, "id", "")) == "partial"
    return isinstance(value, ast.Lambda) or isinstance(value, ast.Name | ast.Attribute) and (
        getattr(value, "attr", getattr(value, "id", "")) in source.functions)


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def _is_code(owner: str) -> bool:
    return inspect.ismodule(resolve(owner)) or isinstance(resolve(owner), type)


def _is_container(owner: str) -> bool:
    standard = owner.partition(".")[0] in sys.stdlib_module_names
    return not standard and isinstance(resolve(owner), list | dict | set)
