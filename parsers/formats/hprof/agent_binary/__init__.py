"""Binary files of the HPROF agent, apart from their heap dumps."""
