import Arguments
import Bytes
import Client
import Crypto
import Family
import JSON
import Posix
import Wire

/// Commands that connect, do one thing, print, and end.
struct OneShot {
    private let invocation: Invocation
    private let setting: Setting

    init(_ invocation: Invocation, _ setting: Setting) {
        self.invocation = invocation
        self.setting = setting
    }

    func run() throws -> ExitStatus {
        let seat = try Seat(setting, timeout: invocation.timeout)
        defer { seat.leave() }
        if case .list(var filter) = invocation.command {
            try seat.enter(context: invocation.context)
            try filter.resolve(RecordNames(seat.session.engine))
            list(filter, seat.session.engine)
            return .done
        }
        if case .ask(let question) = invocation.command {
            try seat.enter(context: invocation.context)
            return try ask(question, seat)
        }
        do {
            try seat.enter(context: invocation.context)
        } catch let failure as ProgramFailure where failure.status == .offline {
            printOffline(0, wasSent: false)
            throw failure
        }
        let operation: Operation
        do {
            operation = try Request.operation(invocation.command, seat.session.engine)
        } catch let rejection as Rejection {
            return report(rejection, 0, seat)
        }
        return try perform(operation, seat)
    }

    private func list(_ filter: ListFilter, _ engine: SyncEngine) {
        let clock = LocalClock(zone: engine.timeZone)
        let context = engine.context ?? .all
        let records = filter.apply(
            engine.records(of: filter.kind), today: clock.today(Clock.wallMilliseconds()), context: context)
        guard invocation.isJSON else {
            // The last column stays free, because writing into it makes some terminals wrap.
            let columns = Standard.isTerminal(Standard.output) ? RawTerminal.columns - 1 : nil
            let lines = RecordTables.lines(filter.kind, records, RecordNames(engine), showsAthlete: context == .all, columns: columns)
            Standard.write(output: lines.joined(separator: "\n") + "\n")
            // A person sees how many; a program counts lines.
            if columns != nil, !records.isEmpty { Standard.write(output: records.count == 1 ? "1 result\n" : "\(records.count) results\n") }
            return
        }
        var octets: [UInt8] = []
        for record in records {
            var writer = JSONWriter(appendingTo: octets)
            RecordCodec.encode(record, into: &writer)
            octets = writer.octets
            octets.append(UInt8(ascii: "\n"))
        }
        Standard.write(output: octets)
    }

    private func ask(_ question: Question, _ seat: Seat) throws -> ExitStatus {
        let names = RecordNames(seat.session.engine)
        let frame = try question.frame(0, names) { kind, text throws(UsageError) in
            do throws(LookupFailure) { return try names.find(kind, text) } catch { throw UsageError(error.message) }
        }
        let request = seat.session.ask { frame.numbered($0) }
        let answer: Result<ServerFrame, Rejection>? = try seat.wait { notice in
            switch notice {
            case .answer(let frame): .success(frame)
            case .failed(let rejection, let number) where number == request: .failure(rejection)
            default: nil
            }
        }
        switch answer {
        case .success(let frame)?:
            if invocation.isJSON {
                Standard.write(output: frame.encode() + [UInt8(ascii: "\n")])
            } else {
                let clock = LocalClock(zone: seat.session.engine.timeZone)
                let text = ChangeText(names) { clock.time($0, now: Clock.wallMilliseconds()) }
                Standard.write(output: AnswerText(text).lines(frame).joined(separator: "\n") + "\n")
            }
            return .done
        case .failure(let rejection)?:
            if invocation.isJSON {
                Standard.write(output: ServerFrame.error(rejection, request: request).encode() + [UInt8(ascii: "\n")])
            }
            Standard.write(error: "huddle: \(rejection.message.printable)\n")
            return ExitStatus(rejection)
        case nil: throw ProgramFailure(.offline, "\(setting.address) did not answer in time. Nothing was done.")
        }
    }

    private func perform(_ operation: Operation, _ seat: Seat) throws -> ExitStatus {
        let mutation: Int64
        do { mutation = try seat.session.perform([operation]) } catch { return report(error, 0, seat) }
        let answer: ServerFrame? = try seat.wait { notice in
            switch notice {
            case .acknowledged(let ack) where ack.mutation == mutation: .ack(ack)
            case .rejected(mutation, let rejection): .reject(mutation: mutation, rejection)
            default: nil
            }
        }
        switch answer {
        case .ack(let ack)?:
            if invocation.isJSON {
                Standard.write(output: ServerFrame.ack(ack).encode() + [UInt8(ascii: "\n")])
            } else if operation.kind != .message {
                let names = RecordNames(seat.session.engine)
                Standard.write(output: "\(names.short(operation.id))  \(done(operation, names))\n")
            }
            return .done
        case .reject(_, let rejection)?: return report(rejection, mutation, seat)
        default:
            let wasSent = seat.session.engine.pending.contains { $0.id == mutation && $0.state != .unsent }
            printOffline(mutation, wasSent: wasSent)
            throw ProgramFailure(
                .offline,
                wasSent
                    ? "\(setting.address) did not answer in time. It may have been done: look before you try again."
                    : "\(setting.address) did not answer in time. It was not sent, so nothing was done.")
        }
    }

    private func printOffline(_ mutation: Int64, wasSent: Bool) {
        guard invocation.isJSON else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.string("offline")
        writer.key("mutation")
        writer.integer(mutation)
        writer.key("maybe_done")
        writer.boolean(wasSent)
        writer.endObject()
        Standard.write(output: writer.octets + [UInt8(ascii: "\n")])
    }

    private func report(_ rejection: Rejection, _ mutation: Int64, _ seat: Seat) -> ExitStatus {
        if invocation.isJSON {
            Standard.write(output: ServerFrame.reject(mutation: mutation, rejection).encode() + [UInt8(ascii: "\n")])
        }
        let clock = LocalClock(zone: seat.session.engine.timeZone)
        let text = ChangeText(RecordNames(seat.session.engine)) { clock.time($0, now: Clock.wallMilliseconds()) }
        Standard.write(error: "huddle: " + text.rejection(rejection).joined(separator: "\n") + "\n")
        return ExitStatus(rejection)
    }

    private func done(_ operation: Operation, _ names: RecordNames) -> String {
        let name = names.name(operation.id)
        switch operation.action {
        case .create: return "added \(name)"
        case .update: return "changed \(name)"
        case .delete: return "deleted"
        case .restore: return "restored \(name)"
        case .shift: return "moved \(name)"
        case .copy: return "copied \(name)"
        }
    }
}
