"""Describes the content of each artefact of a release by an SPDX document: a bill of materials.

Belongs here: a module for each kind of artefact, and what their documents share.
Does not belong here: NOTICE, which lists the same packages for people (`notice.py`).
"""
