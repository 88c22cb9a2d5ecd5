import Bytes
import Crypto
import JSON
import Posix
import Tar

/// Writes an archive into a file that can be written at any offset: each header once the size of its content is known,
/// the manifest last.
///
/// It keeps a buffer of 64 KiB, whatever the family's size. Without a descriptor it only computes the manifest.
final class ArchiveWriter {
    /// The number of octets that wait before they are written.
    private static let bufferOctets = 65_536

    private let raw: Int32?
    private let modified: Int64
    private(set) var members: [ArchiveManifest.Member] = []

    /// The number of octets of the file that are written or wait in `buffer`.
    private(set) var end = 0
    private var buffer: [UInt8] = []
    private var header = 0
    private var lines: Int64 = 0
    private var digest: SHA256?

    /// - Parameters:
    ///   - raw: an empty file, open for writing; `nil` writes nothing.
    ///   - modified: the time of all files in it, seconds since 1970.
    init(_ raw: Int32?, modified: Int64) {
        self.raw = raw
        self.modified = modified
        buffer.reserveCapacity(2 * Self.bufferOctets)
    }

    /// Begins the next file.
    func begin() throws(ArchiveError) {
        header = end
        lines = 0
        digest = SHA256()
        try append([UInt8](repeating: 0, count: TarHeader.block))
    }

    /// Adds a line to the file.
    ///
    /// - Parameter text: a JSON value. If it contains line breaks (free JSON keeps its white space), the line is a JSON
    ///   string that holds it.
    func line(_ text: [UInt8]) throws(ArchiveError) {
        var line = text
        if text.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            var json = JSONWriter()
            json.string(text)
            line = json.octets
        }
        line.append(0x0A)
        lines += 1
        try content(line)
    }

    /// Adds octets to the file, unchanged.
    func raw(_ octets: UnsafeRawBufferPointer) throws(ArchiveError) { try content(Array(octets)) }

    private func content(_ octets: [UInt8]) throws(ArchiveError) {
        digest?.update(octets)
        try append(octets)
    }

    /// Ends the file.
    ///
    /// - Parameter isListed: whether the manifest names it.
    /// - Returns: its digest in hexadecimal.
    @discardableResult
    func finish(_ name: String, isListed: Bool = true) throws(ArchiveError) -> String {
        guard let digest = digest.take() else { preconditionFailure("a file ends that did not begin") }
        let size = end - header - TarHeader.block
        guard size <= TarHeader.maxSize else { throw .tooLarge(name) }
        let head = TarHeader(name: name, size: size, modified: modified)
        try append([UInt8](repeating: 0, count: head.padding))
        try flush()
        try write(head.encode(), at: header)
        let sha256 = Hex.encode(digest.finish())
        if isListed { members.append(.init(name: name, octets: Int64(size), lines: lines, sha256: sha256)) }
        return sha256
    }

    /// Adds the manifest and the end of the archive, and waits until everything is on stable storage.
    func finish(_ manifest: ArchiveManifest) throws(ArchiveError) {
        try begin()
        try content(manifest.encode())
        try finish(ArchiveManifest.fileName)
        try append([UInt8](repeating: 0, count: 2 * TarHeader.block))
        try flush()
        guard let raw else { return }
        do throws(Errno) { try Files.synchronize(raw) } catch { throw .file(error) }
    }

    private func append(_ octets: [UInt8]) throws(ArchiveError) {
        buffer.append(contentsOf: octets)
        end += octets.count
        if buffer.count >= Self.bufferOctets { try flush() }
    }

    private func flush() throws(ArchiveError) {
        try write(buffer, at: end - buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ octets: [UInt8], at offset: Int) throws(ArchiveError) {
        guard let raw else { return }
        do throws(Errno) { try Files.overwrite(raw, octets, at: offset) } catch { throw .file(error) }
    }
}

@available(*, unavailable)
extension ArchiveWriter: Sendable {}
