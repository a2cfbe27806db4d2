"""Every shared word of the platform: resource models, registries, envelopes. No I/O, no imports from any other portion."""
