import Blobs
import Bytes
import Crypto
import Locks
import Posix
import Uploads

/// Why a step was not done.
enum UploadFault: Error, Sendable {
    /// What the disk said. What is on stable storage stays, the rest of the request is given up.
    case disk(Errno)
    case refused(UploadRefusal)

    /// As the client is told.
    var refusal: UploadRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .disk(let errno) where errno == .noSpace || errno == .quotaOfDisk:
            UploadRefusal(
                "storage_full", 507, "The server's disk is full. What is stored stays; go on later, or tell who runs the server.", retryAfter: 60)
        case .disk(let errno) where errno.isExhausted:
            UploadRefusal("busy", 503, "The server is busy. What is stored stays; go on in a moment.", retryAfter: 5)
        case .disk: UploadRefusal("storage_failed", 500, "The server could not write the file. What is stored stays; go on later.", retryAfter: 30)
        }
    }
}

extension Errno {
    /// EDQUOT: the account's share of the disk is used up.
    fileprivate static var quotaOfDisk: Errno { Errno(122) }
}

/// What is done to one upload on the file pool, a step at a time and in the order in which the reactor asks.
///
/// A request is `begin`, some `take`, and `end`. When a step of it fails the others do nothing but tell the same again; what is on stable
/// storage then is where the next request goes on.
final class UploadSteps: Sendable {
    private let id: Identifier
    private let kind: FileExtension
    private let expected: [UInt8]?
    private let family: Identifier
    private let folder: UploadFolder
    private let blobs: BlobFolder
    /// Milliseconds that never go back.
    private let now: @Sendable () -> Int64
    /// One step at a time holds it, so nobody waits.
    private let state: Lock<State>

    private struct State: ~Copyable, Sendable {
        var file: UploadFile?
        /// When the part was synced last, or the request began.
        var syncedAt: Int64 = 0
        /// Where the request began, while it has not ended.
        var start: Int64?
        var digest: RunningDigest?
        var fault: UploadFault?
        /// The first octets are those of the file's kind.
        var isKindProven = false
    }

    /// Octets between two syncs, which is what is sent again at most after a crash: each stands for a moment before what others write, so there
    /// is none for less than `least`, and from there on one a second, or for `most`, when more than that comes in a second.
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

    /// Where an upload stands after a step.
    struct Standing: Sendable {
        /// On stable storage.
        var offset: Int64
        /// Came, synced or not.
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
    ///   - offset: where the client wants to go on.
    ///   - length: of the whole, when it says it now.
    func begin(at offset: Int64, length: Int64?, checksum: UploadChecksum.Algorithm?) -> Result<Standing, UploadFault> {
        step { (state) throws(Errno) in
            let file = try open(&state)
            // A request whose end got lost in a full queue.
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

    /// Adds octets; syncs when enough have come, but never some of a request that has a checksum, which is taken whole or not at all.
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

    /// What a request came to.
    enum Ended: Sendable {
        case stored
        /// The file has its place as a blob; a document may speak of it.
        case complete(sha256: [UInt8])
        case fault(UploadFault)
    }

    /// - Parameters:
    ///   - isWhole: the content of the request came to its end.
    ///   - completes: it ends the upload if all has come; `nil` when that is so as soon as it is full.
    ///   - checksum: of the request's content.
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
                // Its end puts all of it on stable storage, in one go.
                let ended = try complete(&state, file)
                return (Standing(file), ended)
            } catch {
                // What came before it failed is kept, if the disk can.
                _ = try? file.synchronize()
                return (Standing(file), .fault(.disk(error)))
            }
        }
    }

    // MARK: The end of an upload

    /// Goes on with an upload whose octets are all there, also after a crash: what it is, and its place.
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

    /// What the first octets have against the file, once there are enough of them to tell.
    private func disproof(_ state: inout State, _ file: UploadFile, isWhole: Bool) throws(Errno) -> UploadRefusal? {
        guard !state.isKindProven, isWhole || file.written >= FirstOctets.count else { return nil }
        let first = try file.read(at: 0, count: FirstOctets.count)
        guard FirstOctets.agree(first, with: kind, isWhole: isWhole && file.written <= FirstOctets.count) else { return .otherKind(kind) }
        state.isKindProven = true
        return nil
    }

    /// Ends an upload for good: nothing is kept of it but why.
    private func refuse(_ state: inout State, _ file: UploadFile, _ refusal: UploadRefusal) -> UploadFault {
        state.fault = .refused(refusal)
        // Where the disk refuses that too, the next request meets the same octets.
        try? file.end(outcome: UploadEnd.refused(refusal).encoded(limit: UploadProgress.maxOutcome))
        return .refused(refusal)
    }

    /// Keeps of an upload only how it ended.
    func end(_ end: UploadEnd) {
        state.withLock { state in
            // One that is complete becomes the same document again; a refusal might be none the next time.
            let isRepeatable = if case .finished = end { true } else { false }
            try? open(&state).end(outcome: end.encoded(limit: UploadProgress.maxOutcome), isRepeatable: isRepeatable)
            state.file = nil
        }
    }

    /// Nothing is kept.
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

    /// Gives its descriptors back until the next request.
    func close() {
        state.withLock { state in
            // A request that is under way keeps them.
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
