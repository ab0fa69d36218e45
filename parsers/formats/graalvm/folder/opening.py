"""Opens the reports of one build together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.formats.graalvm.folder.format import NAME
from parsers.formats.graalvm.folder.report import BuildReport
from parsers.formats.graalvm.folder.views import JoinedViews
from parsers.formats.graalvm.side.opening import view_name
from parsers.formats.registry import detect
from parsers.io.report_name import SAME_RUN, split_name
from parsers.model.report import Report, ReportError
from parsers.reports.members import ReportMember

if TYPE_CHECKING:
    from parsers.formats.format import Format
    from parsers.io.cache import Cache
    from parsers.io.source import Source


def open_build(sources: Sequence[Source], cache: Cache) -> Report:
    """Returns the files of one build. Raises `ReportError` for one that is no report of native-image."""
    _check_names(sources)
    files: dict[str, list[Source]] = {}
    formats: dict[str, Format] = {}
    for source in sources:
        found = detect(source.head, source.name)
        if found is None or found.together != NAME or found.open is None:
            raise ReportError(f"{source.path}: is no report of native-image that can be read")
        files.setdefault(found.name, []).append(source)
        formats[found.name] = found
    members = {
        name: [
            _member(formats[name], group, cache, is_only=len(files[name]) == len(group))
            # Tables of a call tree are one report.
            for group in ([files[name]] if name == "graalvm-call-tree-csv" else [[source] for source in files[name]])
        ]
        for name in files
    }
    image = next((named.image for source in sources if (named := split_name(source.name)).report and named.image), "")
    return BuildReport(image or sources[0].name, members, sources, JoinedViews, image)


def _check_names(sources: Sequence[Source]) -> None:
    """Raises `ReportError` if two builds wrote the files, according to their names."""
    named = [(source, name) for source in sources if (name := split_name(source.name)).report]
    of_image = [(source, name.image) for source, name in named if name.image]
    timed = sorted([(name.written, source.path) for source, name in named if name.written is not None])
    others = [(one.path, other.path) for (one, first), (other, second) in pairwise(of_image) if first != second]
    others += [(one, other) for (early, one), (late, other) in pairwise(timed) if late - early > SAME_RUN]
    for one, other in others:
        raise ReportError(f"{other}: is of another build than {one}, they are no parts of one run")


def _member(format: Format, sources: Sequence[Source], cache: Cache, is_only: bool) -> ReportMember:
    open: Callable[[Sequence[Source], Cache], Report] | None = format.open
    assert open is not None
    title = format.short_title.removesuffix(" as CSV")
    if not is_only:
        # Several traces of a build differ by their subject, which is in the file name.
        title = split_name(sources[0].name).report.replace("_", " ") or sources[0].name
    view = view_name(format.name)
    names = None if view is None else (view,)
    size, files = sum(source.size for source in sources), [source.path for source in sources]
    return ReportMember(title, partial(open, sources, cache), names, size, files)
