"""Views that aggregate all tasks: methods, inlining failures, deoptimisations, compile time, code cache."""
