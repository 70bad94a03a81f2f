"""Licences of dependencies, and messages of the vulnerability audit."""

import json
from email.message import Message

import pytest

from tests import audit, licences


def test_every_required_package_has_an_allowed_licence():
    required = licences.dependency_licences()
    assert {"numpy", "panel", "bokeh", "tornado", "pyarrow", "sqlalchemy"} <= set(required)
    wrong = {name: licence for name, licence in required.items() if not licences.allowed(licence)}
    assert not wrong, "look the licence up; allow it in tests/licences.py or drop the package"


@pytest.mark.parametrize(("fields", "licence", "is_allowed"), [
    ({"License-Expression": "BSD-3-Clause AND (MIT OR GPL-3.0-only)"}, "BSD-3-Clause AND (MIT OR GPL-3.0-only)", True),
    ({"License-Expression": "GPL-3.0-or-later"}, "GPL-3.0-or-later", False),
    ({"License-Expression": "MIT AND GPL-3.0-only"}, "MIT AND GPL-3.0-only", False),
    ({"License-Expression": "Apache-2.0 WITH LLVM-exception"}, "Apache-2.0 WITH LLVM-exception", True),
    ({"License": "GNU General Public License v3"}, "GPL", False), ({}, "unknown", False),
    ({"License": "our own"}, "unknown", False),
    ({"Classifier": "License :: OSI Approved :: BSD License", "License": "Copyright (c) 2015\nGPL"}, "BSD", True),
    ({"Classifier": "License :: OSI Approved :: GNU Affero General Public License v3"}, "GPL", False),
    ({"Classifier": "License :: Other/Proprietary License"}, "unknown", False),
    ({"License": "MPL-2.0 AND MIT"}, "MPL-2.0 AND MIT", True)])
def test_licences_are_read_from_package_metadata(fields, licence, is_allowed):
    package = Message()
    for name, value in fields.items():
        package[name] = value
    assert licences.licence_of(package) == licence and licences.allowed(licence) is is_allowed


def test_an_audit_fails_on_a_vulnerability_and_reports_an_empty_check():
    clean = {"name": "numpy", "version": "2.4", "vulns": []}
    vulnerable = {"name": "old", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}
    assert audit.verdict(0, json.dumps({"dependencies": [clean]}), "") [0] == 0
    code, report = audit.verdict(1, json.dumps({"dependencies": [clean, vulnerable]}), "")
    assert code == 1 and report.endswith("old 1: CVE-1, fixed in 2")
    for output, errors in (("", "ConnectionError: no route"), ("", "No module named pip_audit"), ("not json", ""),
                           (json.dumps({"dependencies": [{"name": "numpy", "skip_reason": "not found"}]}), "")):
        code, report = audit.verdict(1, output, errors)
        assert code == 0 and "NOTHING WAS CHECKED" in report and errors in report and "--advisories FOLDER" in report


ADVISORY = """
id: PYSEC-1
affected:
- package: {name: old, ecosystem: PyPI}
  ranges:
  - type: ECOSYSTEM
    events: [{introduced: "0"}, {fixed: "1.2"}, {introduced: "2.0"}, {last_affected: "2.3"}]
  versions: ["1.9.post1"]
aliases: [CVE-1]
published: "2024-05-01T00:00:00Z"
"""


@pytest.mark.parametrize(("version", "code"), [
    ("1.0", 1), ("1.2", 0), ("1.9", 0), ("1.9.post1", 1), ("2.0", 1), ("2.3", 1), ("2.4", 0), ("1.10", 0), ("odd", 0)])
def test_a_copy_of_the_database_is_searched_without_a_network(tmp_path, version, code):
    folder = tmp_path / "vulns" / "old"
    folder.mkdir(parents=True)
    (folder / "PYSEC-1.yaml").write_text(ADVISORY)
    (folder / "PYSEC-2.yaml").write_text(ADVISORY + "withdrawn: 2024-06-01T00:00:00Z\n")
    result, report = audit.search_advisories(tmp_path, {"old": version, "other": "1"})
    assert result == code and "2 packages, 1 of which" in report and "up to 2024-05-01" in report
    assert report.count(f"old {version}: PYSEC-1 (CVE-1)") == code and "PYSEC-2" not in report


def test_a_folder_without_advisories_is_no_audit(tmp_path, capsys):
    assert audit.main(["--advisories", str(tmp_path)]) == 2 and "nothing was checked" in capsys.readouterr().out
