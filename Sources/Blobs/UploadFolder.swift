package import Bytes
package import Posix

/// The uploads in progress, three files each: `<id>.json` has the description and never changes, `<id>.part` has the
/// octets, `<id>.at` has the number of octets on stable storage. An upload exists from the moment its description gets
/// its name until the description is removed.
package struct UploadFolder: Sendable {
    package let path: String
    private let disk: any Disk
    private let assistant: Assistant

    /// - Parameter assistant: runs digests of incoming octets while they are written.
    package init(path: String, disk: any Disk = SystemDisk(), assistant: @escaping Assistant = { _ in }) {
        self.path = path
        self.disk = disk
        self.assistant = assistant
    }

    /// The largest description in octets.
    package static let maxDescription = 65_536

    /// Creates the folder if it is missing. Call it first.
    package func prepare() throws(Errno) {
        _ = try disk.makeFolder(path)
        try disk.synchronizeFolder(path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    }

    /// Creates an upload. It is on stable storage when this returns; if this throws, it does not exist.
    ///
    /// - Parameters:
    ///   - length: its length in octets; `nil` if it is declared later.
    ///   - description: the caller's description; at most `maxDescription` octets.
    /// - Throws: `.exists` if there is an upload with this id.
    package func create(_ id: Identifier, length: Int64?, description: [UInt8]) throws(Errno) -> UploadFile {
        precondition(description.count <= Self.maxDescription, "a description is bounded where it is made")
        if try disk.status(descriptionPath(id)) != nil { throw .exists }
        try removeFiles(id)
        let temporary = descriptionPath(id) + ".new"
        do throws(Errno) {
            let upload = try UploadFile(creating: id, at: path, length: length, on: disk, assistant: assistant)
            let file = try DiskFile.create(temporary, on: disk)
            try file.write(description, at: 0)
            try file.synchronize()
            try disk.rename(temporary, to: descriptionPath(id))
            try disk.synchronizeFolder(path)
            return upload
        } catch {
            try? remove(id)
            throw error
        }
    }

    /// Opens an upload to continue it: the part is cut to the octets on stable storage.
    ///
    /// - Returns: `nil` if there is none, or if its creation or removal was interrupted.
    /// - Throws: `.invalid` if fewer octets exist than were promised, which only a defective disk can cause.
    package func open(_ id: Identifier) throws(Errno) -> UploadFile? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        return try UploadFile(opening: id, at: path, on: disk, assistant: assistant)
    }

    /// The description passed to `create`; `nil` if there is no such upload.
    package func description(_ id: Identifier) throws(Errno) -> [UInt8]? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        let file = try DiskFile.open(descriptionPath(id), on: disk)
        return try file.read(at: 0, count: Self.maxDescription)
    }

    /// The progress of an upload, without opening it.
    ///
    /// - Returns: the progress, and the time of its last change in UTC milliseconds; `nil` if there is no such upload.
    /// - Throws: `.invalid` as `open`.
    package func progress(_ id: Identifier) throws(Errno) -> (progress: StoredUploadProgress, at: Int64)? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        guard let status = try disk.status(UploadFile.progressPath(id, path)) else { return nil }
        let file = try DiskFile.open(UploadFile.progressPath(id, path), on: disk)
        guard let found = StoredUploadProgress.read(try file.read(at: 0, count: 2 * StoredUploadProgress.slotOctets)) else { throw .invalid }
        return (found.progress, status.modified)
    }

    /// The octets in the part now, synced or not; `nil` if there is no part (any more).
    package func partOctets(_ id: Identifier) throws(Errno) -> Int64? { try disk.status(UploadFile.partPath(id, path))?.octets }

    /// All uploads, and the names of files that belong to none: the rest of interrupted creations and removals.
    package func list() throws(Errno) -> (uploads: [Identifier], leftovers: [String]) {
        let names = try disk.list(path)
        let uploads = names.compactMap { $0.hasSuffix(".json") ? Identifier(String($0.dropLast(5))) : nil }
        let known = Set(uploads)
        let leftovers = names.filter { name in
            guard let id = Identifier(String(name.prefix(36))), known.contains(id) else { return true }
            return ![".json", ".part", ".at"].contains(String(name.dropFirst(36)))
        }
        return (uploads, leftovers)
    }

    /// The digests of complete uploads that have not ended yet: their octets may already be a blob, whose document is
    /// still to come. An upload with unreadable progress has none.
    package func awaited() throws(Errno) -> Set<String> {
        var digests: Set<String> = []
        for id in try list().uploads {
            do throws(Errno) {
                if case .complete(let sha256)? = try progress(id)?.progress.phase { digests.insert(Hex.encode(sha256)) }
            } catch {
                guard error == .invalid || error == .noEntry else { throw error }
            }
        }
        return digests
    }

    /// Removes the leftovers that `list` reports, and uploads whose creation or removal was interrupted. Only while no
    /// upload is open.
    package func removeLeftovers() throws(Errno) {
        let (uploads, leftovers) = try list()
        for name in leftovers { try disk.remove("\(path)/\(name)") }
        for id in uploads {
            do throws(Errno) { if try open(id) == nil { try remove(id) } } catch {
                // A damaged upload stays, so that `huddled check` reports it.
                guard error == .invalid else { throw error }
            }
        }
    }

    /// Ends an upload and removes it; a missing one is not an error. Its writer must have stopped.
    ///
    /// The description goes last: if the call fails, `list` still finds the upload, and the caller can remove the rest.
    package func remove(_ id: Identifier) throws(Errno) {
        try removeFiles(id)
        try disk.remove(descriptionPath(id) + ".new")
        try disk.remove(descriptionPath(id))
        try disk.synchronizeFolder(path)
    }

    private func removeFiles(_ id: Identifier) throws(Errno) {
        try disk.remove(UploadFile.progressPath(id, path))
        try disk.remove(UploadFile.partPath(id, path))
    }

    private func descriptionPath(_ id: Identifier) -> String { "\(path)/\(id).json" }
}
