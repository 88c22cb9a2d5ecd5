import Arguments
import Bytes
import Commands
import Family
import JSON
import Posix
import Sessions
import Sync
import Wire
import Words

/// `huddle watch`: prints every change as it happens, one per line, across restarts of the server.
enum WatchCommand {
    static func run(_ since: WatchStart?, _ invocation: Invocation, _ setting: Setting) throws -> ExitStatus {
        Signals.block([Signals.interrupt, Signals.terminate])
        let signals = try SignalDescriptor([Signals.interrupt, Signals.terminate])
        // In words, a change names records, so these must be present; as JSON, the log is enough.
        var configuration = setting.configuration(family: setting.familyIdentifier, holdsRecords: !invocation.isJSON)
        switch since {
        case nil: break
        case .sequence(let sequence)?: configuration.resumeAfter = sequence
        case .cursor(let epoch, let sequence)?: configuration.cursor = Cursor(epoch: epoch, sequence: sequence)
        }
        if since != nil { configuration.holdsRecords = false }
        let session = try ClientSession(setting.address, configuration)
        session.start()
        defer { session.leave() }
        var saidOffline = false
        while true {
            // Of the output, only the loss of its reader is of interest.
            var items = [Poll.Item(signals.raw, .readable), Poll.Item(Standard.output, [])]
            let events = try session.turn(waitingFor: &items)
            if items.contains(where: { $0.ready != [] }) { return .done }
            for event in events {
                switch event {
                case .notice(.change(let change, _)):
                    guard try print(change, session, invocation.isJSON) else { return .done }
                case .notice(.reset(let reason)):
                    guard try printReset(reason, session, invocation.isJSON) else { return .done }
                case .notice(.offline):
                    if !saidOffline { Standard.write(error: "huddle: \(session.lastFailure ?? "offline") Trying again.\n") }
                    saidOffline = true
                case .notice(.live): saidOffline = false
                case .stopped(.familyUnclear(let memberships)):
                    guard let family = setting.family(among: memberships) else { throw ProgramFailure(.familyUnclear(memberships)) }
                    session.choose(family)
                case .stopped(let reason): throw ProgramFailure(reason)
                case .notice, .changed, .replaced: break
                }
            }
        }
    }

    /// - Returns: false if nobody reads the output any more.
    private static func print(_ change: Change, _ session: ClientSession, _ isJSON: Bool) throws -> Bool {
        guard isJSON else {
            let clock = LocalClock(zone: session.engine.timeZone)
            let text = ChangeText(RecordNames(session.engine)) { clock.time($0, now: Clock.wallMilliseconds()) }
            var lines = text.lines(change) { session.engine.record($0) }
            for entry in change.entries where entry.kind == .message {
                if case .create = entry.effect, let record = session.engine.record(entry.id) { lines.append(text.message(record)) }
            }
            return try lines.isEmpty || Output.write(lines.joined(separator: "\n") + "\n")
        }
        // The received frame with the epoch, so that a line contains everything that `--since` needs.
        let frame = ServerFrame.change(change).encode()
        let head = Array("{\"type\":\"change\",".utf8)
        precondition(frame.starts(with: head), "a change frame begins with its type")
        var writer = JSONWriter(appendingTo: head + Array("\"epoch\":".utf8))
        writer.string(session.engine.cursor?.epoch ?? "")
        return try Output.write(json: writer.octets + [UInt8(ascii: ",")] + frame[head.count...])
    }

    private static func printReset(_ reason: ResetReason?, _ session: ClientSession, _ isJSON: Bool) throws -> Bool {
        let word = reason?.rawValue ?? "cursor_ahead"
        return Standard.write(
            output: isJSON ? "{\"type\":\"reset\",\"reason\":\"\(word)\"}\n" : "(changes are missing here: \(word))\n")
    }
}
