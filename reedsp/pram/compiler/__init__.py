"""From a program to what the host and the kernels do: proofs, a plan, and texts in OpenCL C."""
