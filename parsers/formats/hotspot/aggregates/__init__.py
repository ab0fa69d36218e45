"""Views that merge all tasks: methods, inlining failures, deoptimisations, compile time, code cache."""
