"""Records of a binary file: tags, sizes, where each begins and ends, also in files of several parts."""
