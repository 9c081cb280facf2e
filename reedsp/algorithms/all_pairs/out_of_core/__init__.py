"""All pairs in a matrix that is larger than a device's memory, or is spread over several devices."""
