import Commands
import JSON
import Posix
import Sessions
import Sync
import Wire

/// A list that is shown again whenever it has changed: `huddle events --watch`. With `--json` it prints one object per
/// state.
struct ListWatch {
    /// Milliseconds after which the list is checked although nothing happened: a day may have ended, which changes
    /// `--upcoming`.
    private static let look: Int64 = 60_000

    private let invocation: Invocation
    private let setting: Setting

    init(_ invocation: Invocation, _ setting: Setting) {
        self.invocation = invocation
        self.setting = setting
    }

    /// Runs until SIGINT or SIGTERM, or until nobody reads the output.
    func run() throws -> ExitStatus {
        let handled = [Signals.interrupt, Signals.terminate]
        Signals.block(handled)
        let signals = try SignalDescriptor(handled)
        let room = try JoinedRoom(setting, timeout: invocation.timeout, isQuiet: false)
        defer { room.leave() }
        try room.enter(context: invocation.context)
        var shown: [UInt8]?
        var saidOffline = false
        while true {
            if room.session.engine.phase == .live {
                saidOffline = false
                let printer = Printer(gathers: true)
                try OneShot(invocation, setting, printer).show(room.session.engine)
                if printer.output != shown {
                    guard try print(printer.output, isFirst: shown == nil, room.session.engine) else { return .done }
                    shown = printer.output
                }
            } else if !saidOffline, room.session.engine.phase == .offline {
                saidOffline = true
                Standard.write(error: "huddle: \(room.session.lastFailure ?? "offline") Trying again.\n")
            }
            // Of the output, only the loss of its reader is of interest.
            var items = [Poll.Item(signals.raw, .readable), Poll.Item(Standard.output, [])]
            let deadline = Clock.monotonicMilliseconds() + Self.look
            _ = try room.idle(until: deadline, &items)
            if items.contains(where: { $0.ready != [] }) { return .done }
        }
    }

    /// - Returns: false if nobody reads the output any more.
    private func print(_ octets: [UInt8], isFirst: Bool, _ engine: borrowing SyncEngine) throws -> Bool {
        guard invocation.isJSON else {
            // On a terminal the new list replaces the last one; otherwise it follows it.
            let before = Standard.isTerminal(Standard.output) ? "\u{1B}[H\u{1B}[2J" : isFirst ? "" : "\n"
            return try Output.write(Array(before.utf8) + octets)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seq")
        writer.integer(engine.cursor?.sequence ?? 0)
        writer.endObject()
        // The records as they are printed without --watch, one per line.
        let records = octets.split(separator: UInt8(ascii: "\n")).joined(separator: [UInt8(ascii: ",")])
        return try Output.write(json: writer.octets.dropLast() + Array(",\"records\":[".utf8) + Array(records) + Array("]}".utf8))
    }
}
