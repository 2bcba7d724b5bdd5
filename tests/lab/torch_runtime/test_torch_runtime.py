"""What can be said of CUDA in a process that has no torch or has not used it."""

from __future__ import annotations

import subprocess
import sys

from triage_bot.lab import torch_runtime


def test_asking_for_the_runtime_imports_no_torch() -> None:
    code = (
        "import sys\n"
        "from triage_bot.lab import torch_runtime\n"
        "available = torch_runtime.available()\n"
        "torch_runtime.warm()\n"
        "sys.exit(available or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_process_that_never_touched_cuda_may_fork() -> None:
    assert torch_runtime.fork_hazard() == ""
