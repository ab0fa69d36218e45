"""Binary files of the HPROF agent beside their heap dumps."""
