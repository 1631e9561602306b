"""The sessions in README.md and docs/ run as they stand; a file's blocks share their names."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import tensorplay as tp

ROOT = Path(__file__).parents[1]
SESSION = re.compile(r"^```python\n(>>> .*?)^```", re.DOTALL | re.MULTILINE)
DOCUMENTS = [path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")] if SESSION.search(path.read_text())]


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
