"""
Pages of the tutorials, from the scripts in examples/.

A script is in the percent format: its cells start with ``# %% [markdown]``, whose comments are text, or with ``# %%``,
which is code. Each script is run; its page is its text, its code, and after the code what it printed. Pictures go to
docs/images, smaller ones for the index too. ``python -m docs.render [name ...]`` renders those that are named, or all.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
PAGES, PICTURES = ROOT / "docs" / "tutorials", ROOT / "docs" / "images"

# in the order of the index
TUTORIALS = [
    "differential_privacy",
    "ensembles",
    "jacobians",
    "neural_tangent_kernel",
    "maml",
    "physics_informed",
    "gaussian_process",
    "influence_functions",
    "implicit_differentiation",
]
OUTPUT = re.compile(r"^## Output\n\n```text\n(.*?)```\n", re.DOTALL | re.MULTILINE)
INTRODUCTION = """\
# Tutorials

Each of these is a script in `examples/` that runs in less than a minute on two cores, on data that scikit-learn ships
or that it simulates; `--quick` takes small sizes and few steps. The pages show the scripts as they are, with what they
print and draw; to run one in a clone:

```sh
pip install -e ".[examples]" && python examples/{first}.py
```
"""


def source(name: str) -> str:
    """Text of a tutorial's script."""
    return (ROOT / "examples" / f"{name}.py").read_text()


def cells(script: str) -> Iterator[tuple[bool, str]]:
    """Cells of a script: whether they are text, and their content."""
    for cell in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        first, body = cell.split("\n", 1)
        is_text = first.strip() == "[markdown]"
        yield is_text, re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip() if is_text else body.strip()


def page(name: str, output: str) -> str:
    """A tutorial as Markdown, its output after the last cell of code."""
    parts = [(is_text, body if is_text else f"```python\n{body}\n```") for is_text, body in cells(source(name))]
    last = max(i for i, (is_text, _) in enumerate(parts) if not is_text)
    shown = output.strip("\n")
    parts.insert(last + 1, (True, f"## Output\n\n```text\n{shown}\n```"))
    return "\n\n".join(body for _, body in parts) + f"\n\nThe script: `examples/{name}.py`.\n"


def printed(rendered: str) -> str:
    """The output that a rendered page shows."""
    match = OUTPUT.search(rendered)
    if match is None:
        raise ValueError("the page shows no output")
    return match[1]


def picture(name: str) -> tuple[str, str]:
    """Description and file name of a tutorial's first picture."""
    match = re.search(r"!\[(.*?)\]\(\.\./images/(.*?)\)", source(name))
    if match is None:
        raise ValueError(f"examples/{name}.py shows no picture")
    return match[1], match[2]


def index() -> str:
    """The list of tutorials: title and a small picture each."""
    rows = ["|   |   |", "| --- | --- |"]
    for name in TUTORIALS:
        title = source(name).split("# # ", 1)[1].split("\n", 1)[0]
        subject, _, rest = title.partition(": ")
        text = f"**[{subject}]({name}.md)**" + (f"<br>{rest[0].upper()}{rest[1:]}" if rest else "")
        alt, file = picture(name)
        rows.append(f"| [![{alt}](../images/small/{file})]({name}.md) | {text} |")
    return INTRODUCTION.format(first=TUTORIALS[0]) + "\n" + "\n".join(rows) + "\n"


def shrink(file: str, width: int = 320) -> None:
    """Save a small copy of a picture."""
    (PICTURES / "small").mkdir(exist_ok=True)
    with Image.open(PICTURES / file) as image:
        small = image.convert("RGB").resize(
            (width, round(image.height * width / image.width)), Image.Resampling.LANCZOS
        )
        small.save(PICTURES / "small" / file, optimize=True)


def render(name: str) -> None:
    """Run a tutorial, and write its page and pictures."""
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), "--folder", str(PICTURES)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    (PAGES / f"{name}.md").write_text(page(name, output))
    shrink(picture(name)[1])


def main(names: list[str]) -> None:
    """Render tutorials by name, or all, and the index."""
    PAGES.mkdir(exist_ok=True)
    for name in names or TUTORIALS:
        render(name)
    (PAGES / "index.md").write_text(index())


if __name__ == "__main__":
    main(sys.argv[1:])
