"""A test changes a setting of its module and does not put it back.

The device is idle between the tests, so draining changes nothing; what passes on is a value in memory: order-dependent.
The twins put the setting back.
"""

from __future__ import annotations

import pytest

from kvrace_tests.offload.streams import Streams

TRUTH = {
    "test_scale_can_be_changed": "healthy",
    "test_default_scale": "order-dependent",
    "test_offset_can_be_changed": "healthy",
    "test_default_offset": "healthy",
}
POLLUTER = "test_scale_can_be_changed"

SIZE = 32

_settings = {"scale": 1, "offset": 1}


def _apply(device: Streams, name: str) -> bytes:
    data = device.device_buffer(1, SIZE)
    stream = device.new_stream("apply")
    stream.fill(data, _settings[name])
    return stream.read(data)


@pytest.mark.stream
def test_scale_can_be_changed(device: Streams) -> None:
    _settings["scale"] = 2
    seen = _apply(device, "scale")
    assert seen == bytes([2]) * SIZE, "the setting was not used"


@pytest.mark.stream
def test_default_scale(device: Streams) -> None:
    seen = _apply(device, "scale")
    assert seen == bytes([1]) * SIZE, "the default is not 1"


@pytest.mark.stream
def test_offset_can_be_changed(device: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_settings, "offset", 2)
    seen = _apply(device, "offset")
    assert seen == bytes([2]) * SIZE, "the setting was not used"


@pytest.mark.stream
def test_default_offset(device: Streams) -> None:
    seen = _apply(device, "offset")
    assert seen == bytes([1]) * SIZE, "the default is not 1"
