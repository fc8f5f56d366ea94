"""The configuration of a node that serves: one TOML file, the environment and options.

`ataxxd.serve.config.model` says what there is, `ataxxd.serve.config.loading` reads it. Nothing here
knows of a node that runs.
"""
