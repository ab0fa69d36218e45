"""Where bytes come from: files, archives, pipes; and what a file is recognised by."""
