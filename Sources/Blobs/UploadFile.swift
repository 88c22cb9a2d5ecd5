package import Bytes
internal import Locks
package import Posix

/// One upload on disk. Its steps wait for the disk, so they run on the file pool, one after the other; another thread
/// may read `written` and `progress` in the meantime.
///
/// Only `progress.offset` is a promise. Octets appended since the last `synchronize` may be lost in a crash, and are
/// dropped when writing or syncing fails: the part then continues from the synced octets, as after a crash.
package final class UploadFile: Sendable {
    package let id: Identifier
    /// The file with the octets.
    package let partPath: String
    private let disk: any Disk
    private let folder: String
    private let state: Lock<State>

    private struct State: ~Copyable, Sendable {
        /// The part; `nil` once its octets have become a blob or were removed.
        var part: AppendingFile?
        let at: DiskFile
        var progress: StoredUploadProgress
        /// The count of the newest slot.
        var count: UInt64
        /// The octets in the part, synced or not.
        var written: Int64
    }

    static func partPath(_ id: Identifier, _ folder: String) -> String { "\(folder)/\(id).part" }
    static func progressPath(_ id: Identifier, _ folder: String) -> String { "\(folder)/\(id).at" }

    init(creating id: Identifier, at folder: String, length: Int64?, on disk: any Disk, assistant: @escaping Assistant) throws(Errno) {
        precondition(length ?? 0 >= 0, "a length is not negative")
        self.id = id
        self.folder = folder
        self.disk = disk
        partPath = Self.partPath(id, folder)
        let part = try DiskFile.create(partPath, on: disk)
        let at = try DiskFile.create(Self.progressPath(id, folder), on: disk)
        let progress = StoredUploadProgress(offset: 0, length: length, phase: .receiving)
        // Both slots are written, so that the file has its final length, and each later write stays within it.
        try at.write(progress.slot(count: 0) + progress.slot(count: 1), at: 0)
        try at.synchronize()
        try part.synchronize()
        state = Lock(State(part: AppendingFile(part, count: 0, assistant: assistant), at: at, progress: progress, count: 1, written: 0))
    }

    /// Opens an upload; `nil` if its creation or removal was interrupted: both end with a sync of the folder, so no
    /// client was promised anything.
    init?(opening id: Identifier, at folder: String, on disk: any Disk, assistant: @escaping Assistant) throws(Errno) {
        self.id = id
        self.folder = folder
        self.disk = disk
        partPath = Self.partPath(id, folder)
        guard try disk.status(Self.progressPath(id, folder)) != nil else { return nil }
        let at = try DiskFile.open(Self.progressPath(id, folder), on: disk)
        guard let found = StoredUploadProgress.read(try at.read(at: 0, count: 2 * StoredUploadProgress.slotOctets)) else { throw .invalid }
        var part: AppendingFile?
        if let status = try disk.status(partPath) {
            guard status.octets >= found.progress.offset else { throw .invalid }
            let file = try DiskFile.open(partPath, on: disk)
            if status.octets > found.progress.offset { try file.cut(to: found.progress.offset) }
            part = AppendingFile(file, count: found.progress.offset, assistant: assistant)
        } else if case .receiving = found.progress.phase {
            return nil
        }
        state = Lock(State(part: part, at: at, progress: found.progress, count: found.count, written: found.progress.offset))
    }

    /// The state on stable storage.
    package var progress: StoredUploadProgress { state.withLock { $0.progress } }

    /// The number of received octets, synced or not: the offset of the next ones.
    package var written: Int64 { state.withLock { $0.written } }

    // MARK: Receiving

    /// Adds octets at the end of the part.
    ///
    /// - Throws: the disk's error; the octets were not added. `.tooBig` above the length, `.invalid` if the upload
    ///   receives no more octets.
    package func append(_ octets: UnsafeRawBufferPointer) throws(Errno) {
        try locked { (state) throws(Errno) in
            guard case .receiving = state.progress.phase else { throw .invalid }
            guard Int64(octets.count) <= (state.progress.length ?? .max) - state.written else { throw .tooBig }
            try Self.part(&state) { (part) throws(Errno) in try part.append(octets) }
            state.written += Int64(octets.count)
        }
    }

    /// See `append(_: UnsafeRawBufferPointer)`.
    package func append(_ octets: [UInt8]) throws(Errno) {
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try append(all) }
    }

    /// Puts the written octets on stable storage: afterwards `progress.offset` is `written`.
    ///
    /// - Returns: the offset.
    /// - Throws: the disk's error. The state of the unsynced octets is unknown: `written` is `progress.offset` again.
    @discardableResult
    package func synchronize() throws(Errno) -> Int64 {
        try locked { (state) throws(Errno) in
            guard case .receiving = state.progress.phase, state.progress.offset != state.written else { return state.progress.offset }
            var next = state.progress
            next.offset = state.written
            try self.advance(&state, to: next, syncingPart: true)
            return next.offset
        }
    }

    /// Declares the length of an upload that began without one.
    ///
    /// - Throws: `.tooBig` if more octets exist already, `.invalid` if the upload has another length.
    package func declare(length: Int64) throws(Errno) {
        try locked { (state) throws(Errno) in
            if let known = state.progress.length {
                guard known == length else { throw .invalid }
                return
            }
            guard case .receiving = state.progress.phase else { throw .invalid }
            guard length >= state.written else { throw .tooBig }
            var next = state.progress
            next.length = length
            try self.advance(&state, to: next, syncingPart: false)
        }
    }

    /// Removes the octets after `offset` (a piece whose checksum is wrong), including synced ones.
    package func cut(to offset: Int64) throws(Errno) {
        try locked { (state) throws(Errno) in
            guard case .receiving = state.progress.phase, offset >= 0, offset <= state.written else { throw .invalid }
            guard offset < state.written else { return }
            if offset < state.progress.offset {
                var next = state.progress
                next.offset = offset
                // First the promise, then the octets: promised octets always exist.
                try self.advance(&state, to: next, syncingPart: false)
            }
            state.written = offset
            try Self.part(&state) { (part) throws(Errno) in try part.cut(to: offset) }
        }
    }

    /// At most `count` of the written octets, from `offset` on.
    package func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        try locked { (state) throws(Errno) in
            try Self.part(&state) { (part) throws(Errno) in try part.read(at: offset, count: count) }
        }
    }

    // MARK: Ends

    /// Completes the upload: puts all octets and their digest on stable storage. A second call returns the same.
    ///
    /// - Returns: SHA-256, 32 octets.
    /// - Throws: `.invalid` if octets are missing or the upload has ended; otherwise the disk's error, as
    ///   `synchronize`.
    package func complete() throws(Errno) -> [UInt8] {
        try locked { (state) throws(Errno) in
            if case .complete(let sha256) = state.progress.phase { return sha256 }
            guard case .receiving = state.progress.phase, state.progress.length ?? state.written == state.written else { throw .invalid }
            let sha256 = try Self.part(&state) { (part) throws(Errno) in try part.sha256() }
            try self.advance(
                &state, to: StoredUploadProgress(offset: state.written, length: state.written, phase: .complete(sha256: sha256)), syncingPart: true)
            return sha256
        }
    }

    /// Moves the octets of a complete upload permanently to their place as a blob. May be called again, also after a
    /// crash.
    ///
    /// - Throws: `.invalid` if the upload is not complete; `.noEntry` if the octets exist nowhere.
    package func adopt(into blobs: BlobFolder, family: Identifier) throws(Errno) -> BlobName {
        let progress = progress
        guard case .complete(let sha256) = progress.phase else { throw .invalid }
        let blob = BlobName(family: family, sha256: sha256)
        _ = try blobs.adopt(partPath, as: blob, octets: progress.offset)
        return blob
    }

    /// Ends the upload and keeps only its outcome: the part is removed immediately. A second call keeps the first
    /// outcome.
    ///
    /// - Parameters:
    ///   - outcome: the outcome in `progress` from now on; at most `StoredUploadProgress.maxOutcome` octets.
    ///   - isRepeatable: whether the same outcome will result again after a power cut, so that nothing has to wait for
    ///     the disk.
    package func end(outcome: [UInt8], isRepeatable: Bool = false) throws(Errno) {
        precondition(outcome.count <= StoredUploadProgress.maxOutcome, "an outcome fits into its place")
        try locked { (state) throws(Errno) in
            if case .ended = state.progress.phase { return }
            var next = state.progress
            next.phase = .ended(outcome: outcome)
            try self.advance(&state, to: next, syncingPart: false, syncing: !isRepeatable)
            state.part = nil
        }
        // After a crash, the listing of the folder finds a remaining part: an ended upload has no part.
        try disk.remove(partPath)
    }

    // MARK: Internals

    /// Writes the next slot. After a failure the old one is valid, on disk and in memory.
    private func advance(_ state: inout State, to next: StoredUploadProgress, syncingPart: Bool, syncing: Bool = true) throws(Errno) {
        do throws(Errno) {
            if syncingPart { try Self.part(&state) { (part) throws(Errno) in try part.synchronize() } }
            let count = state.count + 1
            try state.at.write(next.slot(count: count), at: Int64(count % 2) * Int64(StoredUploadProgress.slotOctets))
            if syncing { try state.at.synchronize() }
            state.count = count
            state.progress = next
        } catch {
            // Unsynced octets may never reach the disk (fsync(2) reports a failure once), so they count as lost.
            let offset = state.progress.offset
            state.written = offset
            try? Self.part(&state) { (part) throws(Errno) in part.rewind(to: offset) }
            throw error
        }
    }

    private static func part<R: ~Copyable>(
        _ state: inout State, _ body: (inout AppendingFile) throws(Errno) -> R
    ) throws(Errno) -> R {
        guard var part = state.part.take() else { throw .invalid }
        let result: Result<R, Errno>
        do throws(Errno) { result = .success(try body(&part)) } catch { result = .failure(error) }
        state.part = consume part
        return try result.get()
    }

    private func locked<R>(_ body: (inout State) throws(Errno) -> R) throws(Errno) -> R {
        try state.withLock { (state) -> Result<R, Errno> in
            do throws(Errno) { return .success(try body(&state)) } catch { return .failure(error) }
        }.get()
    }
}
