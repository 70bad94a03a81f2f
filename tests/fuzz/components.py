"""Components of a page and messages for their handlers."""

import collections.abc
import inspect
import types
import typing

from hypothesis import strategies as st
from panel.models.esm import DataEvent
from panel.viewable import Child, Children, Viewable, Viewer

from app.canvas.chain_canvas import ChainCanvas
from app.js.messages import handler_of
from tests.fuzz.nonsense import json_values, numbers, scalars, texts


def components(root):
    """Return a viewable and all its descendants, each once."""
    shown, waiting = {}, [root]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list | tuple):
            waiting += here
        elif isinstance(here, Viewable | Viewer) and id(here) not in shown:
            shown[id(here)] = here
            waiting.append(getattr(here, "objects", None))
            waiting += [getattr(here, name) for name in here.param if isinstance(here.param[name], Child | Children)]
            waiting.append(here.__panel__() if isinstance(here, Viewer) else None)
    return list(shown.values())


def handlers(component):
    """Return message type -> argument types for the handlers of a component.

    Methods that take a function subscribe Python code and are omitted.
    """
    declared = {}
    for base in reversed(type(component).__mro__):
        for name, method in vars(base).items():
            if name.startswith("on_") and callable(method) and base.__module__.startswith("app."):
                hints = typing.get_type_hints(method)
                kinds = {key: hints[key] for key in list(inspect.signature(method).parameters)[1:]}
                if not any(typing.get_origin(kind) is collections.abc.Callable for kind in kinds.values()):
                    declared[name[3:]] = kinds
    return declared


def values_of(kind, words):
    """Return values of an argument's type; `words` are texts with a meaning for the component."""
    if isinstance(kind, types.UnionType):
        return st.one_of([values_of(one, words) for one in typing.get_args(kind)])
    whole = st.one_of(st.integers(-2, 12), st.sampled_from([-(2**53), 2**53, 2**31, 10**6]))
    return {bool: st.booleans(), int: whole, str: st.one_of(st.sampled_from(words), texts.filter(str.isprintable)),
            float: st.one_of(whole, st.floats(-1e6, 1e6), st.sampled_from([1e308, -1e308, 5e-324, -0.0])),
            bytes: st.binary(max_size=40), typing.Any: json_values, type(None): st.none()}[kind]


def send(component, message, current_state, before=None):
    """Send a message through Panel. If it is invalid, check that the state is unchanged and return it, else None.

    ``before`` is the result for the previous message, if any.
    """
    if handler_of(component, message) or isinstance(component, ChainCanvas) and isinstance(message, dict | int | float):
        component._process_event(DataEvent(None, message))
        return None
    before = before or current_state()
    component._process_event(DataEvent(None, message))
    assert current_state() == before, message
    return before


def parameter_texts(component):
    words, waiting = set(), list(component.param.values().values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, str) and len(value) < 30:
            words.add(value)
    return sorted(words) or [""]


def messages(component):
    """Return possible messages of a component: declared ones, faulty ones and data that is no message."""
    declared, words = handlers(component), parameter_texts(component)
    kinds = []
    for kind, arguments in declared.items():
        fit = st.fixed_dictionaries({"type": st.just(kind)} | {name: values_of(of, words) for name, of in arguments.items()})
        kinds += [fit, fit]
        for name in arguments:
            kinds.append(st.builds(lambda message, name, value: message | {name: value}, fit, st.just(name), json_values))
        kinds.append(st.builds(lambda message, name: {key: message[key] for key in message if key != name}, fit,
                               st.sampled_from([*arguments, "type"])))
        kinds.append(st.builds(lambda message, name, value: message | {name: value}, fit, texts, json_values))
    # Panel's own methods with the prefix of handlers
    own = st.fixed_dictionaries({"type": st.sampled_from(["msg", "event", "ack", "follow", "", "_x", "change"])},
                                optional={"callback": scalars, "event": scalars})
    return st.one_of([*kinds, own, json_values, st.fixed_dictionaries({"type": json_values}), numbers,
                      st.fixed_dictionaries({"follow": json_values}), st.just({"hello": True})])
