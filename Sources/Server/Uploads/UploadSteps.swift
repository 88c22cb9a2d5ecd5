import Blobs
import Bytes
import Crypto
import Locks
import Posix
import Uploads

/// The reason why a step was not done.
enum UploadFault: Error, Sendable {
    /// The error of the disk. Octets on stable storage stay; the rest of the request is dropped.
    case disk(Errno)
    case refused(UploadRefusal)

    /// The refusal for the client.
    var refusal: UploadRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .disk(let errno) where errno == .noSpace || errno == .quotaOfDisk:
            UploadRefusal(
                "storage_full", 507, "The server's disk is full. The stored part is kept; resume later, or tell the person who runs the server.", retryAfter: 60)
        case .disk(let errno) where errno.isExhausted:
            UploadRefusal("busy", 503, "The server is busy. The stored part is kept; resume in a moment.", retryAfter: 5)
        case .disk: UploadRefusal("storage_failed", 500, "The server could not write the file. The stored part is kept; resume later.", retryAfter: 30)
        }
    }
}

extension Errno {
    /// EDQUOT: the account's share of the disk is used up.
    fileprivate static var quotaOfDisk: Errno { Errno(122) }
}

/// The steps of one upload on the file pool, one at a time and in the order in which the reactor asks for them.
///
/// A request is `begin`, some `take`, and `end`. If one step fails, the later ones only report the same failure; the
/// next request continues at the octets that are on stable storage.
final class UploadSteps: Sendable {
    private let id: Identifier
    private let kind: FileExtension
    private let expected: [UInt8]?
    private let family: Identifier
    private let folder: UploadFolder
    private let blobs: BlobFolder
    /// Milliseconds that never go back.
    private let now: @Sendable () -> Int64
    /// One step at a time holds the lock, so nobody waits.
    private let state: Lock<State>

    private struct State: ~Copyable, Sendable {
        var file: UploadFile?
        /// The time of the part's last sync, or of the beginning of the request.
        var syncedAt: Int64 = 0
        /// The offset at which the current request began; `nil` without one.
        var start: Int64?
        var digest: RunningDigest?
        var fault: UploadFault?
        /// Whether the first octets match the file's type.
        var isKindProven = false
    }

    /// The octets between two syncs, which bound the octets that are sent again after a crash. A sync delays other
    /// writers for a moment, so there is none for less than `least`; from there on there is one per second, or one per
    /// `most` if more than that comes in a second.
    static let syncOctets: (least: Int64, most: Int64) = (8 << 20, 32 << 20)
    /// Milliseconds.
    static let syncInterval: Int64 = 1_000

    init(
        _ id: Identifier, _ record: UploadRecord, folder: UploadFolder, blobs: BlobFolder,
        now: @escaping @Sendable () -> Int64 = { Clock.monotonicMilliseconds() }
    ) {
        self.now = now
        self.id = id
        kind = record.document.fileExtension
        expected = record.document.sha256
        family = record.family
        self.folder = folder
        self.blobs = blobs
        state = Lock(State())
    }

    /// The state of an upload after a step.
    struct Standing: Sendable {
        /// Octets on stable storage.
        var offset: Int64
        /// Received octets, synced or not.
        var written: Int64
        var length: Int64?
    }

    // MARK: A request

    func create(length: Int64?, description: [UInt8]) -> Result<Standing, UploadFault> {
        step { (state) throws(Errno) in
            let file = try folder.create(id, length: length, description: description)
            state.file = file
            return .success(Standing(file))
        }
    }

    /// - Parameters:
    ///   - offset: the offset at which the client wants to continue.
    ///   - length: the length of the whole upload, if the client declares it now.
    func begin(at offset: Int64, length: Int64?, checksum: UploadChecksum.Algorithm?) -> Result<Standing, UploadFault> {
        step { (state) throws(Errno) in
            let file = try open(&state)
            // The end of an earlier request was lost in a full queue.
            if state.digest.take() != nil, let start = state.start { try file.cut(to: start) }
            try file.synchronize()
            state.fault = nil
            state.start = nil
            let progress = file.progress
            guard progress.offset == offset else { return .failure(.refused(.offset(expected: Int(progress.offset), provided: Int(offset)))) }
            if let length {
                guard length >= progress.offset else { return .failure(.refused(.inconsistentLength)) }
                if let known = progress.length, known != length { return .failure(.refused(.inconsistentLength)) }
                try file.declare(length: length)
            }
            state.start = offset
            state.syncedAt = now()
            switch checksum {
            case .sha1: state.digest = RunningDigest(.sha1)
            case .sha256: state.digest = RunningDigest(.sha256)
            case nil: break
            }
            return .success(Standing(file))
        }
    }

    /// Adds octets, and syncs when enough have come; but a request with a checksum is never synced in parts, because it
    /// is accepted as a whole or not at all.
    func take(_ octets: UnsafeRawBufferPointer) -> Result<Standing, UploadFault> {
        step { (state) throws(Errno) in
            if let fault = state.fault { return .failure(fault) }
            do throws(Errno) {
                let file = try open(&state)
                try file.append(octets)
                let written = file.written
                if var digest = state.digest.take() {
                    digest.update(octets)
                    state.digest = consume digest
                } else if isSyncDue(state, octets: written - file.progress.offset) {
                    try file.synchronize()
                    state.syncedAt = now()
                }
                if let refusal = try disproof(&state, file, isWhole: false) { return .failure(refuse(&state, file, refusal)) }
                return .success(Standing(file))
            } catch {
                state.fault = .disk(error)
                throw error
            }
        }
    }

    /// The result of a request.
    enum Ended: Sendable {
        case stored
        /// The file is in its place as a blob; a document may refer to it.
        case complete(sha256: [UInt8])
        case fault(UploadFault)
    }

    /// - Parameters:
    ///   - isWhole: whether the content of the request was complete.
    ///   - completes: whether the request ends the upload if all octets have come; `nil` if every full upload ends.
    ///   - checksum: the checksum of the request's content.
    func end(isWhole: Bool, completes: Bool?, checksum: UploadChecksum?) -> (standing: Standing?, Ended) {
        state.withLock { state in
            let file: UploadFile
            do throws(Errno) { file = try open(&state) } catch { return (nil, .fault(state.fault ?? .disk(error))) }
            do throws(Errno) {
                var digest: [UInt8]?
                if let running = state.digest.take() { digest = running.finish() }
                let start = state.start.take()
                if case .refused(let refusal)? = state.fault, refusal.endsUpload { return (Standing(file), .fault(.refused(refusal))) }
                if let checksum, let start {
                    let isRight = isWhole && state.fault == nil && digest == checksum.digest
                    if !isRight {
                        try file.cut(to: start)
                        return (Standing(file), .fault(state.fault ?? .refused(.checksumMismatch)))
                    }
                }
                let length = file.progress.length
                let isFull = length == file.written
                guard state.fault == nil, isWhole, completes ?? isFull else {
                    try file.synchronize()
                    return (Standing(file), state.fault.map { .fault($0) } ?? .stored)
                }
                guard isFull || length == nil else {
                    try file.synchronize()
                    return (Standing(file), .fault(.refused(.inconsistentLength)))
                }
                // Its end puts all of it on stable storage, with one sync.
                let ended = try complete(&state, file)
                return (Standing(file), ended)
            } catch {
                // The octets before the failure are kept, if the disk allows it.
                _ = try? file.synchronize()
                return (Standing(file), .fault(.disk(error)))
            }
        }
    }

    // MARK: The end of an upload

    /// Completes an upload whose octets have all come, also after a crash: its type, and its place.
    func complete() -> (standing: Standing?, Ended) {
        state.withLock { state in
            do throws(Errno) {
                let file = try open(&state)
                let ended = try complete(&state, file)
                return (Standing(file), ended)
            } catch {
                return (nil, .fault(.disk(error)))
            }
        }
    }

    private func complete(_ state: inout State, _ file: UploadFile) throws(Errno) -> Ended {
        if case .receiving = file.progress.phase, let refusal = try disproof(&state, file, isWhole: true) {
            return .fault(refuse(&state, file, refusal))
        }
        let sha256 = try file.complete()
        if let expected, expected != sha256 { return .fault(refuse(&state, file, .fileMismatch)) }
        _ = try file.adopt(into: blobs, family: family)
        return .complete(sha256: sha256)
    }

    /// The contradiction between the first octets and the file's type, once there are enough of them to tell.
    private func disproof(_ state: inout State, _ file: UploadFile, isWhole: Bool) throws(Errno) -> UploadRefusal? {
        guard !state.isKindProven, isWhole || file.written >= FirstOctets.count else { return nil }
        let first = try file.read(at: 0, count: FirstOctets.count)
        guard FirstOctets.agree(first, with: kind, isWhole: isWhole && file.written <= FirstOctets.count) else { return .otherKind(kind) }
        state.isKindProven = true
        return nil
    }

    /// Ends an upload for good: only the reason is kept.
    private func refuse(_ state: inout State, _ file: UploadFile, _ refusal: UploadRefusal) -> UploadFault {
        state.fault = .refused(refusal)
        // If the disk refuses that too, the next request finds the same octets.
        try? file.end(outcome: UploadEnd.refused(refusal).encoded(limit: StoredUploadProgress.maxOutcome))
        return .refused(refusal)
    }

    /// Keeps only the end of an upload.
    func end(_ end: UploadEnd) {
        state.withLock { state in
            // A complete upload becomes the same document again; a refusal might not repeat.
            let isRepeatable = if case .finished = end { true } else { false }
            try? open(&state).end(outcome: end.encoded(limit: StoredUploadProgress.maxOutcome), isRepeatable: isRepeatable)
            state.file = nil
        }
    }

    /// Removes everything.
    func remove() -> Result<Void, UploadFault> {
        state.withLock { state in
            state.file = nil
            do throws(Errno) {
                try folder.remove(id)
                return .success(())
            } catch {
                return .failure(.disk(error))
            }
        }
    }

    /// Closes the file's descriptors until the next request.
    func close() {
        state.withLock { state in
            // A running request keeps them.
            if state.start == nil { state.file = nil }
        }
    }

    // MARK: Inside

    private func isSyncDue(_ state: borrowing State, octets: Int64) -> Bool {
        guard octets >= Self.syncOctets.least else { return false }
        return octets >= Self.syncOctets.most || now() - state.syncedAt >= Self.syncInterval
    }

    private func open(_ state: inout State) throws(Errno) -> UploadFile {
        if let file = state.file { return file }
        guard let file = try folder.open(id) else { throw .noEntry }
        state.file = file
        return file
    }

    private func step(_ body: (inout State) throws(Errno) -> Result<Standing, UploadFault>) -> Result<Standing, UploadFault> {
        state.withLock { state in
            do throws(Errno) { return try body(&state) } catch { return .failure(.disk(error)) }
        }
    }
}

extension UploadSteps.Standing {
    init(_ file: UploadFile) {
        let progress = file.progress
        self.init(offset: progress.offset, written: file.written, length: progress.length)
    }
}
