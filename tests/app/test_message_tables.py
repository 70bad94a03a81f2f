"""Messages written and read by our tables say what Bokeh's own say, and leave the document as Bokeh's own do."""

import json
from importlib import import_module

import pytest
from bokeh.core import serialization
from bokeh.document import Document, document, models
from bokeh.models import Column, ColumnDataSource, Div, Row

from app.message_tables import LookingDeserializer, LookingModels, LookingSerializer, look_up_models

writer = import_module("bokeh.protocol.messages.patch_doc")


@pytest.fixture(params=["ours", "bokeh's"])
def tables(request, monkeypatch):
    """Both ways, with what was there put back afterwards."""
    for module, name, theirs, ours in ((document, "DocumentModelManager", models.DocumentModelManager, LookingModels),
                                       (document, "Deserializer", serialization.Deserializer, LookingDeserializer),
                                       (writer, "Serializer", serialization.Serializer, LookingSerializer)):
        monkeypatch.setattr(module, name, ours if request.param == "ours" else theirs)
    return request.param


def page():
    """A document that a browser has."""
    made = Document()
    row = Row(children=[Div(text="a", name="a")], name="row")
    made.add_root(Column(children=[row, Div(text="b", name="b")], name="top"))
    made.add_root(ColumnDataSource(data={"x": [1, 2]}, name="points"))
    made.models.flush_synced()
    return made


def changed(made, *changes):
    """Write what changes as one message; returns what it says, with the models' names in place of their numbers."""
    events = []
    made.on_change(events.append)
    for name, field, value in changes:
        setattr(made.get_model_by_name(name), field, value)
    made.remove_on_change(events.append)
    said = json.dumps(writer.patch_doc.create(events).content)
    for model in made.models:
        said = said.replace(json.dumps(model.id), json.dumps(model.name))
    return json.loads(said)["events"]


def test_a_changed_number_is_written(tables):
    (said,) = changed(page(), ("a", "text", "new"))
    assert said == {"kind": "ModelChanged", "model": {"id": "a"}, "attr": "text", "new": "new"}


def test_known_models_are_referred_to_and_new_ones_described_once(tables):
    made = page()
    new = Div(text="c", name="c")
    first, second = changed(made, ("row", "children", [made.get_model_by_name("a"), new]),
                            ("top", "children", [made.get_model_by_name("row"), new]))
    known, described = first["new"]
    assert known == {"id": "a"}
    assert described["id"] == "c" and described["attributes"]["text"] == "c"
    assert second["new"] == [{"id": "row"}, {"id": "c"}]  # within one message, described before
    (third,) = changed(made, ("row", "children", [new]))
    assert third["new"] == [{"id": "c"}]  # the browser has it since
    assert made.models._new_models == set()


def test_a_model_that_came_and_is_not_yet_sent_is_described_when_it_is(tables):
    made = page()
    made.get_model_by_name("row").children = [Div(text="kept back", name="late")]
    assert [model.name for model in made.models._new_models] == ["late"]
    changed(made, ("b", "text", "other"))
    assert [model.name for model in made.models._new_models] == ["late"]
    (said,) = changed(made, ("top", "children", [made.get_model_by_name("late")]))
    assert said["new"][0]["attributes"]["text"] == "kept back"


def test_a_browsers_message_is_read(tables):
    made = page()
    ids = {model.name: model.id for model in made.models}
    new = {"type": "object", "name": "Div", "id": "new", "attributes": {"text": "theirs", "name": "n"}}
    made.apply_json_patch({"events": [
        {"kind": "ModelChanged", "model": {"id": ids["b"]}, "attr": "text", "new": "typed"},
        {"kind": "ModelChanged", "model": {"id": ids["row"]}, "attr": "children", "new": [{"id": ids["a"]}, new]},
    ]})
    assert made.get_model_by_name("b").text == "typed"
    assert [child.name for child in made.get_model_by_name("row").children] == ["a", "n"]
    assert made.models._new_models == set()  # it came from the browser, which has it


def test_a_message_about_a_model_that_has_gone_is_dropped_and_of_an_unknown_one_told(tables):
    made = page()
    gone = made.get_model_by_name("a").id
    made.get_model_by_name("row").children = []
    event = {"kind": "ModelChanged", "model": {"id": gone}, "attr": "text", "new": "late"}
    made.apply_json_patch({"events": [event]})
    with pytest.raises(serialization.UnknownReferenceError, match="nobody"):
        made.apply_json_patch({"events": [event | {"model": {"id": "nobody"}}]})


def test_they_stand_for_bokehs_once_asked_for(monkeypatch):
    for module, name in ((document, "DocumentModelManager"), (document, "Deserializer"), (writer, "Serializer")):
        monkeypatch.setattr(module, name, getattr(module, name))  # comes back after the test
    look_up_models()
    assert type(Document().models) is LookingModels
    assert (document.Deserializer, writer.Serializer) == (LookingDeserializer, LookingSerializer)
