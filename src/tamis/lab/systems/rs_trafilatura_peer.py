"""Answers pages with what rs-trafilatura takes for their content.

One JSON line `{"html": …, "url": …}` is answered with one of `{"content": …, "seconds": …}` or
`{"error": …}`. It runs as a script, in a Python that rs-trafilatura has wheels for and that need
not know tamis.
"""

import json
import sys
import time


def main() -> None:
    """Answer every line of standard input."""
    from rs_trafilatura import extract

    for line in sys.stdin:
        try:
            page = json.loads(line)
            start = time.perf_counter()
            content = extract(page["html"], url=page["url"]).main_content or ""
            answer = {"content": content, "seconds": time.perf_counter() - start}
        except Exception as error:  # whatever it raises, the next page gets its answer
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
