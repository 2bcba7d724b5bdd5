"""The code under test: a small KV-cache offload backend, its ordering edges, and the streams that it knows."""
