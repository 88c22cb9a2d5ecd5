import Posix
import EventLoop

/// Records its calls, and carries out a test's instructions.
final class Recorder: Channel {
    let name: String
    let log: Log
    var whenReady: (Recorder) -> Void = { _ in }

    init(_ name: String, _ log: Log) {
        self.name = name
        self.log = log
        super.init()
    }

    override func ready(_ events: ReadyEvents) {
        log.lines.append("\(name) ready")
        whenReady(self)
    }

    override func timerFired(kind: Int) {
        log.lines.append("\(name) timer \(kind)")
    }
}

final class Log {
    var lines: [String] = []
}

/// A pair of sockets whose two ends stay open.
final class Link {
    let near: FileDescriptor
    let far: FileDescriptor

    init() throws(Errno) {
        var pair = try Socket.Pair()
        near = pair.takeFirst()
        far = pair.takeSecond()
    }

    /// All octets that have arrived at the far end, at most `limit`.
    func receive(limit: Int = .max) throws(Errno) -> [UInt8] {
        var octets: [UInt8] = []
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { space.deallocate() }
        while octets.count < limit {
            let part = UnsafeMutableRawBufferPointer(rebasing: space[..<min(space.count, limit - octets.count)])
            guard case .done(let count) = try Socket.receive(far.raw, into: part) else { break }
            octets.append(contentsOf: part[..<count])
        }
        return octets
    }
}

