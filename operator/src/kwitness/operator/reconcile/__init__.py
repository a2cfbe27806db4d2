"""One module per kind: observe, have the pure part decide, let the adapters act. Nothing here builds an object."""
