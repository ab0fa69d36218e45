"""Search rate of a whole file, compared with `rg` and `grep` on the same file. Prints a table.

    python bench/search.py FILE [--rounds N] [PATTERN …]

Patterns are as typed in the browser; given ones replace the usual ones. ripgrep runs on one
thread, `-a` and `-c`; grep in the C locale. All must count the same lines. Times are the best of the rounds, in
seconds, with the file in the page cache and the kernels loaded, as in the browser; `wc -l` shows what just reading
costs. The last column says whether the search reaches half of ripgrep's rate.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

from measure import options_of, timed

from parsers.kernels.library import loaded
from parsers.query.search.line_finder import KERNEL
from parsers.query.search.pattern import Pattern, compile_pattern
from parsers.query.search.scan import scan
from parsers.query.search.state_finder import state_kernels

USUAL = (
    r"\Cnothinglikethis",
    r"\CContextQuery0",
    r"\CContextQuery",
    r"\VMap$Entry",
    r"\V\Cjava.lang.String",
    r"\CString",
    r"\Ce",
    r"\cnothinglikethis",
    r"\ccontextquery0",
    r"\cstring",
    r"\vTransfer.*close",
    r"\vResource.*17215",
    r"\vContextQuery\d+\b",
    r"\vContext|Transfer",
    r"\vjava.lang.String",
    r"\v[0-9]{4,}",
    r"\v\bget\w+",
    r"\v.*Foo|Bar.*",
    r"\v(a|b)c",
    r"\v\d+$",
    r"\v^\S+ ",
    r"\v[xyz]{3}",
)


def best(ask: Callable[[], int], rounds: int) -> tuple[float, int]:
    """Returns the least seconds of a question, and its answer."""
    return min(timed(ask) for _ in range(rounds))


def counted(*command: str) -> Callable[[], int]:
    """Returns a program that prints a count."""

    def ask() -> int:
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
        return int(done.stdout.split()[0]) if done.stdout else 0

    return ask


def others(pattern: Pattern, path: str) -> dict[str, Callable[[], int]]:
    """Yields the same search by other programs."""
    is_regex = pattern.kind == "regex"
    words = [*(["-i"] if pattern.ignores_case else []), "-e", pattern.text, path]
    found: dict[str, Callable[[], int]] = {}
    if shutil.which("rg"):
        found["rg"] = counted("rg", "-a", "-c", "-j1", "--no-mmap", *([] if is_regex else ["-F"]), *words)
    if shutil.which("grep"):
        found["grep"] = counted("grep", "-a", "-c", "-P" if is_regex else "-F", *words)
    return found


def count_lines(path: str, pattern: Pattern) -> int:
    """Count the matching lines of a file."""
    with open(path, "rb") as file:
        steps = list(scan(file.fileno(), pattern, "utf-8"))
    return sum(len(step.lines) for step in steps if step.kind == steps[-1].kind)


def main() -> None:
    """Measure and print."""
    parser = options_of(__doc__, rounds=3)
    parser.add_argument("file")
    parser.add_argument("patterns", nargs="*", default=USUAL)
    options = parser.parse_args()
    path, gigabytes = options.file, os.path.getsize(options.file) / 1e9
    loaded(KERNEL)
    state_kernels()
    wc, lines = best(counted("wc", "-l", path), options.rounds)
    print(f"{path}: {gigabytes:.2f} GB, {lines:,} lines, wc -l {wc:.2f} s")
    print(f"{'pattern':28} {'lines':>10} {'here':>7} {'GB/s':>6} {'rg':>7} {'grep':>7}  half of rg's rate")
    for typed in options.patterns:
        pattern = compile_pattern(typed)
        taken, count = best(lambda pattern=pattern: count_lines(path, pattern), options.rounds)  # type: ignore[misc]
        told = {name: best(ask, options.rounds) for name, ask in others(pattern, path).items()}
        columns = " ".join(f"{told[name][0]:7.2f}" if name in told else f"{'–':>7}" for name in ("rg", "grep"))
        reaches = "yes" if "rg" in told and taken <= 2 * told["rg"][0] else "no" if "rg" in told else ""
        differs = [f"{name} counts {other:,}" for name, (_, other) in told.items() if other != count]
        print(f"{typed:28} {count:10,} {taken:7.2f} {gigabytes / taken:6.1f} {columns}  {reaches} {', '.join(differs)}")


if __name__ == "__main__":
    main()
