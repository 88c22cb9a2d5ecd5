import Arguments
import Bytes
import Commands
import Family
import JSON
import Posix
import Sessions
import Sync
import Terminal
import Wire
import Words

/// `huddle batch`: commands from standard input, one per line, over one connection.
struct BatchCommand {
    private let invocation: Invocation
    private let setting: Setting
    private let isAtomic: Bool
    private let stops: Bool

    init(_ invocation: Invocation, _ setting: Setting, isAtomic: Bool, stops: Bool) {
        self.invocation = invocation
        self.setting = setting
        self.isAtomic = isAtomic
        self.stops = stops
    }

    /// - Returns: the status of the first line that failed.
    func run() throws -> ExitStatus {
        if invocation.isOffline { throw UsageError("batch needs the server: leave --offline out.") }
        let room = try JoinedRoom(setting, timeout: invocation.timeout)
        defer { room.leave() }
        try room.enter(context: invocation.context)
        var input = BatchInput()
        return isAtomic ? try runAtomic(&input, room) : try runEach(&input, room)
    }

    // MARK: One line after the other

    private func runEach(_ input: inout BatchInput, _ room: JoinedRoom) throws -> ExitStatus {
        var first = ExitStatus.done
        while let (number, line) = try input.next(room) {
            let printer = Printer(gathers: invocation.isJSON, prefix: "huddle: line \(number): ")
            var status: ExitStatus
            var isInterrupted = false
            do {
                let command = try read(line)
                room.begin(timeout: invocation.timeout)
                status = try OneShot(command, setting, printer).perform(in: room, stays: true)
            } catch {
                let sentence: String
                (status, sentence) = ExitStatus.explanation(of: error)
                if !sentence.isEmpty { printer.complain(sentence) }
                isInterrupted = (error as? ProgramFailure)?.isInterruption == true
            }
            try printer.finish()
            if invocation.isJSON {
                guard try Output.write(json: Self.json(number, status, printer)) else { return first }
            } else if !printer.isRead {
                return first
            }
            guard status != .done else { continue }
            if first == .done { first = status }
            if status == .offline, !invocation.isJSON { Standard.write(error: "huddle: The lines after line \(number) were not run.\n") }
            // Without a server each further line would only wait for another timeout.
            if stops || isInterrupted || status == .offline { return first }
        }
        return first
    }

    /// A line as an invocation of its own, with the options of the whole command.
    private func read(_ line: String) throws(UsageError) -> Invocation {
        var words = try SlashCommand.split(line)
        if words.first == "huddle" { words.removeFirst() }
        var command = try Invocation(words)
        guard command.server == nil, command.authorities == nil, command.token == nil, command.tokenFile == nil, command.profile == nil, command.family == nil,
            command.context == nil
        else {
            throw UsageError("Options of the server and the sign-in follow batch, for all lines.")
        }
        guard !command.isOffline, !command.isWatched else { throw UsageError("--offline and --watch are not for lines of a batch.") }
        switch command.action {
        case .list, .itinerary, .add, .edit, .remove, .restore, .attend, .shift, .copy, .undo, .redo, .say, .remind, .ask, .document: break
        case .export where !invocation.isJSON, .exportCalendar where !invocation.isJSON: break
        case .export, .exportCalendar: throw UsageError("export writes CSV or PDF. For JSON take the list.")
        default: throw UsageError("This command is not for a batch: it takes lists, questions, changes and what is done with files.")
        }
        command.isJSON = invocation.isJSON
        command.timeout = invocation.timeout
        return command
    }

    private static func json(_ number: Int, _ status: ExitStatus, _ printer: Printer) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("line")
        writer.integer(Int64(number))
        writer.key("status")
        writer.integer(Int64(status.rawValue))
        if !printer.complaints.isEmpty {
            writer.key("error")
            writer.string(printer.complaints.joined(separator: "\n"))
        }
        writer.endObject()
        let output = printer.output.split(separator: UInt8(ascii: "\n")).joined(separator: [UInt8(ascii: ",")])
        return writer.octets.dropLast() + Array(",\"output\":[".utf8) + Array(output) + Array("]}".utf8)
    }

    // MARK: All lines as one change

    private func runAtomic(_ input: inout BatchInput, _ room: JoinedRoom) throws -> ExitStatus {
        var lines: [(number: Int, command: Invocation)] = []
        while let (number, line) = try input.next(room) {
            // More operations than a mutation may have are refused below, so further lines need not be kept.
            guard lines.count <= room.session.engine.limits.operationsPerMutation else { throw UsageError("Line \(number): that is too much for one change.") }
            do { lines.append((number, try read(line))) } catch { throw UsageError("Line \(number): \(error.message)") }
        }
        guard !lines.isEmpty else { return .done }
        // A later line may name a record that an earlier line creates, so a copy of the engine carries out each line.
        var scratch = room.session.engine
        var source = IdentifierSource()
        var operations: [Operation] = []
        var shown = invocation
        for (number, command) in lines {
            do {
                switch command.action {
                case .add, .edit, .remove, .restore, .attend, .shift, .copy, .say, .remind: break
                default: throw UsageError("With --atomic every line is a change, and none an undo or a redo.")
                }
                let more = try Request.operations(command.action, scratch, RecordLookup(scratch), today: LocalClock(zone: scratch.timeZone).date(Clock.wallMilliseconds())) { source.next(Clock.wallMilliseconds()) }
                for operation in more where operations.contains(where: { $0.id == operation.id }) {
                    throw UsageError("An earlier line changes \(RecordNames(scratch).name(operation.id)) already: write both as one.")
                }
                _ = try scratch.perform(more, at: Clock.wallMilliseconds(), now: Clock.monotonicMilliseconds())
                operations += more
                shown.acceptance = shown.acceptance ?? command.acceptance
            } catch {
                let (status, sentence) = ExitStatus.explanation(of: error)
                throw ProgramFailure(status, "Line \(number): \(sentence) Nothing was done.")
            }
        }
        room.begin(timeout: invocation.timeout)
        return try OneShot(shown, setting).perform(operations, in: room)
    }
}

/// The lines of standard input that hold a command.
struct BatchInput {
    /// Octets of one line: more than the longest command that the server accepts.
    private static let lineLimit = 262_144

    private var octets: [UInt8] = []
    private var number = 0
    private var isAtEnd = false

    /// The next line with its number, from 1; `nil` at the end. Empty lines and comments are skipped, but counted.
    ///
    /// - Parameter room: kept alive while the program waits for input.
    mutating func next(_ room: JoinedRoom) throws -> (number: Int, line: String)? {
        while let line = try line(room) {
            number += 1
            let text = String(decoding: line, as: UTF8.self).trimmed
            if !text.isEmpty, !text.hasPrefix("#") { return (number, text) }
        }
        return nil
    }

    private mutating func line(_ room: JoinedRoom) throws -> [UInt8]? {
        while true {
            if let place = octets.firstIndex(of: UInt8(ascii: "\n")) {
                defer { octets.removeFirst(place + 1) }
                return Array(octets[..<place])
            }
            if isAtEnd {
                defer { octets = [] }
                return octets.isEmpty ? nil : octets
            }
            guard octets.count <= Self.lineLimit else { throw UsageError("Line \(number + 1) is too long.") }
            var items = [Poll.Item(Standard.input, .readable)]
            _ = try room.idle(&items)
            if items[0].ready != [] { try read() }
        }
    }

    private mutating func read() throws(Errno) {
        var got: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer throws(Errno) in
            if case .done(let count) = try Octets.read(Standard.input, into: buffer) { got = Array(buffer[..<count]) }
        }
        if got.isEmpty { isAtEnd = true }
        octets += got
    }
}
