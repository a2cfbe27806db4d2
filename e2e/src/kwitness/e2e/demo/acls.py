"""Kafka rights of the platform's own users: exactly those that the documentation gives."""
