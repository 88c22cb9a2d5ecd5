import Glibc
import Posix
import TestSupport
import Testing

@Suite("Files: whole contents, exact modes, one holder of a folder")
struct FilesTests {
    @Test("A written file reads back with its mode, and no temporary file remains", arguments: [0, 1, 65_536, 200_001])
    func roundTrip(size: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        let octets = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.write(octets, to: path, mode: 0o640)
        #expect(try Files.read(path) == octets)
        let status = try #require(try Files.status(path))
        #expect(status.kind == .file && status.size == size && status.mode == 0o640)
        #expect(abs(status.modified - Clock.wallMilliseconds()) < 60_000)
        try Files.write([9], to: path)
        #expect(try Files.read(path) == [9])
        #expect(try Files.list(folder.path) == ["file"])
    }

    @Test("A new file is written completely or not at all, replaces no file, and leaves no temporary file")
    func new() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file.csv"
        let octets = (0..<200_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.writeNew(octets, to: path)
        #expect(try Files.read(path) == octets && Files.status(path)?.mode == 0o600)
        #expect(failure { () throws(Errno) in try Files.writeNew([1], to: path) } == .exists)
        #expect(try Files.read(path) == octets)
        #expect(failure { () throws(Errno) in try Files.writeNew([1], to: folder.path + "/none/file") } == .noEntry)
        #expect(try Files.list(folder.path) == ["file.csv"])
    }

    @Test("A name that is not UTF-8 is found by what a person sees of it: read, renamed, saved beside, removed; two that look the same are not guessed")
    func names() throws {
        let folder = try TemporaryFolder()
        func raw(_ octets: [UInt8]) -> [CChar] { (Array((folder.path + "/").utf8) + octets + [0]).map { CChar(bitPattern: $0) } }
        let inner: [UInt8] = [0x64, 0xE9]
        #expect(mkdir(raw(inner), 0o700) == 0)
        let file = Glibc.open(raw(inner + Array("/f".utf8) + [0xE9] + Array(".pdf".utf8)), O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0 && Glibc.write(file, "abc", 3) == 3)
        close(file)
        let path = folder.path + "/d\u{FFFD}/f\u{FFFD}.pdf"
        #expect(try Files.list(folder.path + "/d\u{FFFD}") == ["f\u{FFFD}.pdf"])
        #expect(Files.exists(path) && !Files.exists(folder.path + "/x\u{FFFD}"))
        #expect(try Files.status(path)?.size == 3)
        #expect(try Files.read(path) == Array("abc".utf8))
        #expect(try Files.status(folder.path + "/d\u{FFFD}/other\u{FFFD}") == nil)
        try Files.writeNew([1], to: folder.path + "/d\u{FFFD}/new.csv")
        try Files.write([2], to: folder.path + "/d\u{FFFD}/new.bin")
        #expect(try Files.list(folder.path + "/d\u{FFFD}") == ["f\u{FFFD}.pdf", "new.bin", "new.csv"])
        // A second name that looks the same.
        let other = Glibc.open(raw(inner + Array("/f".utf8) + [0xFF] + Array(".pdf".utf8)), O_WRONLY | O_CREAT, 0o600)
        #expect(other >= 0)
        close(other)
        #expect(failure { () throws(Errno) in _ = try Files.read(path) } == .noEntry)
        #expect(unlink(raw(inner + Array("/f".utf8) + [0xFF] + Array(".pdf".utf8))) == 0)
        try Files.rename(path, to: folder.path + "/plain.pdf")
        #expect(try Files.read(folder.path + "/plain.pdf") == Array("abc".utf8))
        try Files.remove(folder.path + "/d\u{FFFD}/new.csv")
        #expect(try Files.list(folder.path + "/d\u{FFFD}") == ["new.bin"])
        // The folder goes by octets: removing trees follows no guess.
        #expect(unlink(raw(inner + Array("/new.bin".utf8))) == 0 && rmdir(raw(inner)) == 0)
    }

    @Test("A file at the limit is read, one octet more is refused")
    func limit() throws {
        let folder = try TemporaryFolder()
        try Files.write([1, 2, 3], to: folder.path + "/f")
        #expect(try Files.read(folder.path + "/f", limit: 3).count == 3)
        #expect(failure { () throws(Errno) in _ = try Files.read(folder.path + "/f", limit: 2) } == .tooBig)
    }

    @Test("A file whose size the kernel does not report is read to its end")
    func unknownSize() throws {
        #expect(try Files.read("/proc/self/stat").count > 20)
    }

    @Test("A missing file is reported, and removing it is not an error")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/none"
        #expect(failure { () throws(Errno) in _ = try Files.read(path) } == .noEntry)
        #expect(try Files.status(path) == nil)
        #expect(try Files.status(path + "/below") == nil)
        #expect(!Files.exists(path) && Files.exists(folder.path))
        try Files.remove(path)
        try Files.removeTree(path)
    }

    @Test("Folders are created with their parents, and a second time without harm")
    func folders() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a/b/c"
        try Files.makeFolders(path)
        #expect(try Files.status(path) != nil)
        #expect(try Files.status(folder.path + "/a")?.mode == 0o700)
        #expect(try !Files.makeFolder(path))
        #expect(try Files.makeFolder(folder.path + "/open", mode: 0o777))
        #expect(try Files.status(folder.path + "/open")?.mode == 0o777)
        try Files.write([], to: folder.path + "/file")
        #expect(failure { () throws(Errno) in _ = try Files.makeFolder(folder.path + "/file") } == .exists)
        try Files.removeTree(folder.path + "/a")
        #expect(try Files.list(folder.path) == ["file", "open"])
    }

    @Test("Removing a tree removes links, not their targets")
    func links() throws {
        let folder = try TemporaryFolder()
        try Files.makeFolder(folder.path + "/kept")
        try Files.write([1], to: folder.path + "/kept/file")
        try Files.makeFolder(folder.path + "/gone")
        #expect(symlink(folder.path + "/kept", folder.path + "/gone/link") == 0)
        try Files.removeTree(folder.path + "/gone")
        #expect(try Files.list(folder.path + "/kept") == ["file"])
        #expect(!Files.exists(folder.path + "/gone"))
    }

    @Test("A folder has one holder at a time, and is free when the holder ends")
    func lock() throws {
        let folder = try TemporaryFolder()
        func hold() throws {
            let lock = try Files.lock(folder: folder.path)
            #expect(failure { () throws(Errno) in _ = try Files.lock(folder: folder.path) } == .locked)
            withExtendedLifetime(lock) {}
        }
        try hold()
        _ = try Files.lock(folder: folder.path)
    }

    @Test("A lock ends with its holder, also while a child that was forked and not yet executed has a copy of it")
    func lockOutlivesNoHolder() throws {
        let folder = try TemporaryFolder()
        // The descriptor of a lock is nobody's business, so the test finds it as the kernel names it.
        func copyOfLock() throws -> FileDescriptor {
            let lock = try Files.lock(folder: folder.path)
            defer { withExtendedLifetime(lock) {} }
            let descriptors = try Files.list("/proc/self/fd").compactMap(Int32.init)
            let locked = descriptors.filter { Files.resolved("/proc/self/fd/\($0)") == Files.resolved(folder.path) }
            let copy = fcntl(try #require(locked.first), F_DUPFD_CLOEXEC, 0)
            return FileDescriptor(owning: copy)
        }
        let copy = try copyOfLock()
        _ = try Files.lock(folder: folder.path)
        withExtendedLifetime(copy) {}
    }

    @Test("A child does not inherit the lock on a folder")
    func lockIsNotInherited() throws {
        let folder = try TemporaryFolder()
        func startWhileHolding() throws -> ChildProcess {
            let lock = try Files.lock(folder: folder.path)
            defer { withExtendedLifetime(lock) {} }
            return try ChildProcess.start(["cat"], input: .piped)
        }
        let child = try startWhileHolding()
        _ = try Files.lock(folder: folder.path)
        child.closeInput()
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
    }

    @Test("Appending adds at the end, creating empties")
    func append() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        for octet in [1, 2] as [UInt8] {
            let file = try Files.openForAppending(path)
            try Octets.writeAll(file.raw, [octet])
        }
        #expect(try Files.read(path) == [1, 2])
        _ = try Files.create(path)
        #expect(try Files.read(path) == [])
        try Files.rename(path, to: path + "2")
        #expect(try Files.list(folder.path) == ["log2"])
        #expect(try Files.freeSpace(folder.path) > 0)
    }

    @Test("An own file is opened for updating, with its content; a link, a second name, a pipe and a folder are not")
    func own() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        do {
            guard let made = try Files.openOwn(path) else { return #expect(Bool(false), "a new file is one's own") }
            try Files.overwrite(made.raw, [1, 2, 3], at: 0)
        }
        #expect(try Files.status(path)?.mode == 0o600)
        do {
            guard let again = try Files.openOwn(path) else { return #expect(Bool(false), "it is still one's own") }
            #expect(try Files.read(again.raw, at: 0, count: 9) == [1, 2, 3])
        }
        #expect(symlink(path, folder.path + "/link") == 0 && link(path, folder.path + "/second") == 0 && mkfifo(folder.path + "/pipe", 0o600) == 0)
        try Files.makeFolder(folder.path + "/folder")
        #expect(symlink(folder.path + "/nowhere", folder.path + "/dangling") == 0)
        for name in ["link", "second", "file", "pipe", "folder", "dangling"] {
            let isOpened = try Files.openOwn(folder.path + "/" + name) != nil
            #expect(!isOpened, "\(name)")
        }
        #expect(!Files.exists(folder.path + "/nowhere"))
    }
}
