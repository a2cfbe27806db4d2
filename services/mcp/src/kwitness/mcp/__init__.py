"""Tools for language models: the questions of the command, read-only, by the Model Context Protocol.

`server` names the tools, `*_tools` ask the library of answers, `results` bounds and cleans what a model reads. Nothing
here writes to a cluster, and only files of tables that the caller named are read.
"""
