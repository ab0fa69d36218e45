"""Completion in shells: a small script for each, and the hidden command that lists the candidates.

The command prints `files` if file names are candidates too, else `words`; then a candidate a line, with a tab and its
meaning.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING

from tui.command_line.arguments import Arguments, UsageError, first_plain, parse
from tui.command_line.registry import (
    BROWSE,
    COMMANDS,
    EXPORTS,
    HIDDEN,
    OPTIONS,
    REFERENCES,
    SHELLS,
    TABLE_FORMATS,
    TOPICS,
    Option,
    command_named,
    listed_options,
)
from tui.tree.column_text import sort_headings

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View

PATIENCE = 0.1
"""Seconds of work after which the search for REFs is given up."""

CURSOR = "\0"
"""Mark of the end of an incomplete line."""

PLACES = ("FILE", "PATH", "DIR")
"""Values that are file names."""

MOST = 200
"""Maximum of REFs that are listed."""

SCRIPTS = {
    "bash": """\
_coffeetree() {
    local kind word current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    {
        read -r kind
        while IFS=$'\\t' read -r word _; do COMPREPLY+=("$word"); done
    } < <(coffeetree HIDDEN --line "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    if [[ $kind == files ]]; then
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    fi
    [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace
}
complete -o filenames -o default -F _coffeetree coffeetree""",
    "zsh": """\
#compdef coffeetree
_coffeetree() {
    local kind line
    local -a found
    {
        read -r kind
        while IFS= read -r line; do found+=("${${line//:/\\\\:}/$'\\t'/:}"); done
    } < <(coffeetree HIDDEN "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (( $#found )) && _describe -V coffeetree found
    [[ $kind == files ]] && _files
}
if [[ $funcstack[1] == _coffeetree ]]; then _coffeetree "$@"; else compdef _coffeetree coffeetree; fi""",
    "fish": """\
function __coffeetree
    set -l words (commandline -opc) (commandline -ct)
    set -l found (coffeetree HIDDEN $words[2..-1] 2>/dev/null)
    printf '%s\\n' $found[2..-1]
    if test "$found[1]" = files
        __fish_complete_path "$words[-1]"
    end
end
complete -c coffeetree -f -k -a '(__coffeetree)'""",
}


def script(shell: str) -> str:
    """The completion script for a shell. Raises `UsageError`."""
    if shell not in SCRIPTS:
        from parsers.model.names.suggestion import suggestion

        raise UsageError(f"there is no completion for {shell}: {suggestion(shell, SHELLS)}")
    return SCRIPTS[shell].replace("HIDDEN", HIDDEN)


def complete(words: Sequence[str]) -> str:
    """The candidates for the last of the words after `coffeetree`, or for the end of a line of bash.

    words  `--line LINE BREAKS` for bash: candidates begin after the last of = : @ in BREAKS, unless quoted
    """
    done = 0
    if list(words[:1]) == ["--line"]:
        line, breaks = words[1:3]
        words = _words_of(line)[1:]
        is_quoted = line.count('"') % 2 or line.count("'") % 2
        broken = [sign for sign in "=:@" if sign in breaks and f"\\{sign}" not in line and not is_quoted]
        done = max((words[-1].rfind(sign) for sign in broken), default=-1) + 1
    kind, found = _candidates([os.path.expanduser(word) for word in words[:-1]], words[-1])
    matching = ((word[done:], meaning) for word, meaning in found if word.startswith(words[-1]))
    # Names of a report may hold anything. What can't be shown can't be completed.
    lines = (f"{word}\t{meaning}".rstrip("\t") for word, meaning in matching if f"{word}{meaning}".isprintable())
    return "\n".join([kind, *lines])


def _words_of(line: str) -> list[str]:
    """The words of a line of a shell; the last one is incomplete, perhaps empty."""
    import shlex

    for end in ("", '"', "'"):
        with suppress(ValueError):
            *words, last = shlex.split(line + CURSOR + end)
            return [*words, last.removesuffix(CURSOR)]
    return [""]


def _candidates(before: list[str], word: str) -> tuple[str, Iterable[tuple[str, str]]]:
    """Kind of the answer, and words with their meanings. `before`: the complete words."""
    place = first_plain(before)
    command = BROWSE if place is None else command_named(before[place])
    option = next((option for option in OPTIONS if option.value and before[-1:] == [f"--{option.name}"]), None)
    if option is not None:
        return _values(option, before[:-1], word)
    if word.startswith("-"):
        return "words", [(f"--{each.name}", each.help) for each in listed_options(command)]
    if command.name == "completion":
        return "words", [(shell, "") for shell in SHELLS]
    commands = [(each.name, each.help) for each in COMMANDS]
    if command.name == "help":
        return "words", [*commands, *((name, title) for name, (title, _) in TOPICS.items())]
    if command.word in ("REF", "PATTERN", "B") and command.name != "find":
        return "files", _of_report(before, lambda report, view: _references(report, word))
    return "files", commands if place is None else ()


def _values(option: Option, before: list[str], word: str) -> tuple[str, Iterable[tuple[str, str]]]:
    """Kind of the answer, and the values of an option with their meanings."""
    answers: dict[str, Callable[[Report, View], Iterable[tuple[str, str]]]] = {
        "view": lambda report, view: ((each.name, "") for each in report.views),
        "switch": lambda report, view: (
            (f"{each.name}={of}", each.title) for each in view.switches for of in each.choices
        ),
        "sort": lambda report, view: sort_headings(view),
        "at": lambda report, view: _references(report, word),
    }
    if option.name in answers:
        return "words", _of_report(before, answers[option.name])
    if option.name == "to":
        return "words", [(form, "") for form in (*EXPORTS, *TABLE_FORMATS)]
    if option.name == "format":
        from parsers.formats.registry import FORMATS

        return "words", [(format.name, format.title) for format in FORMATS if format.open is not None]
    return ("words", [("all", "")]) if option.is_count else ("files" if option.value in PLACES else "words", ())


def _of_report(before: list[str], answer: Callable[[Report, View], Iterable[tuple[str, str]]]) -> list[tuple[str, str]]:
    """The answer about the report on a line and its requested view; empty if it can't be opened at once."""
    from parsers.model.report import ReportError
    from parsers.runtime.opening import open_report
    from tui.app.start import start_known

    arguments = _parsed(before)
    if arguments is None or not arguments.reports or "-" in arguments.reports:
        return []
    cache = arguments.cache()
    try:
        report = open_report(arguments.reports[:1], format=arguments.text("format"), cache=cache)
        try:
            start_known(report, cache)
            return list(answer(report, report.view(arguments.text("view") or report.views[0].name)))
        finally:
            report.close()
    except (ReportError, OSError, LookupError):
        return []
    finally:
        cache.close()


def _parsed(before: list[str]) -> Arguments | None:
    """The complete words, with words for those that are still missing; None if they are wrong."""
    for missing in ([], ["x"], ["x", "x"]):
        with suppress(UsageError):
            return parse([*before, *missing])
    return None


def _references(report: Report, word: str) -> list[tuple[str, str]]:
    """REFs of the typed kind, from the first levels of views; kinds while none is typed. Empty if it takes too long."""
    if ":" not in word:
        rows = [view.tree.row(view.tree.roots()[0]) for view in report.views if view.is_prepared and view.root_count]
        kinds = dict.fromkeys(row.ref.partition(":")[0] for row in rows)
        return [(f"{kind}:", REFERENCES[kind][1]) for kind in (*kinds, "name") if kind in REFERENCES]
    found: dict[str, str] = {}
    started = 0.0
    for ref, label in _known(report, word):
        started = started or process_time()
        if process_time() - started > PATIENCE:
            return []
        if ref.startswith(word) and len(found) < MOST:
            found[ref] = "" if ref.endswith(f":{label}") else label
    return list(found.items())


def _known(report: Report, word: str) -> Iterator[tuple[str, str]]:
    """Yields names, or REFs and labels of views that are ready and begin with REFs of the typed kind."""
    from parsers.model.capabilities import HasNames
    from parsers.model.trees.tree import walk

    kind = word.partition(":")[0] + ":"
    if kind == "name:" and isinstance(report, HasNames):
        yield from ((f"name:{name.decode('utf-8', 'replace')}", "") for name in map(bytes, report.names))
        return
    for view in report.views:
        first = islice(walk(view.tree, depth=1), 2) if view.is_ready and view.is_prepared else ()
        depth = next((depth for node, depth in first if view.tree.row(node).ref.startswith(kind)), None)
        if depth is not None:
            rows = (view.tree.row(node) for node, _ in walk(view.tree, depth=depth))
            yield from ((row.ref, row.label) for row in rows)
