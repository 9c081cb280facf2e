"""OpenCL devices: found, chosen, their kernels built, launched and checked."""

from reedsp.device.device import Device as Device
from reedsp.device.device import DeviceError as DeviceError
from reedsp.device.device import DeviceMemoryError as DeviceMemoryError
from reedsp.device.device import devices as devices
from reedsp.device.device import get_device as get_device
