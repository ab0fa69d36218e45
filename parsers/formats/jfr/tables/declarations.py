"""The tables of all views: from which events, grouped how, with which columns.

Sources: types of events in `metadata.xml` of HotSpot; names and numbers of `jfr view` of JDK 25.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parsers.formats.jfr.tables.field_values import (
    APPLICATION,
    DURATION,
    SETTING,
    STACK,
    START,
    THREAD,
    THROWER,
    TOP,
    TYPE,
    WEIGHT,
)
from parsers.formats.jfr.tables.table import (
    BY_THREAD,
    EVERY,
    AggregateColumn,
    By,
    EventTable,
    How,
    by,
    by_id,
    cell,
    count,
    durations,
    jdk,
)
from parsers.model.row import Unit


@dataclass(frozen=True, slots=True)
class TablesOfView:
    """The tables of one view."""

    description: str
    tables: tuple[EventTable, ...]


BY_TYPE = By((TYPE,), "type")
LOWER_LIMITS = "Short waits are not recorded, so sums are lower limits"
SINCE_LAST = "The weight of a sample is what its thread allocated since the sample before: shares, not sizes"
STARTS = cell("start", "first", START, "s", width=12)
LONGEST = durations("longest")[0]


def last(name: str, unit: Unit = "text", title: str = "", **more: tuple[str, ...]) -> AggregateColumn:
    """Returns a column with the last value of the field of that name."""
    return cell(name, "last", name, unit, title, **more)  # type: ignore[arg-type]


def form(name: str, types: tuple[str, ...], *cells: AggregateColumn, alias: str = "") -> EventTable:
    """Returns a table with a row for each column."""
    return EventTable(name, types, (), cells, alias or name, is_form=True)


def private(name: str) -> AggregateColumn:
    """Returns a column with the last value of a field that may hold secrets."""
    return cell(name, "last", name, "text", "", 40, is_private=True)


# -- garbage collections ----------------------------------------------------------------------------------------------

PAUSES = jdk("GCPhasePause")
PAUSE_PHASES = jdk("GCPhasePause", *(f"GCPhasePauseLevel{level}" for level in range(1, 5)))
CONCURRENT = jdk("GCPhaseConcurrent", "GCPhaseConcurrentLevel1", "GCPhaseConcurrentLevel2")
HEAP = jdk("GCHeapSummary")
COLLECTION = jdk("GarbageCollection")
GENERATIONS = jdk("YoungGarbageCollection", "OldGarbageCollection")
PHASE_COLUMNS = (*durations("average", "p95", "p99", "longest"), count(), *durations("sum"))
REFERENCES = jdk("GCReferenceStatistics")

GARBAGE = TablesOfView(
    "Garbage collections with their phases; pauses, causes, references",
    (
        EventTable(
            "collections", (*COLLECTION, *GENERATIONS, *HEAP, *PAUSE_PHASES, *CONCURRENT),
            (by_id("gcId", "collection", "GC "),),
            (
                cell("start", "first", START, "s", width=12, types=COLLECTION),
                cell("heap_before", "last", "heapUsed", "bytes", types=HEAP, where=("when", "Before GC")),
                cell("heap_after", "last", "heapUsed", "bytes", types=HEAP, where=("when", "After GC")),
                cell("longest_pause", "last", "longestPause", "ns", types=COLLECTION),
                cell("pauses", "last", "sumOfPauses", "ns", "pauses", types=COLLECTION),
                cell("duration", "last", DURATION, "ns", types=COLLECTION),
                cell("type", "last", TYPE, "text", types=GENERATIONS),
                cell("collector", "last", "name", "text", types=COLLECTION),
                cell("cause", "last", "cause", "text", types=COLLECTION),
            ),
            "gc", "+start", below=(*PAUSE_PHASES, *CONCURRENT), label="name",
        ),
        EventTable(
            "pauses", PAUSES, (BY_TYPE, by("name")),
            (count(), *durations("sum", "least", "p50", "average", "p90", "p95", "p99", "p999", "longest")),
            "gc-pauses", "total",
        ),
        EventTable(
            "causes", COLLECTION, (by("cause"), by("name")),
            (count(), cell("pauses", "sum", "sumOfPauses", "ns"), cell("longest", "longest", "longestPause", "ns")),
            order="pauses",
        ),
        EventTable("pause phases", PAUSE_PHASES, (by("name"), BY_TYPE), PHASE_COLUMNS, "gc-pause-phases", "total"),
        EventTable("concurrent phases", CONCURRENT, (by("name"),), PHASE_COLUMNS, "gc-concurrent-phases", "total"),
        EventTable("parallel phases", jdk("GCPhaseParallel"), (by("name"),), PHASE_COLUMNS, "gc-parallel-phases",
              "total"),
        EventTable(
            "references", REFERENCES, (by_id("gcId", "collection", "GC "),),
            (
                STARTS,
                *(
                    cell(kind.lower(), "last", "count", where=("type", f"{kind} reference"))
                    for kind in ("Soft", "Weak", "Phantom", "Final")
                ),
                cell("total", "sum", "count"),
            ),
            "gc-references", "+start",
        ),
        form(
            "cpu time", jdk("GCCPUTime"), cell("user", "sum", "userTime", "ns", "GC user time"),
            cell("system", "sum", "systemTime", "ns", "GC system time"),
            cell("real", "sum", "realTime", "ns", "GC wall clock time"),
            cell("elapsed", "difference", START, "ns", "total time"), count("collections"), alias="gc-cpu-time",
        ),
        EventTable(
            "allocation triggers", jdk("AllocationRequiringGC"), (by(APPLICATION, "method"),),
            (count(), cell("requested", "sum", "size", "bytes")), "gc-allocation-trigger", "count",
        ),
        EventTable(
            "System.gc", jdk("SystemGC"), (), (STARTS, last(DURATION, "ns")), "blocked-by-system-gc", DURATION,
            where=("invokedConcurrent", "false"),
        ),
        form(
            "configuration", jdk("GCConfiguration"),
            *(last(each) for each in (
                "youngCollector", "oldCollector", "parallelGCThreads", "concurrentGCThreads", "usesDynamicGCThreads",
                "isExplicitGCConcurrent", "isExplicitGCDisabled",
            )),
            last("pauseTarget", "ns"), last("gcTimeRatio"), alias="gc-configuration",
        ),
        form(
            "heap configuration", jdk("GCHeapConfiguration"),
            *(last(each, "bytes") for each in ("initialSize", "minSize", "maxSize")), last("usesCompressedOops"),
            last("compressedOopsMode"), alias="heap-configuration",
        ),
        form(
            "TLABs", jdk("ObjectAllocationInNewTLAB", "ObjectAllocationOutsideTLAB"),
            *(
                cell(f"{word} {how}", how, field, "bytes" if how != "count" else "count", f"{word} TLAB, {how}",
                     types=jdk(type))
                for word, field, type in (
                    ("inside", "tlabSize", "ObjectAllocationInNewTLAB"),
                    ("outside", "allocationSize", "ObjectAllocationOutsideTLAB"),
                )
                for how in ("count", "least", "average", "longest", "sum")
            ),
            alias="tlabs",
        ),
    ),
)  # fmt: skip

# -- latencies --------------------------------------------------------------------------------------------------------

WAITS = jdk(
    "JavaMonitorWait", "JavaMonitorEnter", "ThreadPark", "ThreadSleep", "SocketRead", "SocketWrite", "FileWrite",
    "FileRead", "FileForce", "SocketConnect", "SocketAccept", "VirtualThreadPinned",
)  # fmt: skip
LATENCY = (count(), *durations("sum", "average", "p50", "p99", "longest"))
PLACE = By(("path", "host", "monitorClass", "parkedClass"), "place", missing="(no place)")
LATENCIES = TablesOfView(
    "Waits and I/O by type and place: count, total, percentiles",
    (
        EventTable("by type", WAITS, (BY_TYPE, PLACE), LATENCY, "latencies-by-type", "total"),
        EventTable("by place", WAITS, (PLACE, BY_TYPE), LATENCY, order="total"),
        EventTable("by thread", WAITS, (BY_THREAD, BY_TYPE, PLACE), LATENCY, order="total"),
        EventTable("by method", WAITS, (by(APPLICATION, "method"), BY_TYPE), LATENCY, order="total"),
    ),
)

# -- exceptions, input and output -------------------------------------------------------------------------------------

THROWS = jdk("JavaErrorThrow", "JavaExceptionThrow")
COUNTED = (count(), cell("share", "share", "", "percent"))
EXCEPTIONS = TablesOfView(
    "Exceptions by class, message and site",
    (
        EventTable("by class", THROWS, (by("thrownClass", "class"), by("message")), COUNTED, "exception-by-type",
              "count"),
        EventTable("by message", THROWS, (by("message"),), COUNTED, "exception-by-message", "count"),
        EventTable("by site", THROWS, (by(THROWER, "method"), by("thrownClass", "class")), COUNTED, "exception-by-site",
              "count"),
        form("statistics", jdk("ExceptionStatistics"),
             cell("thrown", "difference", "throwables", title="exceptions thrown"), alias="exception-count"),
    ),
)  # fmt: skip


def transfers(name: str, type: str, field: str, bytes: str, title: str, alias: str) -> EventTable:
    """Returns a table of files or hosts. title: heading of the sum of bytes"""
    cells = (count(), cell("bytes", "sum", bytes, "bytes", title), *durations("sum", "p99", "longest"))
    return EventTable(
        name,
        jdk(type),
        (By((field,), "place", missing="(no path)"), *([by("port")] if field == "host" else ())),
        cells,
        alias,
        "bytes",
    )


TRANSFERS = jdk("FileRead", "FileWrite", "FileForce", "SocketRead", "SocketWrite")
IO = TablesOfView(
    "Files and sockets: count, bytes and time",
    (
        EventTable(
            "all", TRANSFERS, (BY_TYPE, By(("path", "host"), "place", missing="(no path)")),
            (count(), cell("read", "sum", "bytesRead", "bytes", "bytes read"),
             cell("written", "sum", "bytesWritten", "bytes", "bytes written"), *durations("sum", "p99", "longest")),
            order="total",
        ),
        transfers("file reads", "FileRead", "path", "bytesRead", "bytes read", "file-reads-by-path"),
        transfers("file writes", "FileWrite", "path", "bytesWritten", "bytes written", "file-writes-by-path"),
        transfers("socket reads", "SocketRead", "host", "bytesRead", "bytes read", "socket-reads-by-host"),
        transfers("socket writes", "SocketWrite", "host", "bytesWritten", "bytes written", "socket-writes-by-host"),
        EventTable(
            "by thread", TRANSFERS, (BY_THREAD, BY_TYPE),
            (count(), cell("read", "sum", "bytesRead", "bytes", "bytes read"),
             cell("written", "sum", "bytesWritten", "bytes", "bytes written"), *durations("sum", "longest")),
            order="total",
        ),
    ),
)  # fmt: skip

# -- compiler and classes ---------------------------------------------------------------------------------------------

COMPILED = jdk("Compilation")
DEOPTIMISED = jdk("Deoptimization")
INLINED = jdk("CompilerInlining")
COMPILATIONS = TablesOfView(
    "Compilations, inlining, deoptimisations",
    (
        EventTable(
            "by method", COMPILED, (by("method", "method"),),
            (count(), *durations("sum", "longest"), cell("level", "longest", "compileLevel"),
             cell("code", "sum", "codeSize", "bytes", "code size"),
             cell("inlined", "sum", "inlinedBytes", "bytes", "inlined")),
            order="total",
        ),
        EventTable(
            "longest", COMPILED, (),
            (STARTS, cell("duration", "last", DURATION, "ns"), cell("level", "last", "compileLevel"),
             cell("code", "last", "codeSize", "bytes", "code size"), cell("succeeded", "last", "succeded", "text"),
             cell("method", "last", "method", "text", width=40)),
            "longest-compilations", "duration",
        ),
        EventTable(
            "inlining", INLINED, (by("succeeded", prefix="inlined: "), by("message")), COUNTED, order="count",
        ),
        EventTable("inlining by caller", INLINED, (by("caller", "method"), by("message")),
              (count(), cell("inlined", "count", "succeeded", where=("succeeded", "true")),
               cell("not_inlined", "count", "succeeded", where=("succeeded", "false"))), order="count"),
        EventTable("deoptimisations", DEOPTIMISED, (by("reason"), by("method", "method")),
              (count(), cell("actions", "list", "action", "text")), "deoptimizations-by-reason", "count"),
        EventTable("deoptimisations by site", DEOPTIMISED, (by("method", "method"),),
              (count(), cell("line", "last", "lineNumber"), cell("bci", "last", "bci"),
               cell("reasons", "list", "reason", "text")), "deoptimizations-by-site", "count"),
        EventTable("phases", jdk("CompilerPhase"), (by("phase"),),
              (cell("level", "first", "phaseLevel"), *PHASE_COLUMNS), "compiler-phases", "total"),
        EventTable("failures", jdk("CompilationFailure"), (by("failureMessage"),), COUNTED, order="count"),
        form("statistics", jdk("CompilerStatistics"), last("compileCount", "count"),
             *(last(each, "ns") for each in ("peakTimeSpent", "totalTimeSpent")),
             *(last(each, "count") for each in ("bailoutCount", "osrCompileCount", "standardCompileCount")),
             *(last(each, "bytes") for each in (
                 "osrBytesCompiled", "standardBytesCompiled", "nmethodsSize", "nmethodCodeSize")),
             alias="compiler-statistics"),
        form("configuration", jdk("CompilerConfiguration"),
             *(last(each) for each in ("threadCount", "dynamicCompilerThreadCount", "tieredCompilation")),
             alias="compiler-configuration"),
        EventTable("code cache", jdk("CodeCacheStatistics"), (by("codeBlobType"),),
              (last("entryCount", "count"), last("methodCount", "count"), last("unallocatedCapacity", "bytes"),
               last("fullCount", "count")), order="entryCount"),
    ),
)  # fmt: skip

CLASSES = TablesOfView(
    "Class loading: loaders, longest loads, changes",
    (
        EventTable("loaders", jdk("ClassLoaderStatistics"), (By(("classLoader",), "class", missing="null-bootstrap"),),
              (cell("hidden", "last", "hiddenClassCount", title="hidden classes"),
               cell("classes", "last", "classCount"), cell("chunks", "last", "chunkSize", "bytes", "metaspace")),
              "class-loaders", "classes"),
        EventTable("longest", jdk("ClassLoad"), (),
              (STARTS, cell("duration", "last", DURATION, "ns"),
               cell("class", "last", "loadedClass", "text", width=40),
               cell("loader", "last", "definingClassLoader", "text")), "longest-class-loading", "duration"),
        EventTable("loads by loader", jdk("ClassLoad"),
              (By(("definingClassLoader",), "class", missing="null-bootstrap"),),
              (count(), *durations("sum", "p99", "longest")), order="total"),
        EventTable("loads by site", jdk("ClassLoad"), (by(APPLICATION, "method"),),
              (count(), *durations("sum", "longest")), order="total"),
        EventTable("unloads", jdk("ClassUnload"), (By(("definingClassLoader",), "class", missing="null-bootstrap"),),
              (count(),), order="count"),
        EventTable("redefinitions", jdk("RetransformClasses", "RedefineClasses"), (by_id("redefinitionId"),),
              (cell("duration", "last", DURATION, "ns"), cell("operation", "last", TYPE, "text"),
               cell("classes", "last", "classCount"), cell("requester", "last", APPLICATION, "text")),
              "class-modifications", "duration"),
        form("statistics", jdk("ClassLoadingStatistics"), last("loadedClassCount", "count"),
             last("unloadedClassCount", "count"), alias="class-loading-statistics"),
        EventTable("finalizers", jdk("FinalizerStatistics"), (by("finalizableClass", "class"),),
              (last("objects", "count"), last("totalFinalizersRun", "count")), "finalizers", "objects"),
        EventTable("modules", jdk("ModuleRequire"), (by("source.name"),), (count("requires"),), "modules"),
    ),
)  # fmt: skip

# -- safepoints, methods ----------------------------------------------------------------------------------------------

SAFE = jdk("SafepointBegin", "SafepointEnd", "SafepointStateSynchronization")
SAFEPOINTS = TablesOfView(
    "Safepoints and VM operations",
    (
        EventTable(
            "safepoints", SAFE, (by_id("safepointId", prefix="safepoint "),),
            (
                cell("start", "first", START, "s", width=12, types=SAFE[:1]),
                cell("duration", "difference", START, "ns", types=SAFE[:2]),
                cell("synchronization", "last", DURATION, "ns", types=SAFE[2:]),
                cell("critical", "last", "jniCriticalThreadCount", title="JNI critical", types=SAFE[:1]),
                cell("threads", "last", "totalThreadCount", types=SAFE[:1]),
            ),
            "safepoints", "+start",
        ),
        EventTable("operations", jdk("ExecuteVMOperation"), (by("operation"),),
              (*durations("average", "p99", "longest"), count(), *durations("sum")), "vm-operations", "total"),
    ),
)  # fmt: skip

METHODS = TablesOfView(
    "Timed and traced methods",
    (
        EventTable("timing", jdk("MethodTiming"), (by("method", "method"),),
              (last("invocations", "count"), last("minimum", "ns"), last("average", "ns"), last("maximum", "ns")),
              "method-timing", "average", is_last_batch=True),
        EventTable("calls", jdk("MethodTrace"), (by("method", "method"), by(TOP, "method")),
              (count("invocations"), *durations("sum", "p50", "p99", "longest")), "method-calls", "invocations"),
    ),
)  # fmt: skip

# -- settings and system ----------------------------------------------------------------------------------------------

SET = jdk("ActiveSetting")
FLAGS = jdk(*(
    f"{kind}Flag{changed}"
    for changed in ("", "Changed")
    for kind in ("Int", "UnsignedInt", "Boolean", "Long", "UnsignedLong", "Double", "String")
))  # fmt: skip


def setting(name: str, title: str) -> AggregateColumn:
    """Returns a column with the last value of a setting."""
    return cell(title, "last", "value", "text", title, 14, where=("name", name))


SETTINGS = TablesOfView(
    "Settings of the recording by type of events",
    (
        EventTable("events", SET, (by(SETTING, "type"),),
              tuple(setting(name, title) for name, title in (
                  ("enabled", "enabled"), ("threshold", "threshold"), ("stackTrace", "stack trace"),
                  ("period", "period"), ("cutoff", "cutoff"), ("throttle", "throttle"), ("interval", "interval"))),
              "active-settings"),
        EventTable("recordings", jdk("ActiveRecording"), (by_id("id", prefix="recording "),),
              (last("recordingStart", "s"), last("recordingDuration", "ns"), last("name"), last("destination"),
               last("maxAge", "ns"), last("maxSize", "bytes")), "active-recordings"),
        EventTable("every setting", SET, (by(SETTING, "type"), by("name")), (last("value"), count())),
        form("recording", EVERY, cell("events", "count"), cell("first", "first", START, "s", "first event"),
             cell("last", "last", START, "s", "last event"), cell("length", "difference", START, "ns"),
             cell("reason", "last", "reason", "text", "dump reason", types=jdk("Shutdown"))),
    ),
)  # fmt: skip

MEMORY: tuple[tuple[How, str], ...] = (
    ("first", "first"),
    ("average", "average"),
    ("last", "last"),
    ("longest", "maximum"),
)
RANGE: tuple[tuple[How, str], ...] = (("least", "minimum"), ("average", "average"), ("longest", "maximum"))
SYSTEM = TablesOfView(
    "The JVM, its flags and properties; the machine, its processes and containers",
    (
        form("JVM", jdk("JVMInformation"), last("pid"), last("jvmStartTime", "s", "VM start"), last("jvmName"),
             last("jvmVersion"), private("jvmArguments"), private("jvmFlags"), private("javaArguments"),
             alias="jvm-information"),
        form("machine", jdk("CPUInformation", "PhysicalMemory", "OSInformation", "VirtualizationInformation"),
             last("totalSize", "bytes", "physical memory"), last("osVersion"),
             last("name", title="virtualization", types=jdk("VirtualizationInformation")),
             *(last(each) for each in ("cpu", "cores", "hwThreads", "sockets", "description")),
             alias="system-information"),
        EventTable("flags", FLAGS, (by("name"),), (private("value"), last("origin")), "jvm-flags"),
        EventTable("properties", jdk("InitialSystemProperty"), (by("key"),), (private("value"),), "system-properties"),
        EventTable("environment", jdk("InitialEnvironmentVariable"), (by("key"),), (private("value"),),
              "environment-variables"),
        EventTable("processes", jdk("SystemProcess"), (by("pid"),),
              (cell("first", "first", START, "s"), cell("last", "last", START, "s"), private("commandLine")),
              "system-processes"),
        EventTable("agents", jdk("JavaAgent", "NativeAgent"), (by("name"),),
              (last("initializationTime", "s"), last("initializationDuration", "ns"), private("options")),
              "jdk-agents"),
        EventTable("libraries", jdk("NativeLibrary"), (by("name"),), (last("baseAddress"), last("topAddress")),
              "native-libraries"),
        EventTable("library failures", jdk("NativeLibraryUnload", "NativeLibraryLoad"), (BY_TYPE, by("name")),
              (last("errorMessage"),), "native-library-failures", where=("success", "false")),
        form("CPU load", jdk("CPULoad"), *(
            cell(f"{field} {how}", how, field, "percent", f"{field}, {title}")
            for field in ("jvmUser", "jvmSystem", "machineTotal")
            for how, title in RANGE
        ), alias="cpu-load"),
        EventTable("thread load", jdk("ThreadCPULoad"), (BY_THREAD,),
              (last("system", "percent"), last("user", "percent")),
              "thread-cpu-load", "user"),
        EventTable("network", jdk("NetworkUtilization"), (by("networkInterface"),),
              (cell("read", "average", "readRate", "bytes/s"), cell("most_read", "longest", "readRate", "bytes/s"),
               cell("written", "average", "writeRate", "bytes/s"),
               cell("most_written", "longest", "writeRate", "bytes/s")), "network-utilization"),
        EventTable("native memory committed", jdk("NativeMemoryUsage"), (by("type"),),
              tuple(cell(title, how, "committed", "bytes") for how, title in MEMORY),
              "native-memory-committed", "maximum"),
        EventTable("native memory reserved", jdk("NativeMemoryUsage"), (by("type"),),
              tuple(cell(title, how, "reserved", "bytes") for how, title in MEMORY),
              "native-memory-reserved", "maximum"),
        form("time stamp counter", jdk("CPUTimeStampCounter"), *(last(each) for each in (
            "fastTimeAutoEnabled", "fastTimeEnabled", "fastTimeFrequency", "osFrequency")), alias="cpu-tsc"),
        form("container", jdk("ContainerConfiguration"), last("containerType"),
             *(last(each, "ns") for each in ("cpuSlicePeriod", "cpuQuota")),
             *(last(each, "count") for each in ("cpuShares", "effectiveCpuCount")),
             *(last(each, "bytes") for each in ("memorySoftLimit", "memoryLimit", "swapMemoryLimit",
                                                "hostTotalMemory")), alias="container-configuration"),
        form("container CPU", jdk("ContainerCPUUsage"),
             *(last(each, "ns") for each in ("cpuTime", "cpuUserTime", "cpuSystemTime")), alias="container-cpu-usage"),
        form("container throttling", jdk("ContainerCPUThrottling"), last("cpuElapsedSlices", "count"),
             last("cpuThrottledSlices", "count"), last("cpuThrottledTime", "ns"), alias="container-cpu-throttling"),
        form("container memory", jdk("ContainerMemoryUsage"), last("memoryFailCount", "count"),
             last("memoryUsage", "bytes"), last("swapMemoryUsage", "bytes"), alias="container-memory-usage"),
        form("container I/O", jdk("ContainerIOUsage"), last("serviceRequests", "count"),
             last("dataTransferred", "bytes"), alias="container-io-usage"),
    ),
)  # fmt: skip

# -- tables of `jfr view` without a view of their own ------------------------------------------------------------------

SAMPLED = (count("samples"), cell("share", "share", "", "percent"))
OLD = jdk("OldObjectSample")
LEAKS = (
    cell("allocated", "last", "allocationTime", "s", "allocation"), cell("age", "last", "objectAge", "ns"),
    cell("heap", "last", "lastKnownHeapUsage", "bytes", "heap usage"), count(),
)  # fmt: skip
CPU_SAMPLES = jdk("CPUTimeSample")
LIVES = jdk("ThreadStart", "ThreadEnd")
EVENT_COUNT = (count("events"),)


def alias(
    name: str, types: tuple[str, ...], levels: tuple[By, ...], cells: tuple[AggregateColumn, ...], order: str = ""
) -> EventTable:
    """Returns a table that has the name of `jfr view` only."""
    return EventTable(name, types, levels, cells, name, order)


JDK_VIEWS = TablesOfView(
    "Tables of `jfr view` whose data other views show in another way",
    (
        alias("hot-methods", jdk("ExecutionSample"), (by(TOP, "method"),), SAMPLED, "samples"),
        alias("native-methods", jdk("NativeMethodSample"), (by(TOP, "method"),), SAMPLED, "samples"),
        alias("cpu-time-hot-methods", CPU_SAMPLES, (by(TOP, "method"),), SAMPLED, "samples"),
        form("cpu-time-statistics", (*CPU_SAMPLES, *jdk("CPUTimeSamplesLost")),
             cell("successful", "count", types=CPU_SAMPLES, where=("failed", "false")),
             cell("failed", "count", types=CPU_SAMPLES, where=("failed", "true")),
             cell("biased", "count", types=CPU_SAMPLES, where=("biased", "true")),
             cell("total", "count", types=CPU_SAMPLES), cell("lost", "sum", "lostSamples")),
        EventTable("memory-leaks-by-class", OLD, (by("object.type", "class"),), LEAKS, "memory-leaks-by-class",
              "+allocated", is_last_batch=True),
        EventTable("memory-leaks-by-site", OLD, (by(APPLICATION, "method"),), LEAKS, "memory-leaks-by-site",
              "+allocated",
              is_last_batch=True),
        EventTable("object-statistics", jdk("ObjectCountAfterGC", "ObjectCount"), (by("objectClass", "class"),),
              (cell("count", "last", "count"), cell("size", "last", "totalSize", "bytes"),
               cell("increase", "difference", "totalSize", "bytes")), "object-statistics", "size"),
        alias("thread-start", LIVES, (BY_THREAD,),
              (cell("start", "first", START, "s", types=LIVES[:1]), cell("life", "difference", START, "ns"),
               cell("starter", "first", TOP, "text", types=LIVES[:1])), "life"),
        EventTable("thread-count", jdk("JavaThreadStatistics"), (),
              (STARTS, last("activeCount", "count"), last("daemonCount", "count"), last("accumulatedCount", "count"),
               last("peakCount", "count")), "thread-count"),
        EventTable("cpu-load-samples", jdk("CPULoad"), (),
              (STARTS, *(last(each, "percent") for each in ("jvmUser", "jvmSystem", "machineTotal"))),
              "cpu-load-samples"),
        alias("deprecated-methods-for-removal", jdk("DeprecatedInvocation"), (by("method", "method"),),
              (cell("callers", "list", TOP, "text", width=60),)),
        EventTable("events-by-count", EVERY, (BY_TYPE,), EVENT_COUNT, "events-by-count", "events", below=()),
        EventTable("events-by-name", EVERY, (BY_TYPE,), EVENT_COUNT, "events-by-name", below=()),
    ),
)  # fmt: skip

# -- monitors and allocation -------------------------------------------------------------------------------------------

CONTENTION = (count(), *durations("average", "p90", "longest", "sum"))
ENTERED, WAITED, PARKED = jdk("JavaMonitorEnter"), jdk("JavaMonitorWait"), jdk("ThreadPark")
MONITORS = TablesOfView(
    "Monitors and locks that threads waited for; deadlocks in thread dumps",
    (
        EventTable("contention by class", ENTERED, (by("monitorClass", "class"),), CONTENTION, "contention-by-class",
              "longest", note=LOWER_LIMITS),
        EventTable("contention by previous owner", ENTERED, (by("previousOwner", "thread"),), CONTENTION, order="total",
              note=LOWER_LIMITS),
        EventTable("contention by thread", ENTERED, (BY_THREAD,), CONTENTION, "contention-by-thread", "longest",
              note=LOWER_LIMITS),
        EventTable("contention by site", ENTERED, (by(STACK, "method"),), CONTENTION, "contention-by-site", "longest",
              note=LOWER_LIMITS),
        EventTable("contention by monitor", ENTERED, (by_id("address"),),
              (cell("class", "first", "monitorClass", "text"), cell("threads", "unique", THREAD), LONGEST, count(),
               *durations("sum")), "contention-by-address", "longest", note=LOWER_LIMITS),
        EventTable("waits by class", WAITED, (by("monitorClass", "class"),), CONTENTION, order="total"),
        EventTable("waits by notifier", WAITED, (by("notifier", "thread"),), CONTENTION, order="total"),
        EventTable("waits by site", WAITED, (by(STACK, "method"),), CONTENTION, order="total"),
        EventTable("parks by blocker", PARKED, (by("parkedClass", "class"),), CONTENTION, order="total"),
        EventTable("parks by site", PARKED, (by(STACK, "method"),), CONTENTION, order="total"),
        EventTable("pinned by site", jdk("VirtualThreadPinned"), (by(APPLICATION, "method"),),
              (count(), *durations("longest", "sum")), "pinned-threads", "total"),
        EventTable("inflation by site", jdk("JavaMonitorInflate"), (by(STACK, "method"), by("monitorClass", "class")),
              (count(), *durations("sum")), "monitor-inflation", "total"),
    ),
)  # fmt: skip

SAMPLED_BYTES = (cell("allocated", "sum", WEIGHT, "bytes"), cell("share", "share", WEIGHT, "percent"), count())
ALLOCATED = jdk("ObjectAllocationSample")
TLABS = jdk("ObjectAllocationInNewTLAB", "ObjectAllocationOutsideTLAB")
LIVE = ("profiler.LiveObject",)
ALLOCATION = TablesOfView(
    "Allocated bytes by class, site and thread",
    (
        *(
            EventTable(
                f"{before}{name}", types, (level,), SAMPLED_BYTES, f"allocation-by-{name[3:]}" if not before else "",
                "allocated", note=SINCE_LAST if types == ALLOCATED else "",
            )
            for types, before in ((ALLOCATED, ""), (TLABS, "TLABs "), (LIVE, "live objects "))
            for name, level in (
                ("by class", by("objectClass", "class")), ("by site", by(TOP, "method")), ("by thread", BY_THREAD),
            )
        ),
        EventTable("since the start by thread", jdk("ThreadAllocationStatistics"), (by("thread", "thread"),),
              (last("allocated", "bytes"), cell("share", "part", "allocated", "percent")), "thread-allocation",
              "allocated"),
    ),
)  # fmt: skip

VIEWS: Mapping[str, TablesOfView] = {
    "Garbage collections": GARBAGE,
    "Latencies": LATENCIES,
    "Monitors": MONITORS,
    "Allocation": ALLOCATION,
    "Exceptions": EXCEPTIONS,
    "I/O": IO,
    "Compilations": COMPILATIONS,
    "Class loading": CLASSES,
    "Safepoints": SAFEPOINTS,
    "Method timing": METHODS,
    "Settings": SETTINGS,
    "System": SYSTEM,
    "JDK views": JDK_VIEWS,
}
"""By name of a view."""


def aliases() -> dict[str, tuple[str, EventTable]]:
    """Returns the view and table of each name in `jfr view`, and of other names of `form`."""
    return {table.alias: (name, table) for name, view in VIEWS.items() for table in view.tables if table.alias}
