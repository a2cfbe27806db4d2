"""Receivers: authentication, body limits and protocols of each endpoint. Nothing here decides what is kept."""
