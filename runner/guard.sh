#!/usr/bin/env bash
# Job-started hook of a self-hosted runner: ends a job that brings code of another repository. Installation: docs/setup.md
#
# Things that don't work: ending with an error and nothing else. The runner then marks the job as failed and goes on to
# the steps that say `if: always()`, which a hostile workflow has. So a refused job's worker process is ended here; the
# runner reports the job as failed and stays up.
trap '' HUP INT TERM # a job that is cancelled in this very moment must not slip past

if python3 -I "${BASH_SOURCE[0]%/*}/guard.py"; then
  exit 0
fi
# Not only a refusal comes here, but also a missing interpreter or a broken guard: closed in every case.
if [ "$(cat "/proc/$PPID/comm" 2>/dev/null)" = Runner.Worker ]; then
  sleep "${TRIAGE_GUARD_GRACE:-3}" # lets the worker send the lines above to the log
  kill -KILL "$PPID"
fi
exit 1
