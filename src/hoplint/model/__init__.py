"""See the map in `src/hoplint/README.md`."""
