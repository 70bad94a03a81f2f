"""`names_faults`: a public function that is given nonsense says in a ValueError which argument it was.

A function checks what its numbers must be. What passes such a check unseen (a dict for an array, 10**400 for a step, a
problem that is None, data of 1e300) fails deep inside, with an error of Python's or numpy's that names no argument, or
ends in NaN.
The decorator looks at the arguments then, and only then: a call that works costs a microsecond more, and keeps its result.
"""

import functools
import inspect
import math
import opcode
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import EllipsisType, TracebackType
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

LARGEST, SMALLEST = 1e100, 1e-100
"""Sizes of numbers whose squares and quotients are numbers too."""
WHOLE = 2**53
MOST_LOOKED_AT = 10_000
"""Entries of a result that are looked at for NaN."""
PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, type, np.ndarray, np.generic,
         EllipsisType)
_ABOUT_ARRAYS = re.compile(r"shape|dimension|broadcast|size|align|axis|ind(ex|ices)|sequence|convert|\blen|array"
                           r"|concat|unpack|[Ss]ingular|converge|boolean|subscriptable")
_ABOUT_ENTRIES = re.compile(r"operand|ufunc|dtype|\b(list|tuple|float|number|nans?|infs?|finite)\b", re.IGNORECASE)
"""What else Python and numpy say of entries that are no numbers."""
EXPLAINED = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RuntimeWarning)
"""Errors, and warnings made errors, that an argument may explain: a full disk, too little memory or a
stopped worker is nobody's argument."""
COMPUTING = {"numpy", "scipy", "numba", "llvmlite"} | sys.stdlib_module_names
"""Packages that compute for the library: an error in another one, or in a user's function, is not the library's."""
RAISE = opcode.opmap["RAISE_VARARGS"]
SEQUENCES = {"tuple", "list", "Sequence"}
WRONG, UNUSUAL, DOUBTFUL = 1, 2, 3
"""How sure it is that an argument is the fault; DOUBTFUL explains an error, but not a result that is not a number."""


def names_faults(function: F) -> F:
    """Have a function, or a class when it is made, answer nonsense with a ValueError that names the argument.

    Errors that name an argument already, that the library raises itself, that come from elsewhere (the disk, the memory,
    another library, a user's function) and that no argument explains pass unchanged. A result that is not a number is an
    error where an argument explains it. What the user has set by ``numpy.seterr`` holds; only warnings are left unsaid.
    """
    if isinstance(function, type):
        type.__setattr__(function, "__init__", names_faults(vars(function)["__init__"]))
        return cast(F, function)
    signature = inspect.signature(function)
    known = re.compile("|".join(rf"\b{name}\b" for name in signature.parameters) or "$^")

    @functools.wraps(function)
    def answered(*args: Any, **kwargs: Any) -> Any:
        if any(map(_is_complex, (*args, *kwargs.values()))):
            _answer(function, signature, args, kwargs, None)
        try:
            silent: dict[str, Any] = {kind: "ignore" for kind, answer in np.geterr().items() if answer == "warn"}
            with np.errstate(**silent):
                result = function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, ValueError) and known.search(str(error)) or not _may_be_explained(error, function):
                raise
            _answer(function, signature, args, kwargs, error)
            raise
        made_of_nan = result is None and any(isinstance(one, float) and one != one for one in (*args, *kwargs.values()))
        if made_of_nan or _has_nan(result):
            _answer(function, signature, args, kwargs, None)
        return result

    return cast(F, answered)


def _may_be_explained(error: Exception, function: Callable[..., Any]) -> bool:
    """Whether an argument may be the cause: not of what the function's own package refuses or what others raise."""
    package = _package(function.__module__)
    if not isinstance(error, EXPLAINED) and _package(type(error).__module__) != "numba":
        return False
    if _package(type(error).__module__) not in COMPUTING or error.__traceback__ is None:
        return False
    frames = []
    step: TracebackType | None = error.__traceback__.tb_next  # the first one is the decorator's
    while step is not None:
        frames.append(step)
        step = step.tb_next
    if any(_package(frame.tb_frame.f_globals.get("__name__", "")) not in COMPUTING | {package} for frame in frames):
        return False
    return not (frames and isinstance(error, ValueError) and _is_refusal(frames[-1], package))


def _package(module: str) -> str:
    return module.partition(".")[0]


def _is_refusal(innermost: TracebackType, package: str) -> bool:
    """Whether an error comes from a ``raise`` of the package, rather than from what a line of it computes."""
    module = innermost.tb_frame.f_globals.get("__name__", "")
    return (_package(module) == package and module != __name__
            and innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == RAISE)


def _is_complex(value: object) -> bool:
    return isinstance(value, complex | np.complexfloating) or isinstance(value, np.ndarray) and value.dtype.kind == "c"


def _answer(function: Callable[..., Any], signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any],
            error: Exception | None) -> None:
    """Raise the ValueError that names what is wrong with the arguments; return where nothing is."""
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:  # a call without an argument, or with one that there is not
        return
    advice = f"see help({function.__qualname__.removesuffix('.__init__')}) for its range"
    found = [(*fault, name) for name, value in given.items() if (fault := _fault(value, signature.parameters[name], error))]
    if found:
        _, wanted, name = min(found, key=lambda fault: fault[0])
        raise ValueError(f"{name} must be {wanted}, got {_short(given[name])}; {advice}") from error
    arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray | list | tuple)}
    if arrays and isinstance(error, ValueError | LookupError | TypeError) and _ABOUT_ARRAYS.search(str(error)):
        got = ", ".join(f"{name} {np.shape(value)}" if isinstance(value, np.ndarray) else f"{name} {_short(value)}"
                        for name, value in arrays.items())
        raise ValueError(f"{' and '.join(arrays)} must fit together, got {got} ({error}); {advice}") from error


def _fault(value: object, parameter: inspect.Parameter, error: Exception | None) -> tuple[int, str] | None:
    """Return how sure it is that an argument is wrong, and what is wanted; None where nothing can be said."""
    kinds = _kinds_of(parameter.annotation)
    if _is_complex(value):
        return WRONG, _wanted(kinds)
    if value is None:
        asked = f"argument: '{parameter.name}'" in str(error)  # what another function was to be given
        fine = ("None" in kinds or parameter.default is None or parameter.name == "self") and not asked
        return None if fine else (WRONG, _wanted(kinds))
    if error is None and isinstance(value, Mapping):
        return None  # the call worked: its keys were names enough
    if isinstance(error, AttributeError) and error.obj is value:
        return WRONG, _wanted(kinds)
    sure = bool(kinds) or not isinstance(value, np.ndarray | list | tuple) or _is_of_arrays(value, error)
    if sure and not _may_be(value, kinds):
        return (UNUSUAL if not kinds else WRONG), _wanted(kinds)
    if isinstance(error, TypeError | ValueError | LookupError) and not kinds and isinstance(value, str | dict):
        return DOUBTFUL, _wanted(kinds)
    if error is None or isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return None
    if isinstance(error, TypeError) and "int" in kinds and not isinstance(value, int | np.integer):
        return UNUSUAL, "a whole number of type int"
    computed = isinstance(error, ArithmeticError) or re.search("complex|math domain", str(error))
    if computed and (value <= 0 or not 1e-12 <= value <= 1e12) or isinstance(error, ValueError) and value < 0:
        return DOUBTFUL + int(value >= 0), "a number in the range that its description says"
    return None


def _is_of_arrays(value: object, error: Exception | None) -> bool:
    """Whether an error is one that Python or numpy says of an array, or a list, whose entries do not compute.

    Without an error the result is not a number: an array explains that, a list of no even shape was not computed with.
    """
    if error is None:
        return isinstance(value, np.ndarray)
    if isinstance(error, ArithmeticError | RuntimeWarning):
        return True
    about = _ABOUT_ARRAYS.search(str(error)) or _ABOUT_ENTRIES.search(str(error))
    return bool(about) and isinstance(error, TypeError | ValueError | LookupError)


def _kinds_of(annotation: object) -> set[str]:
    """Names of the types in an annotation; of functions only that they are."""
    if annotation is inspect.Parameter.empty:
        return set()
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = re.sub(r"Callable\[.*\]", "Callable", text)
    names = {name.rsplit(".", 1)[-1] for name in re.findall(r"[\w.]+", text)}
    return set() if names & {"object", "Any"} else names - {""}


def _may_be(value: object, kinds: set[str]) -> bool:
    """Whether a value may be what the types say; of those the house does not know, only what is plain is none."""
    if not kinds:
        return _is_sound(value)
    if kinds & SEQUENCES and isinstance(value, list | tuple | np.ndarray):
        checks = [_CHECKS[kind] for kind in kinds if kind in _CHECKS]
        checks += [lambda entry: not isinstance(entry, PLAIN)] * bool(kinds - set(_CHECKS) - SEQUENCES - {"None"})
        entries = np.ravel(value).tolist() if isinstance(value, np.ndarray) else value
        return not checks or all(any(check(entry) for check in checks) for entry in entries)
    if kinds & SEQUENCES and (isinstance(value, PLAIN) or type(value) is object):
        return False
    if any(_CHECKS[kind](value) for kind in kinds if kind in _CHECKS):
        return True
    others = kinds - set(_CHECKS) - {"None"}
    return bool(others) and not isinstance(value, PLAIN) and type(value) is not object


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    if isinstance(value, int | np.integer):
        return bool(abs(int(value)) <= LARGEST)
    size = abs(float(value))
    return math.isinf(size) or size == 0 or SMALLEST <= size <= LARGEST


def _is_whole(value: Any) -> bool:
    return _is_number(value) and abs(value) <= WHOLE and value % 1 == 0


def _is_array(value: object) -> bool:
    """Whether a value is an array, or a list, of numbers whose squares are numbers."""
    return not isinstance(value, int | float | str | bytes) and _are_numbers(value)


def _are_numbers(value: object) -> bool:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" or array.size == 0:
            return False
        sizes = np.abs(array.astype(float))
    except (TypeError, ValueError, OverflowError):
        return False
    return bool(np.isfinite(sizes).all() and sizes.max() <= LARGEST and not np.any((sizes > 0) & (sizes < SMALLEST)))


def _is_sound(value: object) -> bool:
    """Whether a value that may be anything is none of what is never right: types, bytes, numbers beyond all bounds."""
    if isinstance(value, bytes | type) or type(value) is object:
        return False
    if isinstance(value, np.ndarray | int | float | np.number):
        return _are_numbers(value)
    return not isinstance(value, list | tuple) or not value or isinstance(value[0], str) or not _is_ragged(value)


def _is_ragged(value: list[Any] | tuple[Any, ...]) -> bool:
    try:
        return np.asarray(value).dtype.kind not in "fiubO"
    except ValueError:
        return True


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "int": _is_whole, "float": _is_number, "bool": lambda value: isinstance(value, bool | np.bool_), "ndarray": _is_array,
    "ArrayLike": _is_array, "str": lambda value: isinstance(value, str), "Callable": callable,
    "Mapping": lambda value: isinstance(value, Mapping), "dict": lambda value: isinstance(value, dict),
    "PathLike": lambda value: hasattr(value, "__fspath__"),
}
_WORDS = {"int": f"a whole number up to {WHOLE:,}", "float": "a number of a size that can be squared",
          "bool": "True or False",
          "ndarray": "an array of finite numbers that can be squared", "str": "a text", "Callable": "a function",
          "Mapping": "a mapping", "dict": "a dictionary", "tuple": "a sequence of such", "Sequence": "a sequence of such",
          "list": "a list of such", "None": "None", "PathLike": "a path"}


def _wanted(kinds: set[str]) -> str:
    known = [_WORDS[kind] for kind in _WORDS if kind in kinds]
    classes = sorted(kind for kind in kinds if kind not in _WORDS and kind[:1].isupper())
    return " or ".join([*classes, *known]) or "what its description says, of finite numbers that can be squared"


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"a whole number of {value.bit_length():,} bits"
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 100 else f"{text[:97]}..."


def _has_nan(result: object, depth: int = 0) -> bool:
    if isinstance(result, float):
        return result != result
    if isinstance(result, np.ndarray):
        return result.dtype.kind == "f" and result.size <= MOST_LOOKED_AT and bool(np.isnan(result).any())
    if isinstance(result, tuple | list | dict):
        entries = result.values() if isinstance(result, dict) else result
        return len(entries) <= 100 and any(_has_nan(entry, depth + 1) for entry in entries)
    if depth < 2 and is_dataclass(result) and not isinstance(result, type):
        return any(_has_nan(getattr(result, field.name, None), depth + 1) for field in fields(result))
    return False
