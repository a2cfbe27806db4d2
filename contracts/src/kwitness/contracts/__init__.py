"""Every shared word of the platform: resource models, registries, envelopes.

No I/O, no imports from any other portion of kwitness. What other languages need is generated from here.
"""
