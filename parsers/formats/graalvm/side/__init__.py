"""The other reports of a build as tables: histograms, used methods, statistics."""
