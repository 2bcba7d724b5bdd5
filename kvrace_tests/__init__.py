"""A race suite for code that orders work on device streams; runs on CUDA and on an emulated device alike."""
