import Posix

/// A fresh folder that is removed with everything in it when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws(Errno) { path = try Files.makeTemporaryFolder(prefix: "server-tests") }
    deinit { try? Files.removeTree(path) }
}
