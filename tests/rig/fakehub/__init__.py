"""A stateful stand-in for GitHub on loopback addresses: real sockets, real JSON, GitHub's own description as its judge.

It proves neither GitHub's enforcement of permissions nor its trigger filters or secondary limits: those are modelled
here from the documentation, and only GitHub has the real ones.
"""
