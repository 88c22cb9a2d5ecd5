import Bytes
import Uploads

/// One upload as the reactor knows it, from its first request until it is forgotten.
final class OpenUpload {
    let id: Identifier
    let record: UploadRecord
    let steps: UploadSteps

    enum Phase {
        /// It may still be refused; counted, so that many at once are.
        case beginning
        case receiving
        /// All octets are there, and the document is not made yet.
        case full
        /// It is a document.
        case finished(sha256: [UInt8])
        case refused(UploadRefusal)
    }

    var phase = Phase.beginning
    /// Octets on stable storage, and all that came.
    private(set) var offset: Int64 = 0
    private(set) var written: Int64 = 0
    private(set) var length: Int64?
    /// Octets that it may become while its length is not known: what one document may have, and what the family had room for when it began.
    var mostOctets: Int64
    /// Wall clock, milliseconds.
    var expires: Int64
    /// It was removed while others waited for their turn.
    var isGone = false
    var turns = UploadTurns()
    /// When the family last heard of it: milliseconds of the reactor's clock.
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

    /// Everything that came is on stable storage, up to here.
    func stand(at offset: Int64) {
        self.offset = offset
        written = offset
    }

    /// It counts for the limits.
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
