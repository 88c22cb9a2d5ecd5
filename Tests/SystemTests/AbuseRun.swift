import Posix
import TestSupport
import Testing

/// Plays all cases at the same time, each on a connection of its own, and judges the result of each.
struct AbuseRun {
    private final class Player {
        let abuse: AbuseCase
        var socket: FileDescriptor?
        var steps: [AbuseCase.Step]
        var unsent: [UInt8] = []
        var heard: [UInt8] = []
        var hasEnded = false
        /// Monotonic milliseconds of the next step.
        var next: Int64 = 0

        init(_ abuse: AbuseCase, _ socket: consuming FileDescriptor) {
            self.abuse = abuse
            self.socket = consume socket
            steps = abuse.steps.reversed()
        }
    }

    /// Longer than any timer of the server's, by far.
    static let patience: Int64 = 40_000

    /// - Returns: what was wrong, a sentence a case.
    static func play(_ cases: [AbuseCase], port: UInt16) throws -> [String] {
        var players: [Player] = []
        for abuse in cases { players.append(Player(abuse, try Socket.connectTCP(host: "127.0.0.1", port: port))) }
        for player in players { if let raw = player.socket?.raw { try Socket.setBlocking(raw, false) } }
        let deadline = Clock.monotonicMilliseconds() + patience
        while true {
            let now = Clock.monotonicMilliseconds()
            for player in players { try advance(player, now) }
            let waiting = players.filter { !isDone($0) }
            guard !waiting.isEmpty, now < deadline else { break }
            var items = waiting.map { Poll.Item($0.socket?.raw ?? -1, $0.unsent.isEmpty ? .readable : [.readable, .writable]) }
            let next = waiting.filter { !$0.steps.isEmpty && $0.unsent.isEmpty }.map(\.next).min() ?? now + 1_000
            _ = try Poll.wait(&items, timeoutMilliseconds: Int(max(0, min(next - now, 1_000))))
            for (player, item) in zip(waiting, items) where !item.ready.isDisjoint(with: [.readable, .hungUp, .failed]) { receive(player) }
        }
        return players.compactMap { player in problem(player).map { "\(player.abuse.name): \($0)" } }
    }

    private static func isDone(_ player: Player) -> Bool {
        if player.socket == nil || player.hasEnded { return true }
        switch player.abuse.outcome {
        case .answer(let octets): return player.heard.holds(octets)
        // The connection may continue.
        case .status: return player.heard.starts(with: Array("HTTP/1.1 2".utf8))
        default: return false
        }
    }

    private static func advance(_ player: Player, _ now: Int64) throws {
        while let raw = player.socket?.raw, !player.hasEnded {
            if !player.unsent.isEmpty {
                // A client that is refused while it still sends is not at fault here: the received answer counts.
                guard let sent = try? player.unsent.withUnsafeBytes({ try Socket.send(raw, $0) }) else {
                    player.unsent = []
                    player.steps = []
                    return
                }
                guard case .done(let count) = sent else { return }
                player.unsent.removeFirst(count)
                continue
            }
            guard now >= player.next, let step = player.steps.popLast() else { return }
            switch step {
            case .send(let octets): player.unsent = octets
            case .pause(let milliseconds): player.next = now + milliseconds
            case .drip(let octets, let every, let times):
                player.unsent = octets
                player.next = now + every
                if times > 1 { player.steps.append(.drip(octets, every: every, times: times - 1)) }
            case .finish: try? Socket.finishSending(raw)
            case .cut:
                try? Socket.resetWhenClosed(raw)
                player.socket = nil
            }
        }
    }

    private static func receive(_ player: Player) {
        guard let raw = player.socket?.raw else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        do {
            switch try buffer.withUnsafeMutableBytes({ try Socket.receive(raw, into: $0) }) {
            case .done(let count): player.heard += buffer[..<count]
            case .endOfStream: player.hasEnded = true
            case .wouldBlock: break
            }
        } catch { player.hasEnded = true }
        if player.hasEnded { player.socket = nil }
    }

    // MARK: Judging

    private static func problem(_ player: Player) -> String? {
        let text = String(decoding: player.heard.prefix(80), as: UTF8.self)
        switch player.abuse.outcome {
        case .nothing: return nil
        case .end: return player.hasEnded ? nil : "the stream did not end, heard \(text)"
        case .alert(let wanted):
            // A record of type 21 and two octets: how bad it is, and why (RFC 8446 §5.1, §6). The octets before it are the server's hello.
            guard player.heard.count >= 7, player.heard.suffix(7).starts(with: [21, 3]) else {
                return "no alert, heard \(player.heard.count) octets: \(player.heard.suffix(7))"
            }
            guard let description = player.heard.last, wanted.contains(description) else { return "wanted alert \(wanted), heard \(player.heard.suffix(7))" }
            return player.hasEnded ? nil : "the stream did not end after the alert"
        case .answer(let octets): return player.heard.holds(octets) ? nil : "no answer among \(player.heard.count) octets: \(text)"
        case .status(let wanted):
            let status = text.hasPrefix("HTTP/1.1 ") ? Int(text.dropFirst(9).prefix(3)) : nil
            guard let status, wanted.contains(status) else { return "wanted \(wanted), heard \(text)" }
            return player.hasEnded || status < 300 ? nil : "\(status), but the stream did not end"
        case .close(let wanted, let other):
            guard let frames = frames(player.heard) else { return "no upgrade, or frames that are none: \(text)" }
            guard let last = frames.last, last.opcode == 8 else {
                return "no close frame, \(frames.count) frames, \(player.hasEnded ? "ended" : "open")"
            }
            let code = last.payload.count >= 2 ? UInt16(last.payload[0]) << 8 | UInt16(last.payload[1]) : nil
            guard code == wanted || (other != nil && code == other) else {
                return "wanted close \(wanted.map(String.init) ?? "without a code"), heard \(code.map(String.init) ?? "none")"
            }
            return player.hasEnded ? nil : "the stream did not end after the close"
        }
    }

    /// The server's frames behind its 101, all whole and unmasked; `nil` when it is anything else.
    static func frames(_ octets: [UInt8]) -> [(opcode: UInt8, payload: [UInt8])]? {
        let end = Array("\r\n\r\n".utf8)
        guard octets.starts(with: Array("HTTP/1.1 101 ".utf8)),
            let head = octets.indices.first(where: { octets[$0...].starts(with: end) })
        else { return nil }
        var position = head + 4
        var frames: [(opcode: UInt8, payload: [UInt8])] = []
        while position < octets.count {
            guard position + 2 <= octets.count, octets[position + 1] & 0x80 == 0 else { return nil }
            var length = Int(octets[position + 1])
            var start = position + 2
            if length == 126 {
                guard start + 2 <= octets.count else { return nil }
                length = Int(octets[start]) << 8 | Int(octets[start + 1])
                start += 2
            } else if length == 127 {
                guard start + 8 <= octets.count else { return nil }
                length = octets[start..<start + 8].reduce(0) { $0 << 8 | Int($1) }
                start += 8
            }
            guard start + length <= octets.count else { return nil }
            frames.append((octets[position] & 0x0F, Array(octets[start..<start + length])))
            position = start + length
        }
        return frames
    }
}
