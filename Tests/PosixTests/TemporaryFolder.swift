import Posix

/// A fresh folder that is removed with everything in it when the test is over.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws(Errno) { path = try Files.makeTemporaryFolder(prefix: "posix-tests") }
    deinit { try? Files.removeTree(path) }
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () throws(Errno) -> Void) -> Errno? {
    do throws(Errno) {
        try body()
        return nil
    } catch {
        return error
    }
}
