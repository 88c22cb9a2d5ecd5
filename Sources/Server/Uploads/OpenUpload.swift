import Bytes
import Uploads

/// One upload in the reactor's memory, from its first request until it is removed.
final class OpenUpload {
    let id: Identifier
    let record: UploadRecord
    let steps: UploadSteps

    enum Phase {
        /// It may still be refused; it counts, so that a limit applies to many at the same time.
        case beginning
        case receiving
        /// All octets have come, and the document is not made yet.
        case full
        /// It is a document.
        case finished(sha256: [UInt8])
        case refused(UploadRefusal)
    }

    var phase = Phase.beginning
    /// The number of octets on stable storage, and of all received octets.
    private(set) var offset: Int64 = 0
    private(set) var written: Int64 = 0
    private(set) var length: Int64?
    /// The largest number of octets while its length is not known: the limit of one document, and the room that the
    /// family had when it began.
    var mostOctets: Int64
    /// The wall-clock time of its end, milliseconds.
    var expires: Int64
    /// Whether it was removed while other requests waited for their turn.
    var isGone = false
    var turns = UploadTurns()
    /// The time at which the family was last notified: milliseconds of the reactor's clock.
    var toldAt: Int64?

    init(_ id: Identifier, _ record: UploadRecord, _ steps: UploadSteps, length: Int64?, mostOctets: Int64, expires: Int64) {
        self.id = id
        self.record = record
        self.steps = steps
        self.length = length
        self.mostOctets = mostOctets
        self.expires = expires
    }

    func stand(_ standing: UploadSteps.Standing) {
        offset = standing.offset
        written = standing.written
        length = standing.length ?? length
    }

    /// Sets the offset up to which all octets are on stable storage.
    func stand(at offset: Int64) {
        self.offset = offset
        written = offset
    }

    /// Whether it counts for the limits.
    var isOpen: Bool {
        switch phase {
        case .beginning, .receiving, .full: true
        case .finished, .refused: false
        }
    }

    var state: UploadState {
        UploadState(
            id: id, offset: Int(offset), length: length.map { Int($0) }, isComplete: !isOpen, expires: expires, metadata: record.metadata.written)
    }
}

@available(*, unavailable) extension OpenUpload: Sendable {}
