import Posix

/// Files that another process writes without notice.
enum Parts {
    /// Waits until a `.part` of more than the given octets is in a folder, looking repeatedly.
    static func wait(in folder: String, octets: Int) throws {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        while try !Files.list(folder).contains(where: { try $0.hasSuffix(".part") && Files.status("\(folder)/\($0)")?.size ?? 0 > octets }) {
            guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("too little has come into \(folder)") }
            var nothing: [Poll.Item] = []
            _ = try Poll.wait(&nothing, timeoutMilliseconds: 5)
        }
    }
}
