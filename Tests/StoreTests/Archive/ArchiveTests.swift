import Blobs
import Bytes
import Crypto
import Family
import Ledger
import Posix
import SQLite
@testable import Store
import Tar
import TestSupport
import Testing
import Wire

/// Archives in a folder of the test's own.
private final class ArchiveFolder {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Exports a family and gives the archive's octets.
    func export(_ world: World, _ family: Identifier, isPrivate: Bool = true) throws -> [UInt8] {
        let path = folder.path + "/export.tar"
        let file = try Files.create(path)
        _ = try world.reader.export(family, to: file.raw, blobs: BlobFolder(path: world.blobsPath), isPrivate: isPrivate).get()
        return try Files.read(path)
    }

    /// Imports an archive directly into the store, as a command without a server does.
    func load(
        _ octets: [UInt8], into world: World, onStep: (Int) throws(ArchiveError) -> Void = { _ in }
    ) throws -> Result<(ArchiveManifest, ImportOutcome), ArchiveError> {
        let path = folder.path + "/import.tar"
        try Files.write(octets, to: path)
        let file = try Files.openForReading(path)
        var step = 0
        return try FamilyArchive.read(file.raw, reader: world.reader, blobs: BlobFolder(path: world.blobsPath)) { part throws(ArchiveError) in
            if case .abandon = part {} else { try onStep(step) }
            step += 1
            let refusal: Rejection?
            do throws(StoreFailure) { refusal = try world.store.perform(part) } catch { throw .stopped }
            if let refusal { throw .refused(refusal) }
        }
    }
}

/// The files of an archive, read by the test's own code.
private func unpack(_ archive: [UInt8]) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var offset = 0
    while let header = try TarHeader.decode(Array(archive[offset..<offset + 512])) {
        files[header.name] = Array(archive[offset + 512..<offset + 512 + header.size])
        offset += 512 + header.size + header.padding
    }
    return files
}

private func pack(_ files: [(String, [UInt8])]) -> [UInt8] {
    files.flatMap { name, octets in
        let header = TarHeader(name: name, size: octets.count, modified: 0)
        return header.encode() + octets + [UInt8](repeating: 0, count: header.padding)
    } + [UInt8](repeating: 0, count: 1_024)
}

/// The names of an archive's files in their order.
private func order(_ files: [String: [UInt8]]) -> [String] {
    ArchiveMember.allCases.map(\.rawValue) + files.keys.filter { $0.hasPrefix("blobs/") }.sorted() + [ArchiveManifest.fileName]
}

/// An archive with some files changed and a manifest that agrees with them, as an attacker would write it.
private func forge(_ archive: [UInt8], manifest: (inout ArchiveManifest) -> Void = { _ in }, _ change: (inout [String: [UInt8]]) -> Void) throws -> [UInt8] {
    var files = try unpack(archive)
    change(&files)
    var forged = try ArchiveManifest.decode(files[ArchiveManifest.fileName] ?? [])
    for index in forged.members.indices {
        let octets = files[forged.members[index].name] ?? []
        forged.members[index].octets = Int64(octets.count)
        forged.members[index].lines = Int64(octets.count { $0 == 0x0A })
        forged.members[index].sha256 = Hex.encode(Digest.sha256(octets))
    }
    manifest(&forged)
    files[ArchiveManifest.fileName] = forged.encode()
    return pack(order(files).compactMap { name in files[name].map { (name, $0) } })
}

@Suite("Archive of a family: export and import", .bothEngines)
struct ArchiveTests {
    @Test("A compacted family is restored from its archive, and there, too, old changes cannot be undone, nor old bases merged")
    func compacted() throws {
        let world = try World()
        let home = try world.home()
        let event = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: try world.athlete(home), name: "First"))
        let renamed = try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("Second")]))
        try world.mutate(home, home.parent, update(.event, event, base: 2, ["city": .text("Waco")]))
        world.surroundings.now += 366 * Surroundings.day
        try world.purge()
        #expect(try world.stored { engine in
            var forgotten = 0
            try engine.history.forEach(family: 1) { if $0.before == FormerValues.forgotten { forgotten += 1 } }
            return forgotten
        } == 2)
        let archives = try ArchiveFolder()
        let archive = try archives.export(world, home.family)
        let other = try World(seed: 2)
        other.surroundings.now = world.surroundings.now
        _ = try archives.load(archive, into: other).get()
        #expect(try other.snapshot(home).records == world.snapshot(home).records)
        // The receipts came along, so the numbers of this client continue where they ended.
        try other.mutate(home, home.parent, message(other.newID(), "Hi"), mutation: 1_000)
        for place in [world, other] {
            #expect(try place.undo(home, home.parent, try #require(renamed.sequence)).code == .purged)
            let stale = update(.event, event, base: 1, merge: .disjoint, ["url": .text("https://a.example")])
            #expect(try place.mutate(home, home.parent, stale).code == .conflict)
        }
    }

    @Test("export, import elsewhere, export: equal octet for octet but for the database's name and the time", arguments: 1...6 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 2) else { return }
        let archives = try ArchiveFolder()
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        try family.live(steps: 150)
        #expect(family.accepted > 40, "seed \(seed)")
        // Some deleted records are gone, and later changes exist.
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().records > 0, "seed \(seed)")
        try family.live(steps: 20)
        let first = try archives.export(world, family.home.family)

        let other = try World(seed: seed + 1_000)
        // Snapshots leave out records deleted long ago.
        other.surroundings.now = world.surroundings.now
        // Another family is there already, and their keys must not collide.
        _ = try other.home("Neighbours")
        let (manifest, outcome) = try archives.load(first, into: other).get()
        #expect(outcome == .imported)
        #expect(manifest.family == family.home.family)
        let second = try archives.export(other, family.home.family)
        let (before, after) = (try unpack(first), try unpack(second))
        #expect(before.keys.sorted() == order(before).sorted())
        for name in ArchiveMember.allCases.map(\.rawValue) { #expect(before[name] == after[name], "seed \(seed): \(name)") }
        var (old, new) = (try ArchiveManifest.decode(before["manifest.json"] ?? []), try ArchiveManifest.decode(after["manifest.json"] ?? []))
        #expect(old.epoch != new.epoch, "cursors of the old place must not be trusted at the new one")
        (old.epoch, new.epoch) = ("", "")
        (old.exportedAt, new.exportedAt) = (0, 0)
        #expect(old == new)

        // The same when read, not only when written.
        #expect(try other.snapshot(family.home).records == world.snapshot(family.home).records)
        #expect(try other.log(family.home) == world.log(family.home))
    }

    @Test("a family continues after an import: the earlier sequence, versions and receipts count")
    func goesOn() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 3)
        let home = try world.home()
        let athlete = try world.athlete(home)
        let rice = world.newID()
        let sent = world.proposal(home, home.parent, [school(rice, "Rice")])
        let answer = try world.commit(sent)
        try world.mutate(home, home.parent, update(.school, rice, base: 1, ["location": .text("Houston")]))
        let archive = try archives.export(world, home.family)

        let other = try World(seed: 4)
        _ = try archives.load(archive, into: other).get()
        // exactly-once holds across the move: a mutation whose answer was lost is answered as it was.
        let again = try other.commit(sent)
        #expect(again.frame == answer.frame)
        #expect(again.change == nil)
        let head = try #require(try world.log(home).last).sequence
        let next = try other.mutate(home, home.parent, update(.school, rice, base: 2, ["location": .text("Waco")]), mutation: 90)
        #expect(next.sequence == head + 1)
        #expect(next.versions == [3])
        // no lost update: a value that was written at the old server is a contested field.
        let stale = try other.mutate(home, home.parent, update(.school, rice, base: 1, ["location": .text("Dallas")]), mutation: 91)
        #expect(stale.code == .conflict)
        // A new session for a former member; the athlete's age was in the archive, so they may have one.
        let signIn = try other.signIn(athlete)
        #expect(signIn.memberships.map(\.family) == [home.family])
    }

    @Test("without private data there are no birth dates and consents in the archive, and no athlete gets a login by it")
    func withoutPrivate() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 5)
        let home = try world.home()
        let athlete = try world.athlete(home, born: "2010-05-05")
        let archive = try archives.export(world, home.family, isPrivate: false)
        #expect(try unpack(archive)["private.jsonl"] == nil)
        #expect(!String(decoding: archive, as: UTF8.self).contains("2010-05-05"))
        let other = try World(seed: 6)
        _ = try archives.load(archive, into: other).get()
        let refusal = #expect(throws: Rejection.self) { try other.store.perform(.token(member: athlete)).0.get() }
        #expect(refusal?.code == .notAllowed)
    }

    @Test("tokens, sessions and invites are in no archive")
    func noSecrets() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 7)
        let home = try world.home()
        guard case .token(let session) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        let code = try #require(try world.invite(home, .parent).code)
        let text = String(decoding: try archives.export(world, home.family), as: UTF8.self)
        for secret in [session.token, code, Hex.encode(Digest.sha256(Array(session.token.utf8)))] { #expect(!text.contains(secret)) }
    }

    @Test("nothing of another family is in the archive")
    func isolated() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 8)
        let mine = try world.home("Alder")
        let theirs = try world.home("Birchmark")
        try world.mutate(theirs, theirs.parent, message(world.newID(), "birch words"))
        let text = String(decoding: try archives.export(world, mine.family), as: UTF8.self)
        for word in ["Birchmark", "birch words", "\(theirs.family)", "\(theirs.parent)"] { #expect(!text.contains(word), "\(word)") }
    }

    @Test("a family that is here already and equals the archive stays unchanged, and the command reports that")
    func alreadyHere() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 9)
        let home = try world.home()
        let archive = try archives.export(world, home.family)
        #expect(try archives.load(archive, into: world).get().1 == .alreadyHere)
        try world.mutate(home, home.parent, message(world.newID(), "One more"))
        guard case .failure(.refused(let rejection)) = try archives.load(archive, into: world) else { throw Unexpected() }
        #expect(rejection.code == .alreadyExists)
        #expect(rejection.message == "This family already exists and differs from the archive. Nothing was changed.")
        #expect(try world.log(home).count == 2)
    }
}

@Suite("Archive of a family: refusals", .bothEngines)
struct ArchiveRefusalTests {
    private func sample() throws -> (archives: ArchiveFolder, archive: [UInt8]) {
        let archives = try ArchiveFolder()
        let world = try World(seed: 11)
        var family = try RandomFamily(world, seed: 11)
        try family.live(steps: 60)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try family.live(steps: 20)
        let content = Array("Grades of spring".utf8)
        var document = world.document(family.home, family.athlete, octets: Int64(content.count))
        document.file.sha256 = try BlobFolder(path: world.blobsPath).put(content, family: family.home.family).sha256
        try world.add(document)
        let archive = try archives.export(world, family.home.family)
        let files = try unpack(archive)
        for member in ArchiveMember.allCases where member != .accesses { try #require(files[member.rawValue]?.isEmpty == false, "\(member)") }
        return (archives, archive)
    }

    /// Imports into a new database and checks that nothing is left there.
    private func refusal(_ archives: ArchiveFolder, _ octets: [UInt8], _ what: String = "this") throws -> ArchiveError {
        let world = try World(seed: 12)
        guard case .failure(let error) = try archives.load(octets, into: world) else {
            Issue.record("\(what) was imported")
            return .notAnArchive
        }
        for table in ["families", "records", "log", "history", "clients", "receipts", "purged", "access_log", "memberships", "imports", "blobs"] {
            #expect(try world.count(table) == 0, "\(table) after \(error)")
        }
        return error
    }

    @Test("an archive that was cut short, at any block")
    func partial() throws {
        let (archives, archive) = try sample()
        for end in stride(from: 512, to: archive.count - 1_024, by: 512 * 7) {
            let error = try refusal(archives, Array(archive[..<end]))
            #expect([.partial, .notAnArchive].contains(error), "\(end): \(error)")
        }
        #expect(try refusal(archives, []) == .notAnArchive)
        #expect(try refusal(archives, Array("Not an archive at all".utf8)) == .notAnArchive)
    }

    @Test("one octet changed anywhere in the content")
    func tampered() throws {
        let (archives, archive) = try sample()
        var random = SplitMix64(seed: 21)
        var refused = 0
        for _ in 0..<60 {
            var octets = archive
            let place = Int.random(in: 0..<archive.count - 1_024, using: &random)
            // Padding between the files has no meaning.
            guard octets[place] != 0 else { continue }
            octets[place] ^= 0x04
            _ = try refusal(archives, octets)
            refused += 1
        }
        #expect(refused > 30)
    }

    @Test("a newer form, with the way out")
    func newer() throws {
        let (archives, archive) = try sample()
        var files = try unpack(archive)
        let text = String(decoding: files["manifest.json"] ?? [], as: UTF8.self).replacing(
            "\"version\":\(ArchiveManifest.version)", with: "\"version\":\(ArchiveManifest.version + 1),\"more\":{}")
        files["manifest.json"] = Array(text.utf8)
        let error = try refusal(archives, pack(order(files).compactMap { name in files[name].map { (name, $0) } }))
        #expect(error == .newer(3))
        #expect(error.sentence == "This archive was written by a newer Huddle (format 3, this program knows 2): install the newer program to import it.")
    }

    @Test("files that are missing, doubled or unknown")
    func files() throws {
        let (archives, archive) = try sample()
        let files = try unpack(archive)
        func packed(_ names: [String]) -> [UInt8] { pack(names.map { ($0, files[$0] ?? Array("x".utf8)) }) }
        let order = order(files)
        for name in order { _ = try refusal(archives, packed(order.filter { $0 != name })) }
        _ = try refusal(archives, packed(order + ["records.jsonl"]))
        #expect(try refusal(archives, packed(["../../etc/passwd"] + order)) == .changed("../../etc/passwd"))
    }

    @Test("content that agrees with its manifest and makes no family: nothing traps and nothing is left")
    func forged() throws {
        let (archives, archive) = try sample()
        func lines(_ files: [String: [UInt8]], _ name: String) -> [[UInt8]] {
            (files[name] ?? []).split(separator: 0x0A).map { Array($0) + [0x0A] }
        }
        // A line less, a line twice, a line that is not JSON, one with a member too many, one of another file.
        for member in ArchiveMember.allCases where member != .accesses {
            let name = member.rawValue
            let edits: [([[UInt8]]) -> [[UInt8]]] = [
                { Array($0.dropFirst()) }, { $0 + ($0.first.map { [$0] } ?? []) }, { $0 + [Array("nonsense\n".utf8)] },
                { [Array("{\"more\":1,".utf8) + ($0.first ?? []).dropFirst()] + $0.dropFirst() }, { $0 + [Array("{\"member\":1}\n".utf8)] },
            ]
            for (number, edit) in edits.enumerated() {
                let forged = try forge(archive) { files in files[name] = edit(lines(files, name)).flatMap { $0 } }
                // The first client may have no answer, and a person may have no data: those are whole families.
                if number == 0, ![.records, .log, .history, .purged, .files].contains(member) { continue }
                _ = try refusal(archives, forged, "edit \(number) of \(name)")
            }
        }
        _ = try refusal(archives, try forge(archive, manifest: { $0.head += 1 }) { _ in })
        _ = try refusal(archives, try forge(archive, manifest: { $0.floor = $0.head + 1 }) { _ in })
        _ = try refusal(archives, try forge(archive, manifest: { $0.family = Identifier(high: 1, low: 2) }) { _ in })
        _ = try refusal(archives, try forge(archive) { $0["records.jsonl"] = [] })
        // One value of one record, of the log, of history, a version, a count: all are well formed and wrong.
        for (name, from, to) in [
            ("records.jsonl", "\"name\":\"", "\"name\":\"X"), ("records.jsonl", "\"version\":1,", "\"version\":2,"), ("log.jsonl", "\"name\":\"", "\"name\":\"X"),
            ("log.jsonl", "\"messages\":0", "\"messages\":1"), ("history.jsonl", "\"version\":2", "\"version\":99"),
        ] {
            let forged = try forge(archive) { files in
                var text = String(decoding: files[name] ?? [], as: UTF8.self)
                if let place = text.firstRange(of: from) { text.replaceSubrange(place, with: to) }
                files[name] = Array(text.utf8)
            }
            guard case .inconsistent = try refusal(archives, forged, "\(from) in \(name)") else { throw Unexpected() }
        }
    }
}

@Suite("Archive of a family: lies about the size of a file", .bothEngines)
struct LyingArchiveTests {
    /// The sources of the file's length: two documents that have it, each in its record and its row of the log, and the list of files.
    private struct Tellers: OptionSet, CustomStringConvertible {
        let rawValue: Int
        static let first = Tellers(rawValue: 1), second = Tellers(rawValue: 2), list = Tellers(rawValue: 4)
        var description: String { "\(contains(.first)) \(contains(.second)) \(contains(.list))" }
    }

    @Test(
        "in one, some or all of the sources: refused before anyone sees the family, whatever the number",
        arguments: [Int64(0), 15, 17, -16, 16 + 1 << 32, .max, .min])
    func sizes(lie: Int64) throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 31)
        let home = try world.home()
        let leo = try world.athlete(home)
        let content = Array("Grades of spring".utf8)
        for _ in 0..<2 {
            var document = world.document(home, leo, octets: Int64(content.count))
            document.file.sha256 = try BlobFolder(path: world.blobsPath).put(content, family: home.family).sha256
            try world.add(document)
        }
        let archive = try archives.export(world, home.family)
        for rawValue in 0..<8 {
            let liars = Tellers(rawValue: rawValue)
            let forged = try forge(archive) { files in
                for (name, tellers) in [("records.jsonl", [Tellers.first, .second]), ("log.jsonl", [.first, .second]), ("files.jsonl", [.list])] {
                    let text = String(decoding: files[name] ?? [], as: UTF8.self).split(separator: "\"octets\":16", omittingEmptySubsequences: false)
                    #expect(text.count == tellers.count + 1, "\(name)")
                    var told = ""
                    for (part, teller) in zip(text, tellers) { told += part + "\"octets\":" + (liars.contains(teller) ? "\(lie)" : "16") }
                    files[name] = Array((told + (text.last ?? "")).utf8)
                }
            }
            let place = try World(seed: 32)
            switch try archives.load(forged, into: place) {
            case .success: #expect(liars.isEmpty, "\(liars) lied, and it was imported")
            case .failure(let error):
                #expect(!liars.isEmpty, "\(error)")
                for table in ["families", "records", "log", "blobs", "imports"] {
                    #expect(try place.count(table) == 0, "\(table) after \(error)")
                }
            }
        }
    }

    @Test("an entry of the archive with another size than the file, and one file under the name of another")
    func entries() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 33)
        let home = try world.home()
        let leo = try world.athlete(home)
        var names: [String] = []
        for content in [Array("Grades of spring".utf8), Array("Grades of autumn".utf8)] {
            var document = world.document(home, leo, octets: Int64(content.count))
            document.file.sha256 = try BlobFolder(path: world.blobsPath).put(content, family: home.family).sha256
            try world.add(document)
            names.append("blobs/" + document.file.sha256)
        }
        let archive = try archives.export(world, home.family)
        let edits: [(inout [String: [UInt8]]) -> Void] = [
            { $0[names[0]]?.removeLast() }, { $0[names[0]]?.append(0) }, { $0[names[0]] = [] },
            { files in (files[names[0]], files[names[1]]) = (files[names[1]], files[names[0]]) },
            { files in files[names[0]] = files[names[1]] },
        ]
        for (number, edit) in edits.enumerated() {
            let place = try World(seed: 34)
            guard case .failure = try archives.load(try forge(archive, edit), into: place) else {
                Issue.record("edit \(number) was imported")
                continue
            }
            #expect(try place.count("families") == 0 && place.count("imports") == 0)
        }
        guard case .success = try archives.load(try forge(archive) { _ in }, into: World(seed: 35)) else { throw Unexpected() }
    }
}

@Suite("Archive of a family: visible all together or not at all", .bothEngines)
struct ArchiveAtomicityTests {
    @Test("an import that ends at any step, by a refusal or a kill, leaves nothing, and the next one succeeds")
    func killed() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 13)
        var family = try RandomFamily(world, seed: 13)
        try family.live(steps: 60)
        let archive = try archives.export(world, family.home.family)
        var steps = 0
        let whole = try World(seed: 14)
        _ = try archives.load(archive, into: whole, onStep: { _ in steps += 1 }).get()
        #expect(steps >= 6)
        for last in 0..<steps {
            for isDeath in [false, true] {
                let other = try World(seed: 15)
                other.surroundings.now = world.surroundings.now
                let neighbours = try other.home("Neighbours")
                if isDeath {
                    // The work of the process when it ended: the steps before, and nothing after.
                    struct Died: Error {}
                    var count = 0
                    let path = archives.folder.path + "/import.tar"
                    try Files.write(archive, to: path)
                    let file = try Files.openForReading(path)
                    _ = try FamilyArchive.read(file.raw, reader: other.reader, blobs: BlobFolder(path: other.blobsPath)) { part throws(ArchiveError) in
                        guard count < last else { throw .stopped }
                        count += 1
                        do throws(StoreFailure) { _ = try other.store.perform(part) } catch { throw .stopped }
                    }
                    #expect(try other.reader.families(named: "\(family.home.family)").isEmpty)
                    try other.reopen()
                } else {
                    let result = try archives.load(archive, into: other) { step throws(ArchiveError) in if step == last { throw .stopped } }
                    #expect(throws: ArchiveError.stopped) { try result.get() }
                }
                #expect(try other.count("records") == 2, "step \(last)")
                #expect(try other.count("log") == 1)
                #expect(try other.count("imports") == 0)
                #expect(try other.log(neighbours).count == 1)
                _ = try archives.load(archive, into: other).get()
                #expect(try other.snapshot(family.home).records == world.snapshot(family.home).records)
            }
        }
    }

    @Test("until it is finished nobody sees a family, a member or a name, and others continue in the meantime")
    func unseen() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 16)
        var family = try RandomFamily(world, seed: 16)
        try family.live(steps: 40)
        let archive = try archives.export(world, family.home.family)
        let other = try World(seed: 17)
        other.surroundings.now = world.surroundings.now
        let neighbours = try other.home("Neighbours")
        _ = try archives.load(archive, into: other) { step throws(ArchiveError) in
            do {
                #expect(try other.reader.families(named: "\(family.home.family)").isEmpty, "step \(step)")
                guard case .failure(let refusal) = try other.store.perform(.token(member: family.home.parent)).0 else { throw Unexpected() }
                #expect(refusal.code == .notFound)
                try other.mutate(neighbours, neighbours.parent, message(other.newID(), "step \(step)"))
                // A family that is made in the meantime does not get the key of the one that is coming.
                _ = try other.home("Born at \(step)")
            } catch {
                Issue.record("\(error)")
            }
        }.get()
        #expect(try other.snapshot(family.home).records == world.snapshot(family.home).records)
        #expect(try other.reader.families(named: "\(family.home.family)") == [family.home.family])
    }

    @Test("a member of the archive who is a member of another family here stops the import")
    func sameMember() throws {
        let archives = try ArchiveFolder()
        let world = try World(seed: 18)
        let home = try world.home()
        let archive = try archives.export(world, home.family)
        let other = try World(seed: 18)
        // The same seed makes the same ids: as if the folder had been copied and the family then renamed.
        let twin = try other.home()
        try #require(twin.family == home.family)
        let refused = try forge(archive, manifest: { $0.family = Identifier(high: 9, low: 9) }) { files in
            for name in ["records.jsonl", "log.jsonl"] {
                let text = String(decoding: files[name] ?? [], as: UTF8.self)
                files[name] = Array(text.replacing("\(home.family)", with: "\(Identifier(high: 9, low: 9))").utf8)
            }
        }
        guard case .failure(.refused(let rejection)) = try archives.load(refused, into: other) else { throw Unexpected() }
        #expect(rejection.code == .alreadyExists)
    }
}
