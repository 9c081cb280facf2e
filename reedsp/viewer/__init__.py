"""Algorithms step by step: what kernels leave in a device's memory, recorded launch by launch, and shown."""
