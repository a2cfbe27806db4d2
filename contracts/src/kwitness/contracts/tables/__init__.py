"""Generated from `contracts/registry` by `make generate`; nothing here is written by hand."""
