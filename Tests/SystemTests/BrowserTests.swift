import Testing

/// The web client in a browser. Beside "The programs", because its flows take longer than all other programs together.
@Suite("Browsers", .serialized, .lane(.browsers)) struct BrowserTests {}
