import Blobs
import Bytes
import Posix

/// Pictures that were made of documents' files, beside the blobs and under the same names: `<family>/<aa>/<sha256>`. What is missing is made
/// anew, so nothing here is synced, copied or checked.
struct ThumbnailFolder: Sendable {
    let path: String

    /// What is known of a blob.
    enum Entry: Equatable, Sendable {
        case image([UInt8])
        /// It was tried, and nothing came of it.
        case failed
    }

    /// The content of the file of a blob of which nothing can be made.
    private static let failure = Array("-".utf8)
    /// Milliseconds after which it is tried again: programs learn.
    static let failureLife: Int64 = 30 * 86_400_000

    private func folder(of blob: BlobName) -> String { "\(path)/\(blob.family)/\(blob.fan)" }
    private func path(of blob: BlobName) -> String { "\(folder(of: blob))/\(blob.sha256)" }

    /// - Returns: `nil` when nothing whole is there.
    func entry(of blob: BlobName) -> Entry? {
        guard let octets = try? Files.read(path(of: blob), limit: Thumbnail.maxOctets) else { return nil }
        if octets == ThumbnailFolder.failure { return .failed }
        // A power cut may have left less of it.
        return Thumbnail.isAcceptable(octets) ? .image(octets) : nil
    }

    /// Keeps what was made, or that nothing could be. Without a disk that takes it, it is made again.
    func keep(_ entry: Entry, of blob: BlobName) {
        let octets = if case .image(let image) = entry { image } else { ThumbnailFolder.failure }
        let part = path(of: blob) + ".part"
        do throws(Errno) {
            try Files.makeFolders(folder(of: blob))
            try Files.write(octets, to: part)
            try Files.rename(part, to: path(of: blob))
        } catch {
            try? Files.remove(part)
        }
    }

    /// Removes what is of no blob any more, and failures that are old.
    func sweep(_ blobs: BlobFolder, now: Int64) throws {
        try BlobFolder(path: path).forEach { entry in
            switch entry {
            case .blob(let blob, let octets, let modified):
                let isOld = octets == ThumbnailFolder.failure.count && modified < now - ThumbnailFolder.failureLife
                let isGone = try blobs.status(blob) == nil
                if isOld || isGone { try Files.remove(path(of: blob)) }
            case .stranger(let place, let modified):
                // One that is being made has its name in a moment.
                if modified < now - 3_600_000 { try Files.remove("\(path)/\(place)") }
            }
        }
    }
}

/// What a picture may be, whoever made it.
enum Thumbnail {
    /// Octets: a picture of 512 by 512 points as JPEG has a tenth to a third of it.
    static let maxOctets = 262_144
    /// Points of the longer side.
    static let maxSide = 512

    /// Whether it is a JPEG of a size that harms no client that shows it. The program that made it worked on a file of strangers and may have
    /// been taken over by it.
    static func isAcceptable(_ octets: [UInt8]) -> Bool {
        guard octets.count <= maxOctets, octets.suffix(2) == [0xFF, 0xD9], let (width, height) = size(octets) else { return false }
        return (1...maxSide).contains(width) && (1...maxSide).contains(height)
    }

    /// Width and height from the one frame header of a JPEG; `nil` for anything else.
    ///
    /// Source: ITU-T T.81 §B.1.1, §B.2.2.
    static func size(_ octets: [UInt8]) -> (width: Int, height: Int)? {
        guard octets.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 4 <= octets.count, octets[place] == 0xFF {
            let marker = octets[place + 1]
            let length = Int(octets[place + 2]) << 8 | Int(octets[place + 3])
            switch marker {
            case 0xC0...0xC2:
                guard length >= 8, place + 9 <= octets.count else { return nil }
                return (Int(octets[place + 7]) << 8 | Int(octets[place + 8]), Int(octets[place + 5]) << 8 | Int(octets[place + 6]))
            // Tables, application data, comments: whatever may come before the frame.
            case 0xC4, 0xDB, 0xDD, 0xE0...0xEF, 0xFE:
                guard length >= 2 else { return nil }
                place += 2 + length
            default: return nil
            }
        }
        return nil
    }
}
