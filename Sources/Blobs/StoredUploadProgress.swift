internal import Bytes
internal import Crypto

/// The progress of an upload, as stored on disk.
package struct StoredUploadProgress: Equatable, Sendable {
    /// The phases of an upload, in order; it never goes back.
    package enum Phase: Equatable, Sendable {
        case receiving
        /// All octets arrived and have this SHA-256 (32 octets): the upload may become a document. The part may already
        /// be a blob.
        case complete(sha256: [UInt8])
        /// The upload became a document, or was refused: its octets are a blob or gone. This is the response to the
        /// last request and to all later ones, in the caller's format, at most `maxOutcome` octets.
        case ended(outcome: [UInt8])
    }

    /// The octets on stable storage, on which a client may rely.
    package internal(set) var offset: Int64
    /// The total number of octets, once it is known.
    package internal(set) var length: Int64?
    package internal(set) var phase: Phase

    package static let maxOutcome = 384

    // MARK: On disk

    /// The size of a slot: each of the two is one smallest unit of a disk, and they are written in turn, so that a torn
    /// write leaves the previous one.
    static let slotOctets = 512
    private static let magic: [UInt8] = Array("huddle-u".utf8)

    /// One slot: magic (8 octets), count (8), offset (8), length or all ones (8), phase (1), digest (32), length of the
    /// outcome (2), the outcome; zeros; and in the last 8 octets the beginning of the SHA-256 of all before.
    func slot(count: UInt64) -> [UInt8] {
        var octets = Self.magic
        BigEndian.append(count, to: &octets)
        BigEndian.append(UInt64(offset), to: &octets)
        BigEndian.append(length.map { UInt64($0) } ?? .max, to: &octets)
        var digest = [UInt8](repeating: 0, count: 32)
        var outcome: [UInt8] = []
        switch phase {
        case .receiving: octets.append(0)
        case .complete(let sha256):
            octets.append(1)
            digest = sha256
        case .ended(let words):
            octets.append(2)
            outcome = words
        }
        octets += digest
        octets.append(UInt8(outcome.count >> 8))
        octets.append(UInt8(outcome.count & 0xFF))
        octets += outcome
        octets += [UInt8](repeating: 0, count: Self.slotOctets - 8 - octets.count)
        return octets + Digest.sha256(octets).prefix(8)
    }

    /// The newest intact slot of a file with two slots.
    static func read(_ file: [UInt8]) -> (progress: StoredUploadProgress, count: UInt64)? {
        var newest: (progress: StoredUploadProgress, count: UInt64)?
        for index in 0..<2 where file.count >= (index + 1) * slotOctets {
            guard let found = parse(file[(index * slotOctets)..<((index + 1) * slotOctets)]) else { continue }
            if found.count >= newest?.count ?? 0 { newest = found }
        }
        return newest
    }

    private static func parse(_ slot: ArraySlice<UInt8>) -> (progress: StoredUploadProgress, count: UInt64)? {
        let octets = Array(slot)
        guard octets.prefix(8) == magic[...], Digest.sha256(Array(octets.dropLast(8))).prefix(8) == octets.suffix(8) else { return nil }
        let length = number(octets, at: 24)
        guard let offset = Int64(exactly: number(octets, at: 16)) else { return nil }
        let size = Int(octets[65]) << 8 | Int(octets[66])
        guard size <= maxOutcome else { return nil }
        let phase: Phase
        switch octets[32] {
        case 0: phase = .receiving
        case 1: phase = .complete(sha256: Array(octets[33..<65]))
        case 2: phase = .ended(outcome: Array(octets[67..<(67 + size)]))
        default: return nil
        }
        return (StoredUploadProgress(offset: offset, length: length == .max ? nil : Int64(clamping: length), phase: phase), number(octets, at: 8))
    }

    private static func number(_ octets: [UInt8], at index: Int) -> UInt64 {
        octets[index..<(index + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
