import Glibc
import Posix
import Testing

@Suite("Errno, FileDescriptor: errors keep their code, descriptors are closed once")
struct ErrnoTests {
    @Test("The error keeps the symbol and sentence of its code, and the failed call")
    func text() {
        let error = Errno(ENOENT, "open")
        #expect(error.name == "ENOENT")
        #expect(error.description == "open: ENOENT (No such file or directory)")
        #expect(error == .noEntry)
        #expect(error != .exists)
        #expect(Errno(EAI_NONAME, "getaddrinfo").text.contains("not known"))
        #expect(Errno(99_999).name == "E99999")
    }

    @Test("Errors of a peer that left differ from those of an exhausted machine")
    func kinds() {
        #expect(Errno(EPIPE).isPeerGone && Errno(ECONNRESET).isPeerGone && !Errno(EMFILE).isPeerGone)
        #expect(Errno(EMFILE).isExhausted && Errno(ENFILE).isExhausted && !Errno(ECONNRESET).isExhausted)
    }

    @Test("A descriptor is closed with its owner, unless it was taken")
    func ownership() throws {
        var pipe = try Pipe()
        let reading = pipe.takeReading().take()
        defer { close(reading) }
        func writeAndClose(_ end: consuming FileDescriptor) throws { try Octets.writeAll(end.raw, [1, 2, 3]) }
        try writeAndClose(pipe.takeWriting())
        var octets = [UInt8](repeating: 0, count: 8)
        let first = try octets.withUnsafeMutableBytes { try Octets.read(reading, into: $0) }
        let second = try octets.withUnsafeMutableBytes { try Octets.read(reading, into: $0) }
        #expect(first == .done(3))
        #expect(second == .endOfStream, "the writing end was closed by dropping it")
    }

    @Test("A duplicate stays open after the first is closed")
    func duplicate() throws {
        var pipe = try Pipe()
        let copy = try pipe.takeWriting().duplicate()
        try Octets.writeAll(copy.raw, [7])
        let reading = pipe.takeReading()
        var octet: UInt8 = 0
        let result = try withUnsafeMutableBytes(of: &octet) { try Octets.read(reading.raw, into: $0) }
        #expect(result == .done(1))
        #expect(octet == 7)
        #expect(fcntl(copy.raw, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("Using a closed descriptor ends the process instead of touching another file")
    func badDescriptor() async {
        await #expect(processExitsWith: .failure) {
            _ = try Octets.write(9_999, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
