"""Names of bytecodes by the decimal opcode in a log: bytecodes of calls, branches and traps.

Source: JVM specification, chapters 6 and 7; HotSpot's own fast bytecodes are never logged.
"""

from __future__ import annotations

BYTECODES = {
    "46": "iaload", "47": "laload", "48": "faload", "49": "daload", "50": "aaload", "51": "baload", "52": "caload",
    "53": "saload", "79": "iastore", "80": "lastore", "81": "fastore", "82": "dastore", "83": "aastore",
    "84": "bastore", "85": "castore", "86": "sastore", "108": "idiv", "109": "ldiv", "112": "irem", "113": "lrem",
    "153": "ifeq", "154": "ifne", "155": "iflt", "156": "ifge", "157": "ifgt", "158": "ifle", "159": "if_icmpeq",
    "160": "if_icmpne", "161": "if_icmplt", "162": "if_icmpge", "163": "if_icmpgt", "164": "if_icmple",
    "165": "if_acmpeq", "166": "if_acmpne", "167": "goto", "170": "tableswitch", "171": "lookupswitch",
    "178": "getstatic", "179": "putstatic", "180": "getfield", "181": "putfield", "182": "invokevirtual",
    "183": "invokespecial", "184": "invokestatic", "185": "invokeinterface", "186": "invokedynamic", "187": "new",
    "188": "newarray", "189": "anewarray", "190": "arraylength", "191": "athrow", "192": "checkcast",
    "193": "instanceof", "194": "monitorenter", "195": "monitorexit", "197": "multianewarray", "198": "ifnull",
    "199": "ifnonnull",
}  # fmt: skip
