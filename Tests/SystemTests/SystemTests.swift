import Testing

/// The built programs, as their users meet them: processes, sockets, files, signals. One test at a time, because each waits for
/// processes, and more of them at the same time would measure each other.
@Suite("The programs", .serialized, .lane(.programs)) struct SystemTests {}
