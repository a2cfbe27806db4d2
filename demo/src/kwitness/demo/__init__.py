"""The demo: stands the platform up, shows what it sees, takes it down again.

Belongs here: the steps of `make demo` in their order, what each waits for, and the summary.
Does not belong here: how a node or an image is made (`kwitness.e2e.node`, `kwitness.images`).
The end-to-end suite stands the platform up through this very package.
"""
