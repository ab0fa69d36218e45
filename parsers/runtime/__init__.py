"""Opening reports; the processes besides the browser: indexer, worker, receiver of live JVMs."""
