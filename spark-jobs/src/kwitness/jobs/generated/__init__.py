"""Generated from contracts/ by `make generate`; nothing here is written by hand."""
