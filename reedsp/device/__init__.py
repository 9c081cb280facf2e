"""OpenCL devices: found, chosen, their kernels built, launched and checked."""

from reedsp.device.pyopencl_private import keep_invokers_in_memory
from reedsp.system import icd, pocl

icd.enable_pip_runtimes()
pocl.give_cache_folder()  # the loader and PoCL read their configuration at the first call
keep_invokers_in_memory()

from reedsp.device.device import Device as Device  # noqa: E402
from reedsp.device.discovery import devices as devices  # noqa: E402
from reedsp.device.discovery import get_device as get_device  # noqa: E402
from reedsp.device.errors import DeviceError as DeviceError  # noqa: E402
from reedsp.device.errors import DeviceMemoryError as DeviceMemoryError  # noqa: E402
