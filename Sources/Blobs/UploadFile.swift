package import Bytes
internal import Locks
package import Posix

/// One upload on disk. Its steps wait for the disk, so they run on the file pool, one after the other; another thread may look at
/// `written` and `progress` meanwhile.
///
/// Only `progress.offset` is a promise. What was appended since the last `synchronize` may be lost in a crash, and is given up when writing
/// or syncing fails: the part then goes on from what was synced, as after a crash.
package final class UploadFile: Sendable {
    package let id: Identifier
    /// The file with the octets.
    package let partPath: String
    private let disk: any Disk
    private let folder: String
    private let state: Lock<State>

    private struct State: ~Copyable, Sendable {
        /// `nil` once the octets have been handed on or thrown away.
        var part: AppendingFile?
        let at: DiskFile
        var progress: UploadProgress
        /// Of the newest slot.
        var count: UInt64
        /// Octets in the part, synced or not.
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
        let progress = UploadProgress(offset: 0, length: length, phase: .receiving)
        // Both slots, so that the file has its final length, and each later write stays within it.
        try at.write(progress.slot(count: 0) + progress.slot(count: 1), at: 0)
        try at.synchronize()
        try part.synchronize()
        state = Lock(State(part: AppendingFile(part, count: 0, assistant: assistant), at: at, progress: progress, count: 1, written: 0))
    }

    /// `nil` when the upload was begun or removed by halves: the folder is synced at the end of both, so nobody was promised anything.
    init?(opening id: Identifier, at folder: String, on disk: any Disk, assistant: @escaping Assistant) throws(Errno) {
        self.id = id
        self.folder = folder
        self.disk = disk
        partPath = Self.partPath(id, folder)
        guard try disk.status(Self.progressPath(id, folder)) != nil else { return nil }
        let at = try DiskFile.open(Self.progressPath(id, folder), on: disk)
        guard let found = UploadProgress.read(try at.read(at: 0, count: 2 * UploadProgress.slotOctets)) else { throw .invalid }
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

    /// What is on stable storage.
    package var progress: UploadProgress { state.withLock { $0.progress } }

    /// Octets that came, synced or not: where the next ones go.
    package var written: Int64 { state.withLock { $0.written } }

    // MARK: Receiving

    /// Adds octets at the end of what was written.
    ///
    /// - Throws: what the disk said; the octets were not taken. `.tooBig` past the length, `.invalid` when nothing is received any more.
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

    /// Puts what was written on stable storage: `progress.offset` is `written` afterwards.
    ///
    /// - Returns: the offset.
    /// - Throws: what the disk said. Nothing is known of what was not synced: `written` went back to `progress.offset`.
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
    /// - Throws: `.tooBig` when more is there already, `.invalid` when it has another length.
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

    /// Throws away what came after `offset` (a piece that does not have the checksum it came with), also what was synced of it.
    package func cut(to offset: Int64) throws(Errno) {
        try locked { (state) throws(Errno) in
            guard case .receiving = state.progress.phase, offset >= 0, offset <= state.written else { throw .invalid }
            guard offset < state.written else { return }
            if offset < state.progress.offset {
                var next = state.progress
                next.offset = offset
                // First the promise, then the octets: what is promised is always there.
                try self.advance(&state, to: next, syncingPart: false)
            }
            state.written = offset
            try Self.part(&state) { (part) throws(Errno) in try part.cut(to: offset) }
        }
    }

    /// At most `count` octets of what was written, from `offset` on.
    package func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        try locked { (state) throws(Errno) in
            try Self.part(&state) { (part) throws(Errno) in try part.read(at: offset, count: count) }
        }
    }

    // MARK: Ends

    /// Everything is there: puts it on stable storage together with its digest. Doing it again gives the same.
    ///
    /// - Returns: SHA-256, 32 octets.
    /// - Throws: `.invalid` when octets are missing or the upload has ended; else what the disk said, as `synchronize`.
    package func complete() throws(Errno) -> [UInt8] {
        try locked { (state) throws(Errno) in
            if case .complete(let sha256) = state.progress.phase { return sha256 }
            guard case .receiving = state.progress.phase, state.progress.length ?? state.written == state.written else { throw .invalid }
            let sha256 = try Self.part(&state) { (part) throws(Errno) in try part.sha256() }
            try self.advance(
                &state, to: UploadProgress(offset: state.written, length: state.written, phase: .complete(sha256: sha256)), syncingPart: true)
            return sha256
        }
    }

    /// Gives the octets of a complete upload their place as a blob, for good. May be called again, also after a crash.
    ///
    /// - Throws: `.invalid` when it is not complete; `.noEntry` when the octets are nowhere.
    package func adopt(into blobs: BlobFolder, family: Identifier) throws(Errno) -> BlobName {
        let progress = progress
        guard case .complete(let sha256) = progress.phase else { throw .invalid }
        let blob = BlobName(family: family, sha256: sha256)
        _ = try blobs.adopt(partPath, as: blob, octets: progress.offset)
        return blob
    }

    /// Ends the upload and keeps only how: the part goes away at once. Doing it again keeps the first outcome.
    ///
    /// - Parameters:
    ///   - outcome: what `progress` tells from now on; at most `UploadProgress.maxOutcome` octets.
    ///   - isRepeatable: what a power cut takes of it comes about again, so nobody needs to wait for the disk.
    package func end(outcome: [UInt8], isRepeatable: Bool = false) throws(Errno) {
        precondition(outcome.count <= UploadProgress.maxOutcome, "an outcome fits into its place")
        try locked { (state) throws(Errno) in
            if case .ended = state.progress.phase { return }
            var next = state.progress
            next.phase = .ended(outcome: outcome)
            try self.advance(&state, to: next, syncingPart: false, syncing: !isRepeatable)
            state.part = nil
        }
        // Whoever lists the folder finds what is left of it after a crash: an ended upload has no part.
        try disk.remove(partPath)
    }

    // MARK: Inside

    /// Writes the next slot. On failure the old one holds, on disk and here.
    private func advance(_ state: inout State, to next: UploadProgress, syncingPart: Bool, syncing: Bool = true) throws(Errno) {
        do throws(Errno) {
            if syncingPart { try Self.part(&state) { (part) throws(Errno) in try part.synchronize() } }
            let count = state.count + 1
            try state.at.write(next.slot(count: count), at: Int64(count % 2) * Int64(UploadProgress.slotOctets))
            if syncing { try state.at.synchronize() }
            state.count = count
            state.progress = next
        } catch {
            // What was not synced may never be (fsync(2) tells a failure once), so it counts as lost.
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
