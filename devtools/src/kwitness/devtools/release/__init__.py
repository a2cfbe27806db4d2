"""Makes a release: images, charts, libraries, archives, and the statements about them.

Belongs here: one module for each step of `make release`, which can be run alone, and what steps share.
Does not belong here: how an image is built (`kwitness.images`), tests that install a release (`tests/release`).
"""
