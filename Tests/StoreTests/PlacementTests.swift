import Bytes
import CFaultVFS
import Family
import Posix
import SQLite
import Store
import StoreSQLite
import TestSupport
import Testing
import Wire

/// A database under its mark, stopped and started like a server's.
private final class MarkedDatabase {
    let folder: TemporaryFolder
    let surroundings = Surroundings()
    private(set) var store: FamilyStore?
    private var home: World.Home?
    private var names = 0

    var database: String { folder.path + "/huddle.db" }
    var mark: String { folder.path + "/huddle.mark" }

    init() throws {
        folder = try TemporaryFolder()
        try start()
    }

    /// - Returns: the epoch.
    @discardableResult
    func start() throws -> String {
        let store = try FamilyStore(path: database, environment: surroundings.environment, mark: mark)
        self.store = store
        return store.epoch
    }

    /// One change more.
    func change() throws {
        names += 1
        _ = try store?.perform(.createFamily(name: "Family \(names)", zone: "UTC", parent: "Ana"))
    }

    /// As after SIGTERM.
    func stop() throws {
        try store?.stop()
        store = nil
    }

    /// As after `kill -9`: the database is closed, but nothing is said of it.
    func kill() { store = nil }

    func copy(_ name: String, to other: String) throws {
        try Files.write(try Files.read(folder.path + "/" + name), to: folder.path + "/" + other)
    }

    /// As `cp` does it: into the file that is there.
    func overwrite(_ name: String, with other: String) throws {
        let file = try Files.create(folder.path + "/" + name)
        try Files.overwrite(file.raw, try Files.read(folder.path + "/" + other), at: 0)
    }
}

@Suite("Epoch, guarantees.md: a backup that was put back gets a new one")
struct PlacementTests {
    @Test("a restart keeps the epoch, after a stop and after a kill, with changes and without")
    func restart() throws {
        let marked = try MarkedDatabase()
        let epoch = try #require(marked.store?.epoch)
        try marked.change()
        for _ in 0..<3 {
            try marked.stop()
            #expect(try marked.start() == epoch)
            #expect(marked.store?.epochRenewal == nil)
            marked.kill()
            #expect(try marked.start() == epoch)
            try marked.change()
            marked.kill()
            #expect(try marked.start() == epoch)
            try marked.change()
        }
    }

    @Test("a copy that was made while stopped and put back as a new file gets a new epoch, even without a change in between")
    func copied() throws {
        let marked = try MarkedDatabase()
        try marked.change()
        let epoch = marked.store?.epoch
        try marked.stop()
        try marked.copy("huddle.db", to: "backup")
        try marked.copy("backup", to: "huddle.db")
        #expect(try marked.start() != epoch)
        #expect(marked.store?.epochRenewal == "the file is a copy")
        // Once: from now on it is the database of this folder.
        let renewed = marked.store?.epoch
        try marked.stop()
        #expect(try marked.start() == renewed)
    }

    @Test("an older copy written over the file in place gets a new epoch, after a stop and after a kill", arguments: [true, false])
    func overwritten(stops: Bool) throws {
        let marked = try MarkedDatabase()
        try marked.change()
        let epoch = marked.store?.epoch
        try marked.stop()
        try marked.copy("huddle.db", to: "backup")
        try marked.start()
        try marked.change()
        if stops { try marked.stop() } else { marked.kill() }
        try marked.overwrite("huddle.db", with: "backup")
        #expect(try marked.start() != epoch)
        #expect(marked.store?.epochRenewal == "it is older than the last confirmed change")
    }

    @Test("database and mark written over together, as a restored folder, get a new epoch")
    func folder() throws {
        let marked = try MarkedDatabase()
        try marked.change()
        let epoch = marked.store?.epoch
        try marked.stop()
        try marked.copy("huddle.db", to: "backup")
        try marked.copy("huddle.mark", to: "backup-mark")
        try marked.start()
        try marked.change()
        try marked.stop()
        try marked.overwrite("huddle.db", with: "backup")
        try marked.overwrite("huddle.mark", with: "backup-mark")
        #expect(try marked.start() != epoch)
        #expect(marked.store?.epochRenewal == "the file was changed while no server had it")
    }

    @Test("a database without a mark, or with one that cannot be read, gets a new epoch; a new one has nothing to renew",
        arguments: [nil, "", "row=1"])
    func unmarked(content: String?) throws {
        let marked = try MarkedDatabase()
        #expect(marked.store?.epochRenewal == nil)
        try marked.change()
        let epoch = marked.store?.epoch
        try marked.stop()
        try Files.remove(marked.mark)
        if let content { try Files.write(Array(content.utf8), to: marked.mark) }
        #expect(try marked.start() != epoch)
        #expect(marked.store?.epochRenewal == "there is no mark beside it")
    }

    @Test("a mark that a power cut left behind does not matter: it is never ahead")
    func behind() throws {
        let marked = try MarkedDatabase()
        try marked.change()
        try marked.copy("huddle.mark", to: "early-mark")
        let epoch = marked.store?.epoch
        try marked.change()
        marked.kill()
        try marked.copy("early-mark", to: "huddle.mark")
        #expect(try marked.start() == epoch)
    }

    @Test("a client's cursor from before the restore gets `reset` with `epoch_changed`")
    func cursors() throws {
        let marked = try MarkedDatabase()
        let store = try #require(marked.store)
        guard case .family(let home) = try store.perform(.createFamily(name: "Rivera", zone: "UTC", parent: "Ana")).0.get(),
            case .token(let token) = try store.perform(.token(member: home.member)).0.get()
        else { throw Unexpected() }
        let cursor = Cursor(epoch: Cursor.epoch(of: home.family, database: store.epoch), sequence: 1)
        let client = Identifier(high: 1, low: 1)
        func resume() throws -> JoinState.Resume {
            let reader = try StoreReader(path: marked.database, environment: marked.surroundings.environment)
            let person = try #require(try reader.signIn(token: token.token)).person
            guard case .joined(let state) = try reader.join(person: person, Join(family: home.family, client: client, cursor: cursor))
            else { throw Unexpected() }
            return state.resume
        }
        try marked.stop()
        try marked.copy("huddle.db", to: "backup")
        try marked.start()
        #expect(try resume() == .changes(after: 1))
        try marked.change()
        try marked.stop()
        try marked.copy("backup", to: "huddle.db")
        try marked.start()
        #expect(try resume() == .reset(.epochChanged))
    }
}

@Suite("Durable, guarantees.md: what a killed server left unsynced", .serialized)
struct StartTests {
    /// The process dies at operation n, or right after a sync failed there; the next one starts, shows what it has, and the power fails.
    @Test("the epoch of a start is on stable storage before it is shown", arguments: [false, true])
    func shownIsDurable(syncFails: Bool) throws {
        let disk = FaultDisk()
        var losses: [String] = []
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            if syncFails {
                faultvfs_fail_at(disk.name, operation, 10 | 4 << 8, 1)
            } else {
                faultvfs_crash_at(disk.name, operation, FAULTVFS_KILL, 0)
            }
            let surroundings = Surroundings()
            var store: FamilyStore?
            do {
                store = try FamilyStore(path: "huddle.db", vfs: disk.name, environment: surroundings.environment)
                for number in 1...12 {
                    _ = try store?.perform(.createFamily(name: "Family \(number)", zone: "UTC", parent: "Ana"))
                    if number % 5 == 0 { _ = try store?.truncateLog() }
                }
            } catch {
                #expect(error.message != "")
            }
            let isLast = faultvfs_crashed(disk.name) == 0 && faultvfs_failures(disk.name) == 0
            // Dead before it can close the database in good order.
            faultvfs_crash_now(disk.name, FAULTVFS_KILL, 0)
            store = nil
            #expect(faultvfs_restart(disk.name) == 0)
            let shown = try families(disk, surroundings)
            faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 0)
            #expect(faultvfs_restart(disk.name) == 0)
            let left = try families(disk, surroundings)
            if left < shown { losses.append("operation \(operation): \(shown) were shown, \(left) are left") }
            if isLast { break }
            operation += 1
        }
        #expect(losses.isEmpty, "\(losses.count): \(losses.prefix(3))")
        #expect(operation > 40)
    }

    private func families(_ disk: FaultDisk, _ surroundings: Surroundings) throws -> Int64 {
        let world = try disk.world(surroundings)
        return try world.query("SELECT count(*) FROM families")
    }
}
