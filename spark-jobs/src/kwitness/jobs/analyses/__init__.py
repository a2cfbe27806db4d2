"""The jobs: a folder for each type, which the registry finds by its name."""
