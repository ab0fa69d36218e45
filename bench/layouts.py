"""Compares sizes of classes with the JVM's own: heap dumps beside `jcmd GC.class_histogram` of the same process.

    python bench/layouts.py JDK_HOME... [--only TEXT] [--keep FOLDER]

Starts a small program on each JDK with each set of options that it accepts: collectors, headers, widths of references
and of class pointers, alignments. For each it prints how many classes have the same objects and bytes, then those that
differ: ours and the JVM's. Classes whose count changes while nothing happens are omitted. With class data sharing the
JVM also counts class objects of classes that are not loaded, which are in no dump: give `-Xshare:off` in
`JAVA_TOOL_OPTIONS` to compare `java.lang.Class`. Needs whole JDKs, 8 or later, of 32 or 64 bits.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PROGRAM = """
import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;

public class Layouts {
  static class Empty {}
  static class OneByte { byte a; }
  static class OneLong { long a; }
  static class ByteLong { byte a; long b; }
  static class ByteRef { byte a; Object b; }
  static class BelowByte extends OneByte { byte b; }
  static class BelowByteLong extends OneByte { long b; }
  static class BelowByteInt extends OneByte { int b; short c; }
  static class BelowByteRef extends OneByte { Object b; }
  static class BelowLong extends OneLong { int b; }
  static class Mixed { byte a; short b; int c; long d; Object e; boolean f; char g; float h; double i; Object j; }
  static class BelowMixed extends Mixed { byte k; Object l; long m; int n; Object o; }
  static class Lowest extends BelowMixed { short p; Object q; double r; }
  static class Refs { Object a, b, c; }
  static class BelowRefs extends Refs { byte d; Object e; }
  static class Statics1 { static byte a = 1; static long b = 2; static Object c = "x"; static int d = 3; }
  static class Statics2 { static Object a = "a", b = "b"; static long c = 1; static byte d = 1, e = 2; }
  static class Statics3 { static boolean a; static byte b; static short c; static double d; static Object e; }
  static class OwnError extends InternalError { long a; }
  static class OwnThread extends Thread { byte a; long b; OwnThread(Runnable r) { super(r); } }
  static class OwnLoader extends ClassLoader { byte a; Object b; }
  static class OwnPool extends ForkJoinPool { byte a; long b; }

  static final List<Object> KEPT = new ArrayList<>();

  static void park() { while (true) LockSupport.park(); }

  static void deep(int left) { if (left > 0) deep(left - 1); else park(); }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 50; i++) {
      Collections.addAll(KEPT, new Empty(), new OneByte(), new OneLong(), new ByteLong(), new ByteRef(),
        new BelowByte(), new BelowByteLong(), new BelowByteInt(), new BelowByteRef(), new BelowLong(), new Mixed(),
        new BelowMixed(), new Lowest(), new Refs(), new BelowRefs(), new OwnError(), new OwnLoader());
      for (int n = 0; n < 20; n++)
        Collections.addAll(KEPT, new byte[n], new short[n], new char[n], new int[n], new long[n], new float[n],
          new double[n], new boolean[n], new Object[n], new String[n], new long[n][0]);
    }
    KEPT.add(Statics1.c); KEPT.add(Statics2.c); KEPT.add(Statics3.d); KEPT.add(int[].class); KEPT.add(Object[][].class);
    KEPT.add(Layouts.class.getDeclaredMethods());
    for (int i = 0; i < 3; i++) { Thread own = new OwnThread(Layouts::park); own.setDaemon(true); own.start(); }
    KEPT.add(new OwnPool());
    ForkJoinPool pool = new ForkJoinPool(3);
    KEPT.add(pool);
    CountDownLatch begun = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) pool.execute(() -> { begun.countDown(); park(); });
    begun.await();
    LongAdder adder = new LongAdder();
    ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
    Exchanger<Object> exchanger = new Exchanger<>();
    List<Thread> busy = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int from = i * 20000;
      Thread thread = new Thread(() -> {
        for (int n = 0; n < 20000; n++) { adder.increment(); map.put(from + n, n); }
        try { exchanger.exchange("x", 100, TimeUnit.MILLISECONDS); } catch (Exception e) { }
      });
      busy.add(thread);
      thread.start();
    }
    for (Thread thread : busy) thread.join();
    Collections.addAll(KEPT, adder, map, exchanger);
    SubmissionPublisher();
    virtualThreads();
    KEPT.add(new Throwable().getStackTrace());
    KEPT.add((Runnable) () -> KEPT.size());
    System.gc();
    Thread.sleep(500);
    System.out.println("ready");
    System.out.flush();
    Thread.sleep(3600_000);
  }

  static void SubmissionPublisher() throws Exception {
    try {
      Class<?> publisher = Class.forName("java.util.concurrent.SubmissionPublisher");
      KEPT.add(publisher.getConstructor().newInstance());
    } catch (ClassNotFoundException old) { }
    try {
      Class<?> walker = Class.forName("java.lang.StackWalker");
      KEPT.add(walker.getMethod("getInstance").invoke(null));
    } catch (ClassNotFoundException old) { }
  }

  static void virtualThreads() throws Exception {
    Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException old) { return; }
    for (int i = 0; i < 200; i++) {
      int depth = i;
      try { KEPT.add(start.invoke(null, (Runnable) () -> deep(depth))); } catch (Exception none) { return; }
    }
    Thread.sleep(1000);
  }
}
"""

OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:+UseG1GC",
    "-XX:+UseParallelGC",
    "-XX:+UseZGC",
    "-XX:+UseShenandoahGC",
    "-XX:+UseSerialGC -XX:-UseCompressedOops",
    "-XX:+UseSerialGC -XX:-UseCompressedOops -XX:-UseCompressedClassPointers",
    "-XX:+UseSerialGC -XX:-UseCompressedClassPointers",
    "-XX:+UseSerialGC -XX:ObjectAlignmentInBytes=16",
    "-XX:+UseSerialGC -XX:ObjectAlignmentInBytes=32",
    "-XX:+UseG1GC -XX:+UseCompactObjectHeaders",
    "-XX:+UseZGC -XX:+UseCompactObjectHeaders",
    "-XX:+UseSerialGC -XX:+UseCompactObjectHeaders -XX:-UseCompressedOops",
    "-XX:+UseParallelGC -XX:+UseCompactObjectHeaders -XX:ObjectAlignmentInBytes=16",
)
"""Sets of options. A set is skipped on a JDK that rejects it."""
UNLOCK = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UnlockDiagnosticVMOptions")
MOST_SHOWN = 12
"""Maximum classes printed for each set of options."""
FILLERS = {"jdk.internal.vm.FillerElement[]": "int[]"}
"""Classes that collectors put into free space, and their names in dumps."""
NAMES = {
    "Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double",
}  # fmt: skip


class Count(NamedTuple):
    """Objects of a class and their bytes."""

    objects: int
    bytes: int


def main() -> None:
    """Compares on the JDKs of the command line."""
    parser = argparse.ArgumentParser(description="Compare sizes of classes with those of the JVM.")
    parser.add_argument("home", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="sets of options that have this text")
    parser.add_argument("--keep", type=Path, help="a folder for the dumps and histograms")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        for home in options.home:
            compile_program(home, Path(scratch))
            for number, each in enumerate(OPTIONS):
                if options.only in each:
                    compare(home, each, Path(scratch), folder / f"{home.name}-{number}.hprof")


def compile_program(home: Path, folder: Path) -> None:
    """Compiles the program for one JDK."""
    source = folder / "Layouts.java"
    source.write_text(PROGRAM, "utf-8")
    subprocess.run([home / "bin" / "javac", "-nowarn", "-d", folder, source], check=True)


def compare(home: Path, options: str, classes: Path, dump: Path) -> None:
    """Makes one dump and prints differences."""
    command = [str(home / "bin" / "java"), *UNLOCK, *options.split(), "-Xmx300m", "-cp", str(classes), "Layouts"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        if not any(line.strip() == "ready" for line in lines):
            print(f"{home.name:40} {options:80} refused")
            return
        try:
            ask(home, process.pid, "GC.class_histogram")
            before = histogram(ask(home, process.pid, "GC.class_histogram"))
            dump.unlink(missing_ok=True)
            ask(home, process.pid, "GC.heap_dump", str(dump))
            text = ask(home, process.pid, "GC.class_histogram")
            dump.with_suffix(".histogram").write_text(text, "utf-8")
            after = histogram(text)
        finally:
            process.kill()
    ours = classes_of(dump)
    wanted = {name: count for name, count in after.items() if before.get(name) == count}
    differing = sorted(name for name, count in wanted.items() if ours.get(name) != count)
    print(f"{home.name:40} {options:80} {len(wanted) - len(differing):5} of {len(wanted)} equal", flush=True)
    for name in differing[:MOST_SHOWN]:
        print(f"    {name:70} {tuple(ours.get(name, ()))} here, {tuple(wanted[name])} in the JVM")


def ask(home: Path, pid: int, *words: str) -> str:
    """Returns the answer of a JVM."""
    return subprocess.run(
        [home / "bin" / "jcmd", str(pid), *words], check=True, stdout=subprocess.PIPE, text=True, errors="replace"
    ).stdout


def histogram(text: str) -> dict[str, Count]:
    """Returns classes by name: those of several loaders together, hidden ones without their address."""
    found: dict[str, Count] = {}
    for line in text.splitlines():
        row = re.match(r" *\d+: +(\d+) +(\d+) +(\S+)", line)
        if row:
            name = readable(row[3])
            add(found, FILLERS.get(name, name), int(row[1]), int(row[2]))
    return found


def readable(name: str) -> str:
    """Returns a name as in Java."""
    name, brackets = name.lstrip("["), "[]" * (len(name) - len(name.lstrip("[")))
    if brackets:
        name = name[1:].rstrip(";") if name.startswith("L") else NAMES[name]
    return plain(name) + brackets


def plain(name: str) -> str:
    """Returns the name of a hidden class without its address."""
    return re.sub(r"[/+]0x[0-9a-f]+|/\d+$", "", name)


def add(found: dict[str, Count], name: str, objects: int, bytes: int) -> None:
    """Adds objects of a class."""
    before = found.get(name, Count(0, 0))
    found[name] = Count(before.objects + objects, before.bytes + bytes)


def classes_of(dump: Path) -> dict[str, Count]:
    """Returns the classes of a dump, from the view "Classes"."""
    words = (
        "tree",
        str(dump),
        "--view",
        "Classes",
        "--switch",
        "group=classes alone",
        "--depth",
        "0",
        "--limit",
        "all",
    )
    answer = subprocess.run([sys.executable, "-m", "tui", *words, "--json"], check=False, stdout=subprocess.PIPE).stdout
    found: dict[str, Count] = {}
    for row in map(json.loads, answer.splitlines()):
        if row["kind"] == "class":
            name, brackets = re.fullmatch(r"(.*?)((?:\[\])*)", row["label"]).groups()  # type: ignore[union-attr]
            add(found, plain(name) + brackets, row["badges"]["objects"], row["badges"]["bytes"])
    return found


if __name__ == "__main__":
    main()
