"""A small call tree and a small object tree as text."""

from __future__ import annotations

CALL_TREE = """\
VM Entry Points
├── entry a.Main.main(java.lang.String[]):void id=0\x20
│   ├── directly calls a.Main.run():void id=2 @bci=3\x20
│   │   └── virtually calls java.lang.Runnable.run():void @bci=5
│   │       ├── is overridden by a.Job.run():void id-ref=1\x20
│   │       └── is overridden by a.Other.run():void id=3\x20
│   └── directly calls a.Main.run():void id-ref=2 @bci=9\x20
└── entry a.Job.run():void id=1\x20

"""

OBJECT_TREE = """\
Heap roots
├── root a.Main.map:java.util.Map value:
│   └── java.util.HashMap id=0 toString=HashMap@7 fields:
│       ├── table:java.util.HashMap$Node[] value:
│       │   └── java.util.HashMap$Node[] id=1 toString=Node[2]{a, b} elements (excluding null):
│       │       └── [1] java.lang.Object id=2 toString=Object@9 (no fields)
│       └── keySet:java.util.Set value=null
└── root a.Main.other:java.lang.Object id-ref=2 toString=Object@9

"""
