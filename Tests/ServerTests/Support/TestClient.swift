import Bytes
import Family
import FrameCheck
import HTTP1
import Posix
import Testing
import WebSocket
import Wire

/// The other end of a connection to a `TestShard`, as rude as a test wants it. Its frames are noted in short words.
final class TestClient {
    private unowned let server: TestShard
    private var socket: FileDescriptor?
    private var decoder = WebSocketDecoder(role: .client, limits: WebSocketLimits(maxMessage: 1 << 26, maxFragments: 1))
    private var isOpen = false
    private var heard: [String] = []
    private var unsent: [UInt8] = []
    /// How messages are compressed where that was offered and granted, and the server's words for it.
    private var deflater: MessageDeflater?
    private(set) var extensions: String?
    /// Whether it compresses what it says.
    var isCompressing = false
    /// Octets that have come.
    private(set) var received = 0
    /// Octets that are no frames: responses.
    private(set) var octets: [UInt8] = []
    /// Of them, those of whole responses.
    private var passed = 0
    private(set) var hasEnded = false
    /// Of the last `token` frame.
    private(set) var token = ""
    /// Of the last `joined` frame.
    private(set) var epoch = ""
    /// Of the last `error` frame.
    private(set) var refusal: Rejection?
    /// Of the welcome.
    private(set) var memberships: [Membership] = []
    /// The code of the last answer to `add_device`.
    private(set) var deviceCode: String?
    /// The last answer to `account` and its like, and to `sign_in_by_name`.
    private(set) var account: AccountAnswer?
    private(set) var signedIn: NameSignedIn?
    private(set) var recovery: RecoveryNotice?
    /// The last `mail_failed`.
    private(set) var mailFailure: MailNotice?
    /// The last `reminder`.
    private(set) var reminder: Reminder?
    /// The last answer to `create_token`.
    private(set) var programToken: ProgramTokenAnswer?
    private(set) var calendars: CalendarList?
    /// The last answer to `sessions` and its like.
    private(set) var sessions: [AccountSession] = []
    /// The last answer to `invite` or `withdraw_invite`.
    private(set) var invite: InviteAnswer?
    /// Whether it answers a close frame, as libraries do.
    var answersClose = true
    /// Whether it takes what the server sends.
    var isReading = true

    init(_ server: TestShard, _ socket: consuming FileDescriptor) {
        self.server = server
        self.socket = consume socket
    }

    private var raw: Int32? {
        switch socket {
        case .some(let open): open.raw
        case .none: nil
        }
    }

    // MARK: Speaking

    /// Sends as the socket takes it; the rest goes with later turns.
    func send(_ octets: [UInt8]) {
        unsent += octets
        flush()
    }

    func send(text: String) { send(Array(text.utf8)) }

    /// One frame.
    func send(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true) {
        var frame: [UInt8] = []
        let deflated = isCompressing && !opcode.isControl ? payload.withUnsafeBytes { deflater?.deflate($0).map { Array($0) } } : nil
        WebSocketEncoder.append(
            opcode, deflated ?? payload, isFinal: isFinal, isCompressed: deflated != nil, maskKey: isMasked ? 0x1234_5678 : nil, to: &frame)
        send(frame)
    }

    /// One text message.
    func say(_ text: String) { send(.text, Array(text.utf8)) }

    func join(_ family: Identifier, _ client: UInt64 = 1, extra: String = "") {
        say("{\"type\":\"join\",\"family\":\"\(family)\",\"client\":\"\(Identifier(high: 7, low: client))\"\(extra)}")
    }

    /// A mutation that makes a message of the given length.
    func mutate(_ number: Int, text: String = "Hi") {
        let id = Identifier(high: UInt64(number), low: UInt64(bitPattern: Int64(ObjectIdentifier(self).hashValue)))
        say(
            "{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[{\"op\":\"create\",\"kind\":\"message\",\"id\":\"\(id)\","
                + "\"fields\":{\"text\":\"\(text)\"}}]}")
    }

    static let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"

    func redeem(_ code: String, nonce: String = TestClient.nonce, name: String = "Gus") {
        say("{\"type\":\"redeem\",\"code\":\"\(code)\",\"nonce\":\"\(nonce)\",\"name\":\"\(name)\"}")
    }

    func leave() { socket = nil }

    /// Ends the stream from this side only.
    func finishSending() throws { if let raw { try Socket.finishSending(raw) } }

    static let request =
        "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: huddle.v1\r\n\r\n"

    static func request(offering extensions: String?) -> String {
        extensions.map { String(decoding: request.utf8.dropLast(2), as: UTF8.self) + "Sec-WebSocket-Extensions: \($0)\r\n\r\n" } ?? request
    }

    /// - Parameter fields: further fields of the request; a `Host` among them takes the place of the usual one.
    func upgrade(offering extensions: String? = nil, fields: [String] = []) throws {
        var request = TestClient.request(offering: extensions)
        if fields.contains(where: { $0.hasPrefix("Host: ") }) { request = request.replacing("Host: a\r\n", with: "") }
        send(text: String(decoding: request.utf8.dropLast(2), as: UTF8.self) + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        try server.until("the upgrade") { try receive(); return isOpen || hasEnded }
        #expect(isOpen)
    }

    // MARK: Hearing

    /// The next received event: "welcome", "error token_unknown", "ack 3", "change 5", "close 1009", "pong", and once nothing more comes "end", or "reset"
    /// when the connection was broken off.
    func next() throws -> String {
        try server.until("something from the server") { try receive(); return !heard.isEmpty }
        return heard.removeFirst()
    }

    /// Skips the events before a word.
    @discardableResult
    func skip(to word: String) throws -> String {
        while true {
            let next = try next()
            if next == word || next.hasPrefix(word + " ") { return next }
            guard next != "end", next != "reset" else { throw Unexpected("the stream ended before '\(word)'") }
        }
    }

    /// Everything up to the end.
    func rest() throws -> [String] {
        var words: [String] = []
        while !["end", "reset"].contains(words.last) { words.append(try next()) }
        return words
    }

    /// The frames so far.
    func soFar() throws -> [String] {
        try receive()
        defer { heard = [] }
        return heard
    }

    /// The status of the response, after the stream has ended.
    func status() throws -> Int {
        #expect(try rest() == ["end"])
        let all = octets
        guard let (head, _) = try ResponseHead.parse(all.span) else { throw Unexpected("no response") }
        return head.status
    }

    private func flush() {
        while let raw, !unsent.isEmpty {
            guard case .done(let count)? = try? unsent.withUnsafeBytes({ all throws(Errno) in try Socket.send(raw, all) }) else { return }
            unsent.removeFirst(count)
        }
    }

    func receive() throws {
        flush()
        guard isReading, !hasEnded, let raw else { return }
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { space.deallocate() }
        while true {
            switch try? Socket.receive(raw, into: space) {
            case .wouldBlock?: return
            case .endOfStream?: return end("end")
            case nil: return end("reset")
            case .done(let count)?:
                received += count
                try take(UnsafeMutableRawBufferPointer(rebasing: space[..<count]))
            }
        }
    }

    private func end(_ how: String) {
        hasEnded = true
        heard.append(how)
    }

    private func take(_ piece: UnsafeMutableRawBufferPointer) throws {
        guard !isOpen else { return try decode(piece) }
        octets += piece
        // Responses before the upgrade are passed over; after one to HEAD, whose length is not that of its content, nothing is understood.
        while let (head, length) = try? ResponseHead.parse(Array(octets[passed...]).span) {
            guard head.status != 101 else {
                isOpen = true
                extensions = head.fields.only("sec-websocket-extensions")
                if extensions != nil {
                    let terms = CompressionTerms(
                        serverKeepsContext: false, clientKeepsContext: false, serverWindowBits: 15, clientWindowBits: 13)
                    decoder.accept(compression: terms)
                    deflater = MessageDeflater(terms, role: .client, threshold: 1, pool: MessagePool())
                }
                var rest = Array(octets[(passed + length)...])
                return try rest.withUnsafeMutableBytes { try decode($0) }
            }
            guard case .length(let count) = head.framing, octets.count - passed >= length + count else { return }
            passed += length + count
        }
    }

    private func decode(_ piece: UnsafeMutableRawBufferPointer) throws {
        decoder.feed(piece)
        while let event = try decoder.next() {
            switch event {
            case .message(_, let payload):
                switch try ServerFrame.decode(payload) {
                case .token(let token, _, _): self.token = token
                case .joined(let joined): epoch = joined.epoch
                case .error(let rejection, _): refusal = rejection
                case .welcome(let welcome): memberships = welcome.memberships
                case .invite(let answer): invite = answer
                case .sessions(let list): sessions = list.sessions
                case .programToken(let answer): programToken = answer
                case .calendars(let list): calendars = list
                case .deviceCode(let answer): deviceCode = answer.code
                case .account(let reply): account = reply.answer
                case .signedIn(let answer): signedIn = answer
                case .recovered(let notice): recovery = notice
                case .mailFailed(let notice): mailFailure = notice
                case .reminder(let one): reminder = one
                default: break
                }
                heard.append(try TestClient.word(payload))
            case .ping: heard.append("ping")
            case .pong: heard.append("pong")
            case .close(let code, _):
                heard.append("close \(code.map { String($0) } ?? "without a code")")
                if answersClose { send(.close, []) }
            }
        }
    }

    private static func word(_ payload: UnsafeRawBufferPointer) throws -> String {
        if FrameSample.isDue, let problem = FrameCheck.problem(payload) { Issue.record("A frame of the server \(problem)") }
        return word(try ServerFrame.decode(payload))
    }

    private static func word(_ frame: ServerFrame) -> String {
        switch frame {
        case .welcome: "welcome"
        case .token: "token"
        case .joined(let joined): "joined \(joined.sequence)"
        case .reset(let reason): "reset \(reason.rawValue)"
        case .snapshot: "snapshot"
        case .snapshotEnd(let sequence, _): "snapshot_end \(sequence)"
        case .change(let change): "change \(change.sequence)"
        case .live(let sequence, _): "live \(sequence)"
        case .checksum(let sequence, _): "checksum \(sequence)"
        case .ack(let ack): "ack \(ack.mutation)"
        case .reject(let mutation, let rejection): "reject \(mutation) \(rejection.code.rawValue)"
        case .upload(let upload): "upload \(upload.state.rawValue)"
        case .presence(let presence): "presence \(presence.connections)"
        case .activity(let one): "activity \(one.activity.action.rawValue)"
        case .pong: "pong"
        case .context: "context"
        case .role(let role): "role \(role.rawValue)"
        case .page: "page"
        case .statistics: "statistics"
        case .history: "history"
        case .digest: "digest"
        case .accessLog: "access_log"
        case .invite(let answer): "invite \(answer.invite.state.rawValue)"
        case .invites(let list): "invites \(list.invites.count)"
        case .membership(let membership): "membership \(membership.name)"
        case .standing(let answer): "standing \(answer.standing.state.rawValue)"
        case .standings(let list): "standings " + list.standings.map(\.state.rawValue).joined(separator: " ")
        case .audit(let page): "audit " + page.entries.map(\.act).joined(separator: " ")
        case .sessions(let list): "sessions \(list.sessions.count)"
        case .programToken: "program_token"
        case .calendars(let list): "calendars \(list.calendars.count)"
        case .deviceCode: "device_code"
        case .account: "account"
        case .deletion: "deletion"
        case .signedIn: "signed_in"
        case .recovered(let notice): "recovered \(notice.way.rawValue)"
        case .mailFailed(let notice): "mail_failed \(notice.kind.rawValue) \(notice.problem.rawValue)"
        case .reminder(let reminder): "reminder \(reminder.state.rawValue) \(reminder.title)"
        case .reminderSeen: "reminder_seen"
        case .signedOut: "signed_out"
        case .drain: "drain"
        case .tagged(let answer, let request): "\(word(answer)) (request \(request))"
        case .error(let rejection, _): "error \(rejection.code.rawValue)"
        case .unknown(let type): "unknown \(type)"
        }
    }
}
