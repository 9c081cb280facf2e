"""Memory that commands share: buffers kept between calls, pages of the host that no garbage collector may take away."""
