internal import Posix
package import Sessions

/// A cache of the parent in a folder of its own, which goes with the last reference to it.
package final class CacheFixture {
    package let path: String
    package let place: CachePlace

    package init(token: String = "secret-token") throws {
        path = try Files.makeTemporaryFolder(prefix: "huddle-cache")
        place = CachePlace(root: path + "/state/huddle", try ServerAddress("ws://host:8787"), token: token, family: nil)
    }

    deinit { try? Files.removeTree(path) }

    package var folder: String { place.folder(of: World.parent) }
    package var file: String { folder + "/cache.sqlite" }
}
