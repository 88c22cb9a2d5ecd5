internal import Bytes
internal import Crypto
internal import Posix

/// The locations of started uploads at the server, so that a later program can resume them: a small file for each, in
/// the user's state folder. The files contain no token.
package struct UploadMemory: Sendable {
    /// How long a location is remembered, in milliseconds: a server drops an upload a day after its last request, and
    /// some servers are configured for longer.
    private static let life: Int64 = 14 * 86_400_000

    private let folder: String?

    /// - Parameter folder: `$XDG_STATE_HOME/huddle`; `nil` stores nothing.
    package init(folder: String?) { self.folder = folder.map { $0 + "/uploads" } }

    /// The key of one upload of one content, independent of the file's path: a changed file has another key, a file
    /// with only a new time stamp has the same.
    ///
    /// - Parameter sha256: hex.
    func key(_ upload: NewUpload, server: String, sha256: String) -> String {
        var digest = SHA256()
        // The separator occurs in none of the parts.
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

    /// Stores the location; without a folder the upload works all the same.
    func keep(_ key: String, place: String) {
        guard let folder else { return }
        sweep(folder)
        try? Files.makeFolders(folder, mode: 0o700)
        try? Files.write(Array(place.utf8), to: folder + "/" + key, mode: 0o600)
    }

    /// Deletes the locations of abandoned uploads, which the server has dropped as well.
    private func sweep(_ folder: String) {
        let oldest = Clock.wallMilliseconds() - Self.life
        for name in (try? Files.list(folder)) ?? [] {
            let path = folder + "/" + name
            if let status = (try? Files.status(path)) ?? nil, status.modified < oldest { try? Files.remove(path) }
        }
    }

    /// Deletes a location after its caller has processed the result.
    package func forget(_ key: String) {
        if let folder { try? Files.remove(folder + "/" + key) }
    }
}
