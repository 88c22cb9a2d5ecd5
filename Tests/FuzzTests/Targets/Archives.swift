import Bytes
import Crypto
import Posix
import Tar

@testable import Store

extension FuzzTarget {
    static let archives: [FuzzTarget] = [
        FuzzTarget("tar") { octets in try checkTarHeader(octets) },
        FuzzTarget("archive-row", dictionary: "json") { octets in try checkArchiveRow(octets) },
        FuzzTarget("archive", dictionary: "json") { octets in try checkArchive(octets) },
    ]
}

/// A header that was read is the same after writing and reading it again, and the length after it can be computed.
private func checkTarHeader(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let mends = choices.chance()
    var block = Array((choices.rest() + [UInt8](repeating: 0, count: TarHeader.block)).prefix(TarHeader.block))
    if mends { mend(&block) }
    guard let header = try? TarHeader.decode(block) else { return }
    try hold(!header.name.isEmpty && header.name.utf8.count <= 100, "a name of \(header.name.utf8.count) octets")
    try hold(header.size >= 0 && header.modified >= 0, "a size or time below zero")
    try hold((header.size + header.padding) % TarHeader.block == 0 && header.padding < TarHeader.block, "a padding of \(header.padding)")
    guard header.size <= TarHeader.maxSize, header.modified < 1 << 33 else { return }
    try hold(try TarHeader.decode(header.encode()) == header, "\(header) comes back as another")
}

/// Corrects the checksum, which no fuzzer guesses.
private func mend(_ block: inout [UInt8]) {
    for place in 148..<156 { block[place] = UInt8(ascii: " ") }
    let digits = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    block.replaceSubrange(148..<155, with: Array((String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits).utf8) + [0])
}

/// A line that was read is written unchanged, octet for octet.
private func checkArchiveRow(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let member = choices.pick(ArchiveMember.allCases)
    let line = choices.rest()
    guard let row = try? line.withUnsafeBytes({ try ArchiveRow.decode(member, $0) }) else { return }
    try hold(row.encode() == line, "a line of \(member) comes back as another")
}

/// Files with any names and contents, under a manifest that may or may not describe them: an opened archive is
/// complete, and has its declared number of lines.
private func checkArchive(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let isPrivate = choices.chance()
    let isHonest = choices.chance()
    var names = ArchiveMember.allCases.filter { isPrivate || !$0.isPrivate }.map(\.rawValue)
    if choices.chance() { names.swapAt(choices.below(names.count), choices.below(names.count)) }
    if choices.chance() { names.append(choices.pick(["more.jsonl", names[0], "manifest.json"])) }
    var archive: [UInt8] = []
    var manifest = ArchiveManifest(
        epoch: "e", exportedAt: 1, family: Identifier(high: 1, low: 2), name: "n", createdAt: 1, head: Int64(choices.below(9)), floor: 0,
        isPrivate: isPrivate)
    func add(_ name: String, _ content: [UInt8]) {
        let header = TarHeader(name: name, size: content.count, modified: 1)
        archive += header.encode() + content + [UInt8](repeating: 0, count: header.padding)
    }
    for name in names {
        let content = choices.take(choices.pick([0, 1, 40, 200, 600]))
        add(name, content)
        manifest.members.append(
            .init(
                name: name, octets: Int64(content.count), lines: Int64(content.count { $0 == 0x0A }), sha256: Hex.encode(Digest.sha256(content))))
    }
    add("manifest.json", isHonest ? manifest.encode() : choices.take(400))
    archive += [UInt8](repeating: 0, count: 1_024)
    // The remaining octets damage it.
    while !choices.isEmpty { archive[(choices.below(256) << 8 | choices.below(256)) % archive.count] ^= choices.octet() }
    let folder = try Files.makeTemporaryFolder(prefix: "huddle-fuzz")
    defer { try? Files.removeTree(folder) }
    try Files.write(archive, to: folder + "/a")
    let file = try Files.openForReading(folder + "/a")
    guard let reader = try? ArchiveReader(file.raw) else { return }
    for member in ArchiveMember.allCases {
        var count: Int64 = 0
        do throws(ArchiveError) {
            try reader.lines(member) { line, number throws(ArchiveError) in
                count += 1
                _ = try? ArchiveRow.decode(member, line)
            }
        } catch { continue }
        try hold(count == reader.manifest.lines(member) || count == 0, "\(count) lines of \(member)")
    }
}
