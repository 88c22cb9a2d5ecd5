import Bytes
import Family
import JSON
import Posix
import Reactor
import Store

/// One command of `huddled`'s own, over the Unix socket in the data folder: one JSON object a line in each direction, one command a
/// connection. The socket has mode 0600, so whoever can connect could open the database as well.
final class AdminConnection: Channel {
    /// Octets of a command line; names are the longest part.
    static let maxLine = 65_536

    private unowned let shard: Shard
    private let descriptor: FileDescriptor
    private var registration: Registration?
    private var line: [UInt8] = []
    private let number: UInt64
    private var isAsked = false
    /// Came with the command: the archive that it is about.
    private var file: FileDescriptor?
    /// It takes as long as the family is large.
    private(set) var isTransferring = false
    /// When it came, milliseconds of the reactor's clock.
    let since: Int64

    init(shard: Shard, descriptor: consuming FileDescriptor, number: UInt64) {
        self.shard = shard
        self.descriptor = descriptor
        self.number = number
        since = shard.reactor.now
        super.init()
    }

    func register() throws(Errno) {
        registration = try shard.reactor.add(fd: descriptor.raw, interest: .readable, channel: self)
    }

    override func ready(_ events: ReadyEvents) {
        let buffer = shard.reactor.receiveBuffer
        switch try? Socket.receive(descriptor.raw, into: buffer, descriptor: &file) {
        case .wouldBlock?: return
        case .endOfStream?, nil: end()
        case .done(let count)?:
            guard !isAsked else { return }
            line.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
                if line.count > AdminConnection.maxLine { self.end() }
                return
            }
            isAsked = true
            do throws(JSONError) {
                let request = try AdminRequest.decode(Array(line[..<end]))
                guard case .transfer(let transfer) = request else { return shard.administer(number, request) }
                guard let file = file.take() else { throw .invalid("a command without its archive") }
                isTransferring = true
                shard.transfer(number, transfer, file)
            } catch {
                answer(.failure(Rejection(.badFrame, "This is no command of this version of huddled.")))
            }
        }
    }

    func answer(_ answer: Result<AdminReply, Rejection>) {
        // A few hundred octets into an empty socket buffer: they fit, or the asker is gone.
        let octets = AdminReply.encode(answer) + [UInt8(ascii: "\n")]
        _ = try? octets.withUnsafeBytes { raw throws(Errno) in try Socket.send(descriptor.raw, raw) }
        end()
    }

    func end() {
        guard let registration else { return }
        self.registration = nil
        shard.reactor.remove(registration)
        shard.didEnd(admin: number)
    }
}
