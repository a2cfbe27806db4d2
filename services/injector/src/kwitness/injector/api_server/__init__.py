"""The API server, as the injector uses it: two watches, one Secret, one webhook configuration."""
