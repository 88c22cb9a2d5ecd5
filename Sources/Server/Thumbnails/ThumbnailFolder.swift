import Blobs
import Bytes
import Posix

/// Pictures of documents' files, beside the blobs and under the same names: `<family>/<aa>/<sha256>`. A missing picture
/// is made again, so nothing here is synced, copied or checked.
struct ThumbnailFolder: Sendable {
    let path: String

    /// The result for a blob.
    enum Entry: Equatable, Sendable {
        case image([UInt8])
        /// An attempt was made and failed.
        case failed
    }

    /// The content of the entry of a blob without a possible picture.
    private static let failure = Array("-".utf8)
    /// Milliseconds after which a failed attempt is repeated: programs improve.
    static let failureLife: Int64 = 30 * 86_400_000

    private func folder(of blob: BlobName) -> String { "\(path)/\(blob.family)/\(blob.fan)" }
    private func path(of blob: BlobName) -> String { "\(folder(of: blob))/\(blob.sha256)" }

    /// - Returns: `nil` if there is no complete entry.
    func entry(of blob: BlobName) -> Entry? {
        guard let octets = try? Files.read(path(of: blob), limit: Thumbnail.maxOctets) else { return nil }
        if octets == ThumbnailFolder.failure { return .failed }
        // A power failure may have left a part of it.
        return Thumbnail.isAcceptable(octets) ? .image(octets) : nil
    }

    /// Keeps a picture, or the failure to make one. If the disk refuses it, the picture is made again.
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

    /// Removes entries without a blob, and old failures.
    func sweep(_ blobs: BlobFolder, now: Int64) throws {
        try BlobFolder(path: path).forEach { entry in
            switch entry {
            case .blob(let blob, let octets, let modified):
                let isOld = octets == ThumbnailFolder.failure.count && modified < now - ThumbnailFolder.failureLife
                let isGone = try blobs.status(blob) == nil
                if isOld || isGone { try Files.remove(path(of: blob)) }
            case .stranger(let place, let modified):
                // A file without a name that is being written gets its name in a moment.
                if modified < now - 3_600_000 { try Files.remove("\(path)/\(place)") }
            }
        }
    }
}

/// The properties that a picture must have, whichever program made it.
enum Thumbnail {
    /// The largest number of octets: a JPEG of 512 by 512 points has a tenth to a third of it.
    static let maxOctets = 262_144
    /// The largest number of points of the longer side.
    static let maxSide = 512

    /// Whether it is a JPEG of a size that harms no client. The program that made it worked on a file from strangers,
    /// which may have taken it over.
    static func isAcceptable(_ octets: [UInt8]) -> Bool {
        guard octets.count <= maxOctets, octets.suffix(2) == [0xFF, 0xD9], let (width, height) = size(octets) else { return false }
        return (1...maxSide).contains(width) && (1...maxSide).contains(height)
    }

    /// Width and height from the one frame header of a JPEG; `nil` for other octets.
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
            // Tables, application data and comments: the segments that may come before the frame.
            case 0xC4, 0xDB, 0xDD, 0xE0...0xEF, 0xFE:
                guard length >= 2 else { return nil }
                place += 2 + length
            default: return nil
            }
        }
        return nil
    }
}
