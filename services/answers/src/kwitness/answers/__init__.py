"""Answers about clients and installations, for the command, the console and every other program that shows them.

`access` asks the API server and collectors as kubectl does, `tables` opens what jobs write, `views` and `checks` are
pure: what is known of clients in words, and what may be wrong with an installation. Nothing here prints.
"""
