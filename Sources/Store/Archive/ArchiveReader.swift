import Bytes
import Crypto
import JSON
import Posix
import Tar

/// An archive that was checked from its first octet to its last: it is complete, and each file matches the manifest.
struct ArchiveReader {
    /// The largest number of octets of one line. A line holds one change, and a mutation that a server accepts makes a
    /// small fraction of this.
    static let maxLine = 64 << 20
    /// The largest number of files in an archive: far more than this version has.
    private static let maxFiles = 64
    /// The largest number of documents' files: as many as a family has records.
    private static let maxBlobs = 100_000
    /// The number of octets per read.
    private static let chunk = 65_536

    let manifest: ArchiveManifest
    private let raw: Int32
    private let files: [String: File]
    private let isStopped: () -> Bool

    private struct File {
        var start: Int
        var size: Int
        var sha256: String
    }

    /// Reads the whole archive once.
    ///
    /// - Parameters:
    ///   - raw: a descriptor for reading at any offset; the caller keeps it.
    ///   - isStopped: called regularly.
    init(_ raw: Int32, isStopped: @escaping () -> Bool = { false }) throws(ArchiveError) {
        self.raw = raw
        self.isStopped = isStopped
        files = try Self.walk(raw, isStopped)
        guard let place = files[ArchiveManifest.fileName] else { throw files.isEmpty ? .notAnArchive : .partial }
        guard place.size <= ArchiveManifest.maxOctets else { throw .notAnArchive }
        manifest = try ArchiveManifest.decode(try Self.read(raw, at: place.start, count: place.size))
        let expected = manifest.expected
        guard manifest.members.map(\.name) == expected else { throw .changed(ArchiveManifest.fileName) }
        for member in manifest.members {
            guard let file = files[member.name] else { throw .partial }
            guard file.size == member.octets, file.sha256 == member.sha256 else { throw .changed(member.name) }
        }
        // A file that the manifest does not name does not belong to the archive.
        if let other = files.keys.sorted().first(where: { 
            $0 != ArchiveManifest.fileName && !expected.contains($0)
                && !($0.hasPrefix(ArchiveRow.File.folder) && manifest.version >= ArchiveManifest.versionWithFiles)
        }) { throw .changed(other) }
    }

    private static func walk(_ raw: Int32, _ isStopped: () -> Bool) throws(ArchiveError) -> [String: File] {
        var files: [String: File] = [:]
        var blobs = 0
        var offset = 0
        while true {
            let block = try read(raw, at: offset, count: TarHeader.block)
            guard block.count == TarHeader.block else { throw offset == 0 ? .notAnArchive : .partial }
            let header: TarHeader?
            do throws(TarError) {
                header = try TarHeader.decode(block)
            } catch {
                throw offset == 0 ? .notAnArchive : .changed("one of its files")
            }
            guard let header else { return files }
            let isBlob = header.name.hasPrefix(ArchiveRow.File.folder)
            guard isBlob ? blobs < maxBlobs : files.count - blobs < maxFiles, files[header.name] == nil else { throw .changed(header.name) }
            if isBlob { blobs += 1 }
            offset += TarHeader.block
            var digest = SHA256()
            try pieces(raw, offset, header.size, isStopped) { octets throws(ArchiveError) in digest.update(octets) }
            files[header.name] = File(start: offset, size: header.size, sha256: Hex.encode(digest.finish()))
            offset += header.size + header.padding
        }
    }

    /// The files of documents, each with the length and the content that its line declares, and no others.
    func blobs() throws(ArchiveError) -> [ArchiveRow.File] {
        var found: [ArchiveRow.File] = []
        try lines(.files) { line, number throws(ArchiveError) in
            guard case .file(let blob)? = try? ArchiveRow.decode(.files, line) else { throw .badLine(ArchiveMember.files.rawValue, number) }
            guard found.last.map({ $0.sha256 < blob.sha256 }) ?? true else { throw .inconsistent("its files are out of order") }
            guard let file = files[blob.name] else { throw .partial }
            guard Int64(file.size) == blob.octets, file.sha256 == blob.sha256 else { throw .changed(blob.name) }
            found.append(blob)
        }
        guard found.count == files.keys.count(where: { $0.hasPrefix(ArchiveRow.File.folder) }) else { throw .changed(ArchiveMember.files.rawValue) }
        return found
    }

    /// Passes the octets of a document's file to `body`.
    func content(_ blob: ArchiveRow.File, _ body: ([UInt8]) throws(ArchiveError) -> Void) throws(ArchiveError) {
        guard let file = files[blob.name] else { throw .partial }
        try Self.pieces(raw, file.start, file.size, isStopped, body)
    }

    /// Passes every line of a file to `body`, without its line feed, and checks again whether the file matches the
    /// manifest.
    ///
    /// - Parameter body: receives the octets, which are valid during the call, and the number of the line from 1.
    func lines(_ member: ArchiveMember, _ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void) throws(ArchiveError) {
        guard let file = files[member.rawValue] else { return }
        var digest = SHA256()
        var rest: [UInt8] = []
        var number: Int64 = 0
        try Self.pieces(raw, file.start, file.size, isStopped) { octets throws(ArchiveError) in
            digest.update(octets)
            var begin = octets.startIndex
            while let end = octets[begin...].firstIndex(of: 0x0A) {
                number += 1
                let piece = octets[begin..<end]
                if rest.isEmpty {
                    try Self.open(piece, member, number, body)
                } else {
                    rest.append(contentsOf: piece)
                    try Self.open(rest[...], member, number, body)
                    rest.removeAll(keepingCapacity: true)
                }
                begin = end + 1
            }
            rest.append(contentsOf: octets[begin...])
            guard rest.count <= Self.maxLine else { throw .badLine(member.rawValue, number + 1) }
        }
        guard rest.isEmpty, number == manifest.lines(member) else { throw .badLine(member.rawValue, number + 1) }
        guard Hex.encode(digest.finish()) == file.sha256 else { throw .changed(member.rawValue) }
    }

    /// Extracts a line from the JSON string that holds it if it contains line breaks.
    private static func open(
        _ line: ArraySlice<UInt8>, _ member: ArchiveMember, _ number: Int64,
        _ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var text = line
        if line.first == UInt8(ascii: "\"") {
            guard let inner = try? JSONReader.read(Array(line), { reader throws(JSONError) in try reader.readString() }) else {
                throw .badLine(member.rawValue, number)
            }
            text = Array(inner.utf8)[...]
        }
        try text.withUnsafeBufferPointer { octets throws(ArchiveError) in try body(UnsafeRawBufferPointer(octets), number) }
    }

    /// Passes the octets of a part of the file to `body` in pieces.
    private static func pieces(
        _ raw: Int32, _ start: Int, _ size: Int, _ isStopped: () -> Bool, _ body: ([UInt8]) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var offset = start
        while offset < start + size {
            if isStopped() { throw .stopped }
            let octets = try read(raw, at: offset, count: min(chunk, start + size - offset))
            guard !octets.isEmpty else { throw .partial }
            try body(octets)
            offset += octets.count
        }
    }

    private static func read(_ raw: Int32, at offset: Int, count: Int) throws(ArchiveError) -> [UInt8] {
        do throws(Errno) { return try Files.read(raw, at: offset, count: count) } catch { throw .file(error) }
    }
}
