"""
``python -m docs.build [folder]``: the site, built from nothing with warnings as errors, and its links checked.

It needs the extra docs (``pip install -e ".[docs]"``) and no network, nor does the site: open docs/site/index.html.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

from docs.links import faults

SOURCES = Path(__file__).parent


def build(site: Path) -> int:
    """Exit code of a build into a folder, which is emptied before."""
    for folder in (site, SOURCES / "generated"):
        shutil.rmtree(folder, ignore_errors=True)
    code = sphinx_build(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", str(SOURCES), str(site)])
    if code:
        return code
    shutil.rmtree(site / ".doctrees", ignore_errors=True)
    (site / ".buildinfo").unlink(missing_ok=True)
    found = faults(site)
    print(*found, f"{site}: {sum(1 for _ in site.rglob('*.html'))} pages, {len(found)} broken links", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES / "site"))
