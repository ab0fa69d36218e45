"""Readers of JVM tool output. Bytes become arrays, arrays become a lazy `Report`. Nothing here knows a screen."""
