import Bytes
import Family
import JSON
import Posix
import EventLoop
import Store

/// One command of `huddled` itself, over the Unix socket in the data folder: one JSON object per line in each
/// direction, one command per connection. The socket has mode 0600, so a user who can connect could open the database
/// as well.
final class AdminConnection: Channel {
    /// The largest number of octets of a command line; names are its longest part.
    static let maxLine = 65_536

    private let reactor: Reactor
    private let descriptor: FileDescriptor
    private var registration: Registration?
    private var line: [UInt8] = []
    private var isAsked = false
    /// The archive of the command.
    private var file: FileDescriptor?
    /// Whether the command is a transfer, which takes longer for a larger family.
    var isTransferring = false
    /// When the connection was accepted, milliseconds of the reactor's clock.
    let since: Int64
    /// Called once, with the command; the answer comes later.
    private let asked: (AdminRequest, AdminConnection) -> Void
    private let ended: () -> Void

    init(
        reactor: Reactor, descriptor: consuming FileDescriptor, asked: @escaping (AdminRequest, AdminConnection) -> Void, ended: @escaping () -> Void
    ) {
        self.reactor = reactor
        self.descriptor = descriptor
        self.asked = asked
        self.ended = ended
        since = reactor.now
        super.init()
    }

    func register() throws(Errno) {
        registration = try reactor.add(fd: descriptor.raw, interest: .readable, channel: self)
    }

    override func ready(_ events: ReadyEvents) {
        let buffer = reactor.receiveBuffer
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
                asked(request, self)
            } catch {
                refuse()
            }
        }
    }

    /// Takes the archive that came with the command; `nil` if none came.
    func takeFile() -> FileDescriptor? { file.take() }

    /// Answers a line that is not a command.
    func refuse() { answer(.failure(Rejection(.badFrame, "This is not a command of this version of huddled."))) }

    func answer(_ answer: Result<AdminReply, Rejection>) {
        // A few hundred octets into an empty socket buffer: they fit, or the peer has disconnected.
        let octets = AdminReply.encode(answer) + [UInt8(ascii: "\n")]
        _ = try? octets.withUnsafeBytes { raw throws(Errno) in try Socket.send(descriptor.raw, raw) }
        end()
    }

    func end() {
        guard let registration else { return }
        self.registration = nil
        reactor.remove(registration)
        ended()
    }
}
