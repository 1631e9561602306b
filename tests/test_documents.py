"""The sessions in README.md and docs/ run as they stand; a file's blocks share their names."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import tensorplay as tp

ROOT = Path(__file__).parents[1]
SESSION = re.compile(r"^```python\n(>>> .*?)^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^ *(?:```|~~~|:::) *\{?(?:python|pycon|py|code|ipython)\b.*\n(.*)", re.MULTILINE)
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
DOCUMENTS = [path for path in PAGES if SESSION.search(path.read_text())]
# pages whose code runs elsewhere: scripts of examples/
EXCERPTS = [path for path in PAGES if path.parent.name == "tutorials"]


@pytest.mark.parametrize("path", [path for path in PAGES if path not in EXCERPTS], ids=lambda path: path.name)
def test_code_is_in_sessions(path: Path) -> None:
    """A block of Python that is no session would not run as a test."""
    text = path.read_text()
    assert len(CODE.findall(text)) == len(SESSION.findall(text)), "each block of Python starts with a prompt"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_sessions(path: Path) -> None:
    text = path.read_text()
    examples = []
    for block in SESSION.finditer(text):
        for example in doctest.DocTestParser().get_examples(block[1], str(path)):
            example.lineno += text[: block.start(1)].count("\n")
            examples.append(example)
    report: list[str] = []
    test = doctest.DocTest(examples, {"tp": tp}, path.name, str(path), 0, text)
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
