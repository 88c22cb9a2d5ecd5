package import Bytes
package import Posix

/// Uploads that are under way, three files each: `<id>.json` says what is being uploaded and never changes, `<id>.part` has the octets,
/// `<id>.at` says how many of them are on stable storage. An upload exists from the moment its description has its name until that is
/// removed.
package struct UploadFolder: Sendable {
    package let path: String
    private let disk: any Disk
    private let assistant: Assistant

    /// - Parameter assistant: who may digest what comes while it is written.
    package init(path: String, disk: any Disk = SystemDisk(), assistant: @escaping Assistant = { _ in }) {
        self.path = path
        self.disk = disk
        self.assistant = assistant
    }

    /// Largest description, octets.
    package static let maxDescription = 65_536

    /// Makes the folder when it is missing. Before anything else.
    package func prepare() throws(Errno) {
        _ = try disk.makeFolder(path)
        try disk.synchronizeFolder(path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    }

    /// Begins an upload. It is on stable storage when this returns; when it throws there is none.
    ///
    /// - Parameters:
    ///   - length: octets it will have; `nil` when that is told later.
    ///   - description: in the words of whoever asks; at most `maxDescription` octets.
    /// - Throws: `.exists` when there is one of this id.
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

    /// Opens an upload to go on with it: the part is cut to what is on stable storage.
    ///
    /// - Returns: `nil` when there is none, or when one was begun or removed by halves.
    /// - Throws: `.invalid` when less is there than was promised, which only a broken disk can bring about.
    package func open(_ id: Identifier) throws(Errno) -> UploadFile? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        return try UploadFile(opening: id, at: path, on: disk, assistant: assistant)
    }

    /// What was given to `create`; `nil` when there is no such upload.
    package func description(_ id: Identifier) throws(Errno) -> [UInt8]? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        let file = try DiskFile.open(descriptionPath(id), on: disk)
        return try file.read(at: 0, count: Self.maxDescription)
    }

    /// How far an upload is, without opening it.
    ///
    /// - Returns: the progress, and when it was last made, UTC milliseconds; `nil` when there is no such upload.
    /// - Throws: `.invalid` as `open`.
    package func progress(_ id: Identifier) throws(Errno) -> (progress: UploadProgress, at: Int64)? {
        guard try disk.status(descriptionPath(id)) != nil else { return nil }
        guard let status = try disk.status(UploadFile.progressPath(id, path)) else { return nil }
        let file = try DiskFile.open(UploadFile.progressPath(id, path), on: disk)
        guard let found = UploadProgress.read(try file.read(at: 0, count: 2 * UploadProgress.slotOctets)) else { throw .invalid }
        return (found.progress, status.modified)
    }

    /// Octets of the part that are there now, synced or not; `nil` when there is no part (any more).
    package func partOctets(_ id: Identifier) throws(Errno) -> Int64? { try disk.status(UploadFile.partPath(id, path))?.octets }

    /// All uploads there are, and the names of files that belong to none: those of a beginning or an end that was cut short.
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

    /// The digests of uploads that are complete and did not end yet: their octets may have their place as a blob already, whose document is
    /// still to come. One whose progress cannot be read has none.
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

    /// Removes what `list` told as leftovers, and uploads that were begun or removed by halves. Only while no upload is open.
    package func removeLeftovers() throws(Errno) {
        let (uploads, leftovers) = try list()
        for name in leftovers { try disk.remove("\(path)/\(name)") }
        for id in uploads {
            do throws(Errno) { if try open(id) == nil { try remove(id) } } catch {
                // One that is damaged stays for `huddled check` to tell.
                guard error == .invalid else { throw error }
            }
        }
    }

    /// Ends an upload and forgets it; one that is not there is no error. Whoever writes it must have stopped.
    package func remove(_ id: Identifier) throws(Errno) {
        try disk.remove(descriptionPath(id))
        try disk.remove(descriptionPath(id) + ".new")
        try removeFiles(id)
        try disk.synchronizeFolder(path)
    }

    private func removeFiles(_ id: Identifier) throws(Errno) {
        try disk.remove(UploadFile.progressPath(id, path))
        try disk.remove(UploadFile.partPath(id, path))
    }

    private func descriptionPath(_ id: Identifier) -> String { "\(path)/\(id).json" }
}
