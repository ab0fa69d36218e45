"""The command line: its words, commands and options, help, completion, man page."""
