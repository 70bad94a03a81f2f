"""Docstrings of the library's public names document arguments and errors; ruff checks that they exist."""

import importlib
import inspect
import re

import sampler

ROOMS = {room: importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS}
SECTIONS = ("Parameters", "Returns", "Raises", "Attributes", "Yields", "Notes", "Examples", "See Also", "References")
PARAMETERS = re.compile(r"^Parameters\n-+\n(.*?)(?=\n\n\w[\w ]*\n-{3,}|\Z)", re.DOTALL | re.MULTILINE)


def functions():
    """Yield (name, function) once for each public function and each public method defined in the library."""
    seen = set()
    for room, module in ROOMS.items():
        for name in module.__all__:
            value = getattr(module, name)
            parts = [(name, value)] if inspect.isfunction(value) else [
                (f"{name}.{key}", getattr(part, "__func__", getattr(part, "fget", part)))
                for base in inspect.getmro(value) if base.__module__.startswith("sampler")
                for key, part in vars(base).items() if not key.startswith("_")] if inspect.isclass(value) else []
            for path, part in parts:
                if inspect.isfunction(part) and part not in seen:
                    seen.add(part)
                    yield f"{room}: {path}", part


FUNCTIONS = dict(functions())


def test_sections_follow_numpydoc_and_document_exactly_the_arguments():
    """In the Parameters section if there is one, else in the text."""
    wrong = []
    assert len(FUNCTIONS) > 300
    for name, function in FUNCTIONS.items():
        text, parameters = inspect.getdoc(function) or "", inspect.signature(function).parameters
        heads = re.findall(r"^(\w[\w ]+)\n-{3,}$", text, flags=re.MULTILINE)
        wrong += [f"{name}: {head}" for head in heads if head not in SECTIONS]
        if listed := PARAMETERS.search(text):
            text = "\n".join(re.findall(r"^\S.*$", listed[1], flags=re.MULTILINE))
            lines = re.findall(r"^(\*{0,2}[a-z_][\w, *]*?)(?: :.*)?$", text, flags=re.MULTILINE)
            documented = {one.strip().lstrip("*") for line in lines for one in line.split(",")}
            wrong += [f"{name}: no argument {one}" for one in sorted(documented - set(parameters))]
        wrong += [f"{name}: nothing on {key}" for key, one in parameters.items()
                  if key not in ("self", "cls") and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
                  and not re.search(rf"\b{re.escape(key)}\b", text)]
    assert wrong == []


def test_docstrings_document_errors():
    silent = [name for name, function in FUNCTIONS.items()
              if re.search(r"^\s+raise (?!NotImplementedError)[A-Z]", inspect.getsource(inspect.unwrap(function)), re.M)
              and not re.search("Raises|Error|raise|refuse|must", inspect.getdoc(function) or "")]
    assert silent == []
