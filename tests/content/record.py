"""Records the sample pages as the renderers write them: `python tests/content/record.py`.

All blocks are included. So the files depend on the renderers alone, and no change of a method
alters them. Read the difference before you commit it.
"""

from __future__ import annotations

from pathlib import Path

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

SAMPLES = Path(__file__).parents[2] / "samples"
RECORDED = Path(__file__).parent / "recorded"
ENDINGS = {"text": "txt", "markdown": "md", "html": "html"}


def render_sample(sample: Path) -> dict[str, str]:
    """Return all forms of a sample page, by the name of their file."""
    everything = tamis.Method(TagSet(), Importance(threshold=0.0))
    url = f"https://sample.example.org/pages/{sample.name}"
    document = tamis.extract(sample.read_bytes(), url, method=everything)
    return {
        f"{sample.stem}.{ending}": getattr(document, form) + "\n"
        for form, ending in ENDINGS.items()
    }


if __name__ == "__main__":
    for page in sorted(SAMPLES.glob("*.html")):
        for name, content in render_sample(page).items():
            (RECORDED / name).write_text(content, encoding="utf-8", newline="\n")
