package import Bytes
internal import Crypto
internal import HTTPClient
internal import Posix
internal import Sync
internal import Terminal

/// Uploads one file until the document exists: finds out where an interrupted upload stopped, resumes from there, and
/// retries after a wait when the network fails.
package struct DocumentUpload {
    /// The progress of an upload.
    package enum Step: Hashable, Sendable {
        /// The file was read, with this result.
        case read(FileStamp)
        /// This many octets are sent or stored.
        case sent(Int64)
        /// The upload resumed where an earlier attempt, or an earlier program, stopped.
        case resumed(at: Int64)
        /// The network failed; the next attempt follows after this many milliseconds.
        case waits(Int64, reason: String)
    }

    /// The result of an upload.
    package struct Uploaded: Hashable, Sendable {
        package var document: Identifier
        /// The key under which its location is remembered: until `UploadMemory.forget`, the same upload gets the same
        /// document.
        package var key: String
    }

    /// The largest document in octets, if the server has not reported its limit.
    package static let maxOctets: Int64 = 104_857_600
    /// The number of octets that are hashed per step.
    private static let portion = 1 << 20

    private let server: DocumentServer
    private let memory: UploadMemory
    private let address: String
    /// The milliseconds without any progress after which the upload fails.
    private let patience: Int64
    private let now: () -> Int64
    /// Waits this many milliseconds; false if the user cancelled in the meantime.
    private let wait: (Int64) -> Bool
    private var backoff: Backoff

    /// - Parameters:
    ///   - address: the server's address, which names the server in the memory.
    ///   - patience: milliseconds without progress after which the upload fails; the sent octets stay for the next run.
    ///   - now: milliseconds of a monotonic clock.
    ///   - wait: waits this many milliseconds; false if the user cancelled in the meantime.
    package init(
        _ server: DocumentServer, address: String, memory: UploadMemory, patience: Int64 = 120_000, seed: UInt64,
        now: @escaping () -> Int64 = { Clock.monotonicMilliseconds() }, wait: @escaping (Int64) -> Bool
    ) {
        self.server = server
        self.address = address
        self.memory = memory
        self.patience = patience
        self.now = now
        self.wait = wait
        backoff = Backoff(seed: seed)
    }

    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the largest document in octets, from the server's `welcome`.
    ///   - expected: the file as it was when its upload was requested; a different file is not sent.
    ///   - step: receives the progress, on this thread; false cancels, and the sent octets stay at the server until
    ///     they expire there.
    /// - Returns: the document, which now exists.
    /// - Throws: also `.file` if the file changed in the meantime: then nothing of it is kept.
    package mutating func run(
        _ upload: NewUpload, path: String, limit: Int64 = DocumentUpload.maxOctets, expecting expected: FileStamp? = nil, step: @escaping (Step) -> Bool
    ) throws(DocumentFailure) -> Uploaded {
        let file = try open(upload, path, expected)
        guard let status = try? Files.status(of: file.raw) else { throw .file("\(path.printable) cannot be read.") }
        guard status.kind == .file else { throw .file("\(path.printable) is not a file.") }
        var stamp = FileStamp(status)
        let octets = stamp.octets
        guard octets > 0 else { throw .file("\(path.printable) is empty.") }
        guard octets <= limit else { throw .file(DocumentUpload.tooLarge(limit)) }
        let digest = try DocumentUpload.digest(file.raw, octets)
        stamp.sha256 = Hex.encode(digest)
        if let expected, !expected.fits(stamp) {
            abandon(upload, expected)
            throw .file("\(path.printable) has changed since its upload was asked for, so it was given up, and nothing of it is kept. Upload it as it is now.")
        }
        guard step(.read(stamp)) else { throw .cancelled }
        let key = memory.key(upload, server: address, sha256: stamp.sha256 ?? "")
        do throws(DocumentFailure) {
            return Uploaded(document: try send(upload, file.raw, stamp, digest, key, step), key: key)
        } catch {
            // The change was found here, or by the server, which has the digest: the user gets the reason.
            let isOfFile =
                switch error {
                case .file, .refused(_, "file_mismatch", _): true
                default: false
                }
            guard isOfFile, !isUnchanged(file.raw, stamp) else { throw error }
            abandon(upload, stamp)
            throw .file("\(path.printable) changed while it was on its way: its upload was given up, and nothing of it is kept. Upload it again when it stays as it is.")
        }
    }

    private func open(_ upload: NewUpload, _ path: String, _ expected: FileStamp?) throws(DocumentFailure) -> FileDescriptor {
        do throws(Errno) { return try Files.openForReading(path) } catch {
            guard let expected, error == .noEntry else { throw .file("\(path.printable) cannot be read: \(error.text).") }
            abandon(upload, expected)
            throw .file("\(path.printable) no longer exists: its upload was given up, and nothing of it is kept.")
        }
    }

    /// Whether an open file has the same length and time. The server finds other changes by the digest.
    private func isUnchanged(_ raw: Int32, _ stamp: FileStamp) -> Bool {
        guard let status = try? Files.status(of: raw) else { return false }
        return FileStamp(octets: stamp.octets, changed: stamp.changed).fits(FileStamp(status))
    }

    /// Asks the server to drop the upload of a file that has changed or is gone. If the server is not reachable, it
    /// drops the upload by itself, a day later.
    private func abandon(_ upload: NewUpload, _ stamp: FileStamp) {
        guard let sha256 = stamp.sha256 else { return }
        let key = memory.key(upload, server: address, sha256: sha256)
        guard let place = memory.place(key) else { return }
        try? server.cancel(place)
        memory.forget(key)
    }

    private static func expect(_ offset: Int64, within octets: Int64) throws(DocumentFailure) {
        guard offset <= octets else {
            throw .refused(status: 200, code: "bad_offset", sentence: "The server says that it has more than the file. It cannot continue there; try again.")
        }
    }

    /// The sentence of R135.
    package static func tooLarge(_ limit: Int64) -> String {
        "File exceeds \(limit / 1_048_576)MB limit. Please compress or choose a smaller file."
    }

    /// The digest with which the server verifies that all octets arrived unchanged.
    static func digest(_ raw: Int32, _ octets: Int64) throws(DocumentFailure) -> [UInt8] {
        var digest = SHA256()
        var offset: Int64 = 0
        while offset < octets {
            let next: [UInt8]
            do throws(Errno) { next = try Files.read(raw, at: Int(offset), count: Int(min(Int64(portion), octets - offset))) } catch {
                throw .file("The file cannot be read: \(error.text).")
            }
            guard !next.isEmpty else { throw .file("The file became shorter while it was read.") }
            digest.update(next)
            offset += Int64(next.count)
        }
        return digest.finish()
    }

    private mutating func send(
        _ upload: NewUpload, _ raw: Int32, _ stamp: FileStamp, _ digest: [UInt8], _ key: String, _ step: @escaping (Step) -> Bool
    ) throws(DocumentFailure) -> Identifier {
        let octets = stamp.octets
        var place = memory.place(key)
        var failures = 0
        var reached: Int64 = 0
        var lastProgress = now()
        /// Whether the server was asked for its offset since the last failure.
        var isKnown = false
        /// Whether the offset was asked for because another client was sending, and no octet has been accepted since.
        var isContested = false
        while true {
            do throws(DocumentFailure) {
                if let known = place, !isKnown {
                    guard let offset = try server.offset(known) else {
                        memory.forget(key)
                        place = nil
                        continue
                    }
                    try DocumentUpload.expect(offset, within: octets)
                    if offset > 0, !step(.resumed(at: offset)) { throw .cancelled }
                    if offset > reached { (failures, lastProgress) = (0, now()) }
                    reached = offset
                }
                if place == nil {
                    let made = try server.create(upload, octets: octets, sha256: digest)
                    memory.keep(key, place: made)
                    place = made
                    reached = 0
                }
                isKnown = true
                guard let place, let id = place.split(separator: "/").last.flatMap({ Identifier(String($0)) }) else {
                    throw .refused(status: 0, code: "bad_place", sentence: "The server named a place for the upload that cannot be used.")
                }
                if reached < octets {
                    guard isUnchanged(raw, stamp) else { throw .file("The file changed.") }
                    let begin = reached
                    let offset = try server.append(place, file: raw, from: begin, count: octets - begin) { step(.sent(begin + $0)) }
                    guard let offset else {
                        // Another client sent in the meantime: ask the server for its offset.
                        guard !isContested else { throw .offline("Somebody else is sending this file.") }
                        (isKnown, isContested) = (false, true)
                        continue
                    }
                    try DocumentUpload.expect(offset, within: octets)
                    // Sending the same octets again immediately would never end.
                    guard offset > begin else { throw .offline("The server took nothing of it.") }
                    (failures, lastProgress, isContested) = (0, now(), false)
                    reached = offset
                }
                if reached >= octets { return id }
            } catch {
                guard case .offline(let reason) = error else {
                    // A refused upload no longer exists; a cancelled upload, or one that needs another sign-in, resumes
                    // in the next run.
                    if case .refused(let status, _, _) = error, status != 401 { memory.forget(key) }
                    throw error
                }
                isKnown = false
                guard now() - lastProgress < patience else { throw .offline("Upload failed. Please try again. \(reason)") }
                let pause = backoff.wait(failures: failures)
                failures += 1
                guard step(.waits(pause, reason: reason)), wait(pause) else { throw .cancelled }
            }
        }
    }
}

@available(*, unavailable)
extension DocumentUpload: Sendable {}
