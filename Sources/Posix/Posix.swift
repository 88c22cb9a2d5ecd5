// The one place that calls the kernel: descriptors, sockets, files, clocks, threads, signals; errno kept.
