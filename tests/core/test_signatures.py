"""Families of failure texts: what each rule must know, and what none of them may claim."""

from __future__ import annotations

import pytest

from triage_bot.core.results import Failure
from triage_bot.core.signatures import INFRASTRUCTURE, family, match, rule_of, rules

INFRASTRUCTURE_TEXTS = {
    "gpu-memory": ["CUDA error: uncorrectable ECC error encountered", "GPU 3: Row remapper: failure occurred"],
    "gpu-lost": [
        "Unable to query the device: GPU is lost. Reboot the system to recover this GPU",
        "NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED] (0x00000062)",
        "failed to get device remapped rows: ERROR_GPU_IS_LOST",
    ],
    "hardware-xid": [
        "NVRM: Xid (PCI:0000:9a:00): 63, pid=811, Row Remapper: New row marked for remapping",
        "kernel: Xid 94, contained memory error",
        "NVRM: Xid (PCI:0000:dc:00): 145, RLW_RXPIPE Fatal XC0 i0 Link 13 (0x0409a0c2)",
        "NVRM: Xid (PCI:0000:dc:00): 45, pid=7, name=python3, Ch 00000001 caused by previous Xid 149",
        "NVRM: Xid (PCI:0000:1a:00): 119, pid=7, Timeout after 6s of waiting for RPC response from GPU0 GSP!",
        "NVRM: Xid (PCI:0000:1a:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    ],
    "nvlink": [
        "CUDA error: uncorrectable NVLink error detected during the execution",
        "Error 802: system not yet initialized",
        "cuda runtime error (802) : system not yet initialized at THCGeneral.cpp:50",
        "ggml_cuda_init: failed to initialize CUDA: system not yet initialized",
    ],
    "driver": [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
        "Failed to initialize NVML: Unknown Error",
        "CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
        "pynvml.NVMLError_LibraryNotFound: NVML Shared Library Not Found",
        "ROCk module is NOT loaded, possibly no GPU devices",
        "modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0",
        "hsa api call failure at: /src/rocminfo/rocminfo.cc:1140",
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
    ],
    "no-device": [
        "RuntimeError: No CUDA GPUs are available",
        "CUDA error: CUDA-capable device(s) is/are busy or unavailable",
        "cudaErrorNoDevice: no CUDA-capable device is detected",
        "RuntimeError: No HIP GPUs are available",
        "ValueError: No visible GPU devices",
        "CUDA unknown error - this may be due to an environment. Setting the available devices to be zero.",
    ],
    "container": [
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0",
        "Error response from daemon: toomanyrequests: You have reached your pull rate limit.",
        "docker: Error response from daemon: Unknown runtime specified nvidia.",
        "open /run/nvidia-persistenced/socket: no such file or directory",
        "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
        "error pulling image configuration: received unexpected HTTP status: 502 Bad Gateway",
    ],
    "shared-memory": [
        "DataLoader worker exited. This might be caused by insufficient shared memory (shm).",
        "NCCL WARN Error: failed to extend /dev/shm/nccl-x7 to 9637892 bytes",
    ],
    "disk": [
        "OSError: [Errno 28] No space left on device",
        "OSError: [Errno 122] Disk quota exceeded",
        "OSError: [Errno 5] Input/output error: '/nfs/w'",
        "OSError: [Errno 30] Read-only file system: '/cache/triton'",
    ],
    "fabric": [
        "NCCL WARN NET/IB : Got completion from peer 10.0.0.3<5492> with status=12 opcode=0 len=0 vendor err 129",
        "socketStartConnect: Connect to 10.0.0.4<44005> failed : No route to host",
    ],
    "download": [
        "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://hub.example.com/m",
        "HTTPSConnectionPool(host='hub.example.com', port=443): Max retries exceeded with url: /a (Caused by x)",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "fatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 502",
        "OSError: We couldn't connect to 'https://hub.example.com' to load this file",
        "Server error '504 Gateway Timeout' for url 'https://hub.example.com/api/models/m'",
        "Connection to cdn.example.com timed out. (connect timeout=10)",
        "RuntimeError: Data processing error: CAS service error : IO Error: Timer expired",
        "curl: (28) Failed to connect to example.com port 443 after 129 ms: Connection timed out",
        "E: Failed to fetch http://archive.example.com/git.deb  Connection failed [IP: 10.0.0.1 80]",
        "unexpected status from HEAD request to https://registry.example.com/v2/x: 503 Service Unavailable",
        "Consistency check failed: file should be of size 100 but has size 7 (model.safetensors).",
        "fatal: unable to access 'https://example.com/o/r/': gnutls_handshake() failed: The TLS connection was closed.",
        "Transfer finalized, status: 503 [https://conda.example.com/noarch/repodata.json] 19 bytes",
        'status_string: "SSL connect error"',
        "OpenSSL SSL_connect: Connection reset by peer in connection to example.com:443",
        "unexpected status code https://registry.example.com/v2/node: 429 Too Many Requests",
        "W: Temporary failure resolving 'deb.debian.org'",
        "E: Failed to fetch https://developer.download.nvidia.com/x/Packages.gz  Hash Sum mismatch",
        "ConnectionError: Couldn't reach 'org/data' on the Hub (ReadTimeout)",
        "ssh: connect to host github.com port 22: Connection timed out",
        "fatal: the remote end hung up unexpectedly",
        "ClientError: An error occurred (SlowDown) when calling the GetObject operation",
        "error: error sending request for url (https://pypi.org/simple/torch/)",
    ],
    "runner-lost": [
        "The runner has received a shutdown signal. This can happen when the runner service is stopped",
        "We stopped hearing from agent gpu-7. Verify the agent machine is running",
        "Exited with status -1 (agent lost)",
        "srun: error: Node failure on gpu-a-12",
        "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-01T00:00:00 DUE TO NODE FAILURE ***",
    ],
}


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in INFRASTRUCTURE_TEXTS.items() for text in texts]
)
def test_what_the_machine_did_is_infrastructure_of_its_kind(kind: str, text: str) -> None:
    rule = match(text)
    assert rule is not None
    assert (rule.family, rule.kind) == (INFRASTRUCTURE, kind)


FAMILIES = [
    ("vacuous-control", "AssertionError: vacuous control: the control phase never raced"),
    ("vacuous-control", "control did not race"),
    ("vacuous-control", "race window never opened"),
    ("vacuous-control", "the window did not open on this device"),
    ("vacuous-control", "no corruption observed without the barrier"),
    ("vacuous-control", "expected corruption without barrier, got none"),
    ("vacuous-control", "expected the unsynchronized copy to race, but all 64 blocks were intact"),
    ("vacuous-control", "control (no barrier) stayed clean"),
    ("vacuous-control", "the unprotected half showed 0 torn blocks"),
    ("guard", "5 blocks torn although the event was waited on"),
    ("vacuous-control", "could not provoke the race without the barrier"),
    ("guard", "fixed variant still raced: 3/64 blocks with wait_event in place"),
    ("crash", "ERROR: bazel: exited with error code 137"),
    ("crash", "exitcode  : -9 (pid: 7) of rank 1"),
    ("crash", "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly"),
    ("crash", "free(): invalid pointer"),
    ("crash", "RuntimeError: DataLoader worker (pid(s) 4321) exited unexpectedly"),
    ("timeout", "store->get('0') got error: Socket Timeout"),
    ("timeout", "Timeout (0:05:00)!"),
    ("out-of-memory", "ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization"),
    (
        "out-of-memory",
        "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 29.8 GiB for an array with shape (1,)",
    ),
    ("guard", "corruption with barrier: 4 blocks"),
    ("guard", "with the fence in place 2 blocks were still torn"),
    ("vacuous-control", "without the fence nothing was torn"),
    ("sticky-cuda", "Queue 0x7f aborting with error : HSA_STATUS_ERROR_EXCEPTION: a hardware exception. code: 0x1016"),
    ("timeout", "store->get('0') got error: wait timeout after 600000ms"),
    ("guard", "AssertionError: store raced compute even with the barrier: 1 corrupt"),
    ("guard", "3 blocks corrupt despite the event wait"),
    ("sticky-cuda", "CUDA error: an illegal memory access was encountered"),
    ("sticky-cuda", "torch.AcceleratorError: CUDA error: device-side assert triggered"),
    ("sticky-cuda", "CUDA_ERROR_LAUNCH_FAILED"),
    ("sticky-cuda", "hipModuleUnload: Returned hipErrorLaunchFailure"),
    ("out-of-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"),
    ("out-of-memory", "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 bytes"),
    ("out-of-memory", "OSError: [Errno 12] Cannot allocate memory"),
    ("out-of-memory", "Resource exhausted: Out of memory while trying to allocate 600 bytes."),
    ("out-of-memory", "RMM_ERROR_OUT_OF_MEMORY"),
    ("out-of-memory", "Unexpected error from cudaGetDeviceCount(). Error 2: out of memory"),
    ("out-of-memory", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0."),
    ("out-of-memory", "Memory cgroup out of memory: Killed process 12 (python)"),
    ("timeout", "grpc.RpcError: StatusCode.DEADLINE_EXCEEDED"),
    ("timeout", "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received"),
    ("crash", "RuntimeError: Subprocess exited with return code -9"),
    ("timeout", "Failed: Timeout (>2.0s) from pytest-timeout."),
    ("timeout", "subprocess.TimeoutExpired: Command 'x' timed out after 60 seconds"),
    ("crash", "worker 'gw0' crashed while running 't.py::test_x'"),
    ("crash", "Process 1 terminated with signal SIGSEGV"),
    ("crash", "test_c10d failed! Received signal: SIGIOT"),
    ("crash", "HW Exception by GPU node-1 (Agent handle: 0x55) reason :GPU Hang"),
    ("crash", "subprocess.CalledProcessError: Command 'x' died with <Signals.SIGABRT: 6>."),
    ("import-error", "ImportError: libx.so.8: cannot open shared object file: No such file or directory"),
]


@pytest.mark.parametrize(("name", "text"), FAMILIES)
def test_what_reruns_decide_still_has_a_family(name: str, text: str) -> None:
    assert family(Failure("", text)) == name


@pytest.mark.parametrize(
    "text",
    [
        "Process completed with exit code 1.",
        "AssertionError: assert 503 == 200",
        "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=8000): Max retries exceeded",
        "HTTPConnectionPool(host='127.0.0.1', port=8000): Max retries exceeded with url: /health",
        "requests.exceptions.HTTPError: 503 Server Error for url: http://10.0.3.4:8000/v1/completions",
        "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        "404 Client Error: Not Found for url: https://hub.example.com/m",
        "HTTP Error 401 thrown while requesting HEAD https://hub.example.com/m",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "OSError: [Errno 98] Address already in use",
        "CUDA error: invalid device ordinal",
        "CUDA error: no kernel image is available for execution on the device",
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 180224",
        "AssertionError: Tensor-likes are not close! Mismatched elements: 5 / 77760 (0.0%)",
        "AssertionError: 48 != 63",
        "NVRM: Xid (PCI:0000:48:00): 31, pid=1, Ch 00000010, intr 0",
        "NVRM: Xid (PCI:0000:b3:00): 13, Graphics SM Warp Exception",
        "NVRM: Xid (PCI:0018:01:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2)",
        "devProgram.load() failed: Freezing the executable failed: HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2025-01-01T00:00:00 DUE TO TIME LIMIT ***",
        'status_string: "HTTP response code said error"',
        "Transfer finalized, status: 404 [https://conda.example.com/noarch/repodata.json] 0 bytes",
        "OpenSSL SSL_connect: Connection reset by peer in connection to localhost:8443",
        "AssertionError: access control failed to open the door",
        "AssertionError: CUDA graph system not yet initialized",
        "AssertionError: node failure detector did not fire",
        "AssertionError: transfer finalized, but 3 blocks missing",
        "curl: (7) Failed to connect to 127.0.0.1 port 30000: Connection refused",
        "StatusCode.RESOURCE_EXHAUSTED: Received message larger than max (5000000 vs. 4194304)",
        "AssertionError: assert 'No space left on device' in 'quota reached'",
        "Regex pattern did not match.\n  Regex: 'no CUDA GPUs are available'\n  Input: 'bad device'",
        "AssertionError: node has been evicted from the radix tree",
        "AssertionError: agent lost the conversation state",
        "RuntimeError: cache system not yet initialized",
        "RuntimeError: storage driver not loaded",
        "AssertionError: expected xid 79 in the parsed log",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "RuntimeError: Engine core initialization failed. See root cause above.",
        "AssertionError: 'device-side assert triggered' not found in ''",
        'AssertionError: "CUDA error: device-side assert triggered" does not match "invalid argument"',
        "Failed: DID NOT RAISE <class 'torch.OutOfMemoryError'>",
        "AssertionError: TimeoutError not raised by f",
        "AssertionError: sliding window was never opened for layer 3",
        "AssertionError: access control without torn pages",
        "AssertionError: vacuous truth: all([]) is True",
        "503 Server Error: Service Unavailable for url: http://vllm-router.default.svc.cluster.local/v1",
        "HTTPConnectionPool(host='host.docker.internal', port=80): Max retries exceeded with url: /a (Caused by x)",
        "AssertionError: no deadlock detected, one was expected",
    ],
)
def test_what_any_failure_may_say_is_of_no_family(text: str) -> None:
    assert family(Failure("", text)) == ""


def test_source_lines_that_a_traceback_quotes_are_not_heard() -> None:
    pytest_text = ">       raise OSError('No space left on device')\nE       Failed: DID NOT RAISE\n\nt.py:3: Failed"
    python_text = '  File "t.py", line 3, in f\n    handle("No space left on device")\nValueError: bad'
    assert family(Failure("Failed", "DID NOT RAISE", text=pytest_text)) == ""
    assert family(Failure("ValueError", "bad", text=python_text)) == ""


def test_what_was_printed_counts_only_when_the_failure_itself_says_nothing() -> None:
    printed = "NCCL WARN Call to posix_fallocate failed : No space left on device"
    assert family(Failure("RuntimeError", "unhandled system error", output=printed)) == INFRASTRUCTURE
    assert family(Failure("ImportError", "No module named x", output=printed)) == "import-error"


def test_what_was_printed_is_no_word_on_a_claim_that_a_test_makes() -> None:
    printed = "HTTP Error 429 thrown while requesting HEAD https://huggingface.co/x\nRetrying in 1s [Retry 1/5]."
    assert family(Failure("AssertionError", "Tensor-likes are not close!", output=printed)) == ""
    assert family(Failure("RuntimeError", "no answer", output=f"WARNING: {printed.splitlines()[0]}")) == ""


def test_what_another_process_may_have_printed_is_not_sticky() -> None:
    rule = rule_of(Failure("RuntimeError", "worker failed", output="CUDA error: device-side assert triggered"))
    assert rule is not None
    assert (rule.family, rule.sticky) == ("sticky-cuda", False)


def test_only_faults_that_outlive_their_test_are_sticky() -> None:
    fault = rule_of(Failure("RuntimeError", "CUDA error: an illegal memory access was encountered"))
    disk = rule_of(Failure("OSError", "No space left on device"))
    assert fault is not None
    assert disk is not None
    assert fault.sticky
    assert not disk.sticky


def test_every_rule_names_its_source() -> None:
    assert all(rule.source and rule.patterns for rule in rules())
    kinds = [(rule.family, rule.kind) for rule in rules()]
    assert len(kinds) == len(set(kinds))


def test_the_words_of_a_rule_never_hide_a_text_that_its_patterns_match() -> None:
    texts = [text for texts in INFRASTRUCTURE_TEXTS.values() for text in texts] + [text for _, text in FAMILIES]
    for text in texts:
        for rule in rules():
            if any(pattern.search(text) for pattern in rule.patterns):
                assert any(word in text.lower() for word in rule.words), (rule.kind, text)
