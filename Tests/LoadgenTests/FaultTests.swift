import Bytes
import Family
import HTTP1
import JSON
import Posix
import Testing
import WebSocket
import Wire

@testable import loadgen

/// The fault of the fake server with every tenth message.
enum Fault: String, CaseIterable, Sendable {
    case none
    case loseChange
    case doubleChange
    case swapChanges
    case skipSequence
    case loseAck
    case doubleAck
    case reject
    case wrongFamily
    case close
}

/// A server for one connection that answers as Huddle does, but for one planted fault.
private struct FakeServer: Sendable {
    let port: UInt16
    private let thread: Posix.Thread

    init(_ fault: Fault) throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
        let raw = listener.take()
        thread = Posix.Thread.start(name: "fake") {
            let listener = FileDescriptor(owning: raw)
            try? FakeServer.serve(listener.raw, fault)
        }
    }

    func join() { thread.join() }

    private static func serve(_ listener: Int32, _ fault: Fault) throws {
        guard try Poll.wait(listener, .readable, timeoutMilliseconds: 10_000) != [] else { return }
        guard let socket = try Socket.accept(on: listener) else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { buffer.deallocate() }
        var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 1))
        var session = FakeSession(fault)
        var head: [UInt8]? = []
        while try Poll.wait(socket.raw, .readable, timeoutMilliseconds: 10_000) != [] {
            guard case .done(let count) = try Socket.receive(socket.raw, into: buffer) else { return }
            var octets = Array(buffer[..<count])
            if head != nil {
                head?.append(contentsOf: octets)
                guard let all = head, let (request, length) = try RequestHead.parse(all.span) else { continue }
                try Socket.sendAll(socket.raw, try WebSocketHandshake.accept(request, subprotocols: ["huddle.v1"]).response)
                octets = Array(all[length...])
                head = nil
            }
            let (answers, isOver) = try octets.withUnsafeMutableBytes { lent in
                decoder.feed(lent)
                var answers: [ServerFrame] = []
                var isOver = false
                while let event = try decoder.next() {
                    switch event {
                    case .message(_, let payload): answers += session.answer(try ClientFrame.decode(payload, limits: Limits()))
                    case .close: isOver = true
                    case .ping, .pong: break
                    }
                }
                return (answers, isOver)
            }
            for answer in answers { try Socket.sendAll(socket.raw, WebSocketEncoder.frame(.text, answer.encode())) }
            if isOver || session.isOver { return }
        }
    }
}

private struct FakeSession {
    let fault: Fault
    var isOver = false
    private var sequence: Int64 = 7
    private var held: ServerFrame?

    init(_ fault: Fault) { self.fault = fault }

    mutating func answer(_ frame: ClientFrame) -> [ServerFrame] {
        switch frame {
        case .signIn: return [.welcome(Welcome(server: "fake", time: 0, memberships: [], limits: Limits()))]
        case .join: return [.live(sequence: sequence)]
        case .mutation(let id, .operations(let operations), _): return answer(id, operations)
        default: return []
        }
    }

    private mutating func answer(_ id: Int64, _ operations: [Operation]) -> [ServerFrame] {
        // One, early: after the last one nothing would come that a held change could follow.
        let isBad = id == 7
        if isBad, fault == .reject { return [.reject(mutation: id, Rejection(.familyFull, "The family is full."))] }
        if isBad, fault == .close {
            isOver = true
            return []
        }
        sequence += isBad && fault == .skipSequence ? 2 : 1
        let ack = ServerFrame.ack(Ack(mutation: id, sequence: sequence, records: []))
        let change = ServerFrame.change(
            Change(sequence: sequence, at: 0, member: SeedNames.family(0), client: nil, mutation: id, entries: entries(operations, isBad)))
        var answers = [ack, change]
        if isBad {
            switch fault {
            case .loseChange: answers = [ack]
            case .doubleChange: answers = [ack, change, change]
            case .loseAck: answers = [change]
            case .doubleAck: answers = [ack, ack, change]
            case .swapChanges:
                held = change
                answers = [ack]
            default: break
            }
        } else if let late = held {
            held = nil
            answers.append(late)
        }
        return answers
    }

    private func entries(_ operations: [Operation], _ isBad: Bool) -> [ChangeEntry] {
        operations.map { operation in
            var fields = Fields(operation.kind)
            if case .create(_, let patch) = operation.action {
                for assignment in patch.assignments { fields[assignment.field] = assignment.value }
            }
            if isBad, fault == .wrongFamily { fields["text"] = fields.text("text").map { .text(FakeSession.moved($0)) } }
            return ChangeEntry(kind: operation.kind, id: operation.id, version: 1, effect: .create(athlete: nil, fields: fields))
        }
    }

    /// The same text with a token of family 1.
    private static func moved(_ text: String) -> String {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        parts[2] = "1"
        return parts.joined(separator: ":")
    }
}

@Suite("Planted faults", .serialized)
struct FaultTests {
    @Test("each fault is found, and nothing else", arguments: Fault.allCases)
    func found(_ fault: Fault) throws {
        let server = try FakeServer(fault)
        // Where everything comes in the end, the run ends with it; only what never comes is waited for in vain.
        let comesLate = [.none, .doubleChange, .swapChanges, .skipSequence, .doubleAck, .reject].contains(fault)
        let plan = try MutatePlan([
            "--server", "127.0.0.1:\(server.port)", "--window", "4", "--warmup", "0", "--duration", "0.3", "--drain", comesLate ? "20" : "0.1",
        ])
        let report = try MutateRun(plan: plan).run()
        server.join()
        let expected: Set<String> =
            switch fault {
            case .none: []
            case .loseChange: ["lost", "sequence_missing"]
            case .doubleChange: ["duplicated", "sequence_repeated"]
            case .swapChanges: ["out_of_order", "sequence_missing", "sequence_repeated"]
            case .skipSequence: ["sequence_missing"]
            case .loseAck: ["unanswered"]
            case .doubleAck: ["unexpected_answers"]
            case .reject: ["rejected"]
            case .wrongFamily: ["strays", "lost"]
            case .close: ["closed_early", "unanswered", "lost"]
            }
        #expect(Set(report.faults.filter { $0.count > 0 }.map { $0.name.description }) == expected, "\(report.text)")
        #expect(report.isFaultless == (fault == .none))
        // A server that closes at the seventh has answered six, and four are under way.
        #expect(report.sent >= 10)
    }
}
