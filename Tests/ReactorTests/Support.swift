import Posix
import Reactor

/// Writes down what it is called for, and does what a test tells it to.
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

/// A pair of sockets whose ends are both kept open.
final class Link {
    let near: FileDescriptor
    let far: FileDescriptor

    init() throws(Errno) {
        var pair = try Socket.Pair()
        near = pair.takeFirst()
        far = pair.takeSecond()
    }

    /// Everything that has arrived at the far end, at most `limit` octets.
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

/// A small seeded generator, so that a failing run can be run again.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
