"""Opening reports; the processes beside the browser: indexer, worker, receiver of live JVMs."""
