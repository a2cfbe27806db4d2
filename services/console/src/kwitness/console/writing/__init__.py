"""Writes what a person requests in a form: subscriptions alone, after a preview, with that person's own right."""
