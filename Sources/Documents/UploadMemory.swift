internal import Bytes
internal import Crypto
internal import Posix

/// Where begun uploads are at the server, so that a program that was ended goes on with them: a small file for each, in the user's state
/// folder. It holds no token.
package struct UploadMemory: Sendable {
    /// Milliseconds that a place is remembered: a server forgets an upload a day after its last request, and some are set to more.
    private static let life: Int64 = 14 * 86_400_000

    private let folder: String?

    /// - Parameter folder: `$XDG_STATE_HOME/huddle`; `nil` remembers nothing.
    package init(folder: String?) { self.folder = folder.map { $0 + "/uploads" } }

    /// Names one upload of one content, wherever the file lies: one that changed is another, one that was only touched is not.
    ///
    /// - Parameter sha256: hex.
    func key(_ upload: NewUpload, server: String, sha256: String) -> String {
        var digest = SHA256()
        // Separated by what none of them contains.
        for part in [
            server, upload.family.description, upload.athlete.description, upload.type, upload.title, upload.description ?? "",
            upload.school?.description ?? "", upload.replaces?.description ?? "", sha256,
        ] {
            digest.update(Array(part.utf8) + [0])
        }
        return Hex.encode(digest.finish())
    }

    func place(_ key: String) -> String? {
        guard let folder, let octets = try? Files.read(folder + "/" + key, limit: 4_096) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }

    /// Without a place to keep it the upload goes on all the same.
    func keep(_ key: String, place: String) {
        guard let folder else { return }
        sweep(folder)
        try? Files.makeFolders(folder, mode: 0o700)
        try? Files.write(Array(place.utf8), to: folder + "/" + key, mode: 0o600)
    }

    /// Places of uploads that nobody went on with, which the server has forgotten as well, are not kept for ever.
    private func sweep(_ folder: String) {
        let oldest = Clock.wallMilliseconds() - Self.life
        for name in (try? Files.list(folder)) ?? [] {
            let path = folder + "/" + name
            if let status = (try? Files.status(path)) ?? nil, status.modified < oldest { try? Files.remove(path) }
        }
    }

    /// For who has taken note of what came of it.
    package func forget(_ key: String) {
        if let folder { try? Files.remove(folder + "/" + key) }
    }
}
