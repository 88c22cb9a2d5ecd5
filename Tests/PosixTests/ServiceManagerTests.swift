import Glibc
import Testing

@testable import Posix

@Suite("The service manager, sd_notify(3)")
struct ServiceManagerTests {
    @Test("The state arrives as one datagram, at a path and in the abstract namespace", arguments: [false, true])
    func notify(isAbstract: Bool) throws {
        let folder = try Files.makeTemporaryFolder()
        defer { try? Files.removeTree(folder) }
        let path = (isAbstract ? "@" : "") + folder + "/notify"
        let raw = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let receiver = FileDescriptor(owning: raw)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var octets = Array(path.utf8)
        if isAbstract { octets[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + octets.count + (isAbstract ? 0 : 1))
        let bound = withUnsafePointer(to: &address) {
            bind(receiver.raw, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), length)
        }
        try #require(bound == 0)
        ServiceManager.notify("READY=1", at: path)
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { space.deallocate() }
        try #require(try Poll.wait(receiver.raw, .readable, timeoutMilliseconds: 10_000) == .readable)
        #expect(try Socket.receive(receiver.raw, into: space) == .done(7))
        #expect(Array(space[..<7]) == Array("READY=1".utf8))
    }

    @Test("A missing manager, no path and a path that is too long are not errors", arguments: ["/nowhere/notify", "notify", "", String(repeating: "/n", count: 60)])
    func nobody(path: String) { ServiceManager.notify("READY=1", at: path) }

    @Test("A manager expects signs of life of the process that it names, in microseconds")
    func watchdog() {
        #expect(ServiceManager.watchdogMilliseconds(time: "30000000", process: nil) == 30_000)
        #expect(ServiceManager.watchdogMilliseconds(time: "30000000", process: "\(getpid())") == 30_000)
        #expect(ServiceManager.watchdogMilliseconds(time: "1", process: nil) == 1)
        for (time, process) in [(nil, nil), ("0", nil), ("-5", nil), ("soon", nil), ("30000000", "1"), ("30000000", "")] as [(String?, String?)] {
            #expect(ServiceManager.watchdogMilliseconds(time: time, process: process) == nil, "\(time ?? "") \(process ?? "")")
        }
    }

    @Test("A descriptor leads to the journal if the manager names its file")
    func journal() throws {
        var pair = try Socket.Pair()
        let descriptor = pair.takeFirst()
        var found = stat()
        try #require(fstat(descriptor.raw, &found) == 0)
        #expect(ServiceManager.isJournal(descriptor.raw, "\(found.st_dev):\(found.st_ino)"))
        for stream in [nil, "", "8:1", "\(found.st_dev):\(found.st_ino + 1)", "\(found.st_ino)"] { #expect(!ServiceManager.isJournal(descriptor.raw, stream)) }
    }

    @Test("A process that was not activated has no sockets")
    func none() { #expect(ServiceManager.takeSockets() == []) }
}
