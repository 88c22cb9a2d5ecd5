import Bytes
import Family
import Locks
import Posix
import Sessions
import TestSupport
import Testing
import Wire

/// A member of another family who continues to work, and notes how long each change took to be durable.
private final class OtherMember: Sendable {
    private struct Notes {
        var latencies: [Int64] = []
        var failure: String?
    }

    private let notes = Lock(Notes())
    private let isOver = Lock(false)

    /// Works until `finish`, from a thread of its own: the test's waits for nothing but the abuse.
    static func start(_ server: RunningServer, _ demo: Demo) throws -> (OtherMember, Thread) {
        let other = OtherMember()
        let address = try server.address()
        let token = demo.parents[0].token
        let thread = Thread.start(name: "witness") { other.work(address, token) }
        return (other, thread)
    }

    private func work(_ address: ServerAddress, _ token: String) {
        do {
            let client = try LiveClient(address, token)
            try client.waitUntilLive()
            while !isOver.withLock({ $0 }) {
                let start = Clock.monotonicMilliseconds()
                guard case .success = try client.perform(Ask.say("I am still here.")) else { throw Unexpected("refused") }
                let took = Clock.monotonicMilliseconds() - start
                notes.withLock { $0.latencies.append(took) }
                // A family that talks, not a load: the server limits what one session may do in a second.
                _ = try Poll.wait(-1, .readable, timeoutMilliseconds: 20)
            }
        } catch {
            notes.withLock { $0.failure = "\(error)" }
        }
    }

    /// Lets it do three more changes, so that a short abuse is witnessed too.
    ///
    /// - Returns: milliseconds of each change.
    func finish(_ thread: Thread) throws -> [Int64] {
        let seen = notes.withLock { $0.latencies.count }
        let deadline = Clock.monotonicMilliseconds() + 30_000
        while notes.withLock({ $0.failure == nil && $0.latencies.count < seen + 3 }), Clock.monotonicMilliseconds() < deadline {
            _ = try Poll.wait(-1, .readable, timeoutMilliseconds: 5)
        }
        isOver.withLock { $0 = true }
        thread.join()
        let notes = notes.withLock { $0 }
        if let failure = notes.failure { throw Unexpected("the witness was hurt: \(failure)") }
        return notes.latencies.sorted()
    }
}

@Suite("Abuse of the running server, RFC 9112, RFC 6455", .serialized, .lane(.terminals))
struct AbuseTests {
    /// Of a change of the witness, milliseconds: the machine that runs tests does other things as well.
    static let patience: Int64 = 3_000

    /// Plays the cases while another family works, then looks that nothing is left of them.
    ///
    /// - Parameter isSecure: at the port that speaks TLS.
    private func play(_ cases: [AbuseCase], isSecure: Bool = false) throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path)
        let certificates = try CertificateFolder()
        let server = try RunningServer(folder.path, options: isSecure ? certificates.options : [])
        let before = try server.descriptors()
        let (other, thread) = try OtherMember.start(server, demo)
        let problems = try AbuseRun.play(cases, port: isSecure ? server.securePort : server.port)
        let latencies = try other.finish(thread)
        #expect(problems == [], "\(problems.joined(separator: "\n"))")
        #expect(latencies.count >= 3 && latencies.last ?? .max < Self.patience, "the witness waited \(latencies.suffix(3)) ms")
        // The server may linger for two seconds over what it refused.
        let deadline = Clock.monotonicMilliseconds() + 10_000
        while try server.descriptors() > before {
            guard Clock.monotonicMilliseconds() < deadline else {
                Issue.record("\(try server.descriptors()) descriptors are open, \(before) were before")
                return
            }
            _ = try Poll.wait(-1, .readable, timeoutMilliseconds: 50)
        }
    }

    @Test("malformed requests get their status and the end")
    func requests() throws { try play(AbuseCase.requests) }

    @Test("malformed frames get their close code and the end")
    func frames() throws { try play(AbuseCase.frames) }

    @Test("A client that sends too little for too long is cut; one that leaves at any octet leaves nothing behind")
    func time() throws { try play(AbuseCase.drips + AbuseCase.departures) }

    @Test("Octets that are not TLS get an alert and the end, plain HTTP an answer; renegotiation is refused")
    func secure() throws {
        try play(AbuseCase.secure, isSecure: true)
        // Python's ssl cannot ask for it; the program that comes with the library can ("R" on its input).
        let folder = try TemporaryFolder()
        _ = try Demo(in: folder.path)
        let certificates = try CertificateFolder()
        let server = try RunningServer(folder.path, options: certificates.options)
        let script = "(sleep 1; echo R; sleep 2; echo Q) | openssl s_client -tls1_2 -connect 127.0.0.1:\(server.securePort) 2>&1"
        let answer = try Programs.run("/bin/sh", ["-c", script])
        #expect(answer.output.contains("Protocol  : TLSv1.2") && answer.output.contains("RENEGOTIATING"), "\(answer.output.suffix(400))")
        #expect(answer.output.contains("no renegotiation"), "\(answer.output.suffix(400))")
        try server.stop()
    }

    @Test("A client that lets a TLS handshake wait is cut; one that leaves it at any octet leaves nothing behind")
    func secureTime() throws { try play(AbuseCase.secureDrips, isSecure: true) }

    @Test("a member who floods is limited, refused and at last closed; the others continue")
    func floods() throws {
        let (_, demo, server) = try Demo.served()
        let (other, thread) = try OtherMember.start(server, demo)
        // Refusals: joined nowhere, asks again and again.
        let client = try RawClient(server)
        _ = try client.signIn(demo.athletes[0].token)
        for _ in 0..<4_000 { client.send(.context(.all)) }
        let (frames, code) = try client.rest()
        #expect(code == CloseCode.policyViolation.rawValue)
        #expect(frames.count >= Limits().refusals && frames.count < 4_000)
        // Connections of one member.
        var crowd: [RawClient] = []
        for _ in 0..<Limits().connectionsPerMember {
            let one = try RawClient(server)
            try one.enter(demo.athletes[1].token, demo.family, client: Ask.id())
            crowd.append(one)
        }
        let last = try RawClient(server)
        _ = try last.signIn(demo.athletes[1].token)
        last.send(.join(Join(family: demo.family, client: Ask.id())))
        #expect(try last.rest().code == CloseCode.tooManyConnections.rawValue)
        let latencies = try other.finish(thread)
        #expect(latencies.last ?? .max < Self.patience, "the witness waited \(latencies.suffix(3)) ms")
        for one in crowd { one.leave() }
    }
}
