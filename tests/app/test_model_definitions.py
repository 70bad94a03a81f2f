"""Each document is told of a component's class that was made after the document was served."""

from bokeh.document import Document

from app.widgets.component import LabComponent


def made_later():
    class Later(LabComponent):
        pass

    return Later


def definitions(component, document):
    return component._get_properties(document)["_defs"]


def test_two_open_documents_are_both_told_of_a_class_once():
    first, second = Document(), Document()
    assert definitions(LabComponent(), first) == definitions(LabComponent(), second) == []
    Later = made_later()
    for document in (first, second):
        assert definitions(Later(), document) == [Later._data_model]
        assert definitions(Later(), document) == []


def test_a_document_that_is_served_later_has_the_class_among_its_definitions():
    Later, document = made_later(), Document()
    component = Later()
    assert definitions(component, document) == []
    document.add_root(component._get_model(document))
    assert Later._data_model.__qualified_model__ in [one["name"] for one in document.to_json().content["defs"]]
