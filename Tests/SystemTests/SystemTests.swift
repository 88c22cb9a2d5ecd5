import Testing

/// The built programs, as their users meet them: processes, sockets, files, signals. One test at a time, because each waits for
/// processes, and waiting threads would hold up each other.
@Suite("The programs", .serialized) struct SystemTests {}
