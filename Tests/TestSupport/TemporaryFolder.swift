package import Posix

/// A new empty folder that is removed with everything in it when the last reference to it goes.
package final class TemporaryFolder {
    package let path: String

    package init() throws(Errno) { path = try Files.makeTemporaryFolder(prefix: "huddle-tests") }
    deinit { try? Files.removeTree(path) }
}
