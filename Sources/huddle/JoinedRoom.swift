import Arguments
import Bytes
import Family
import Posix
import Sessions
import Sync
import Terminal
import Wire
import Words

/// A session that joins a room, for commands that do one thing.
final class JoinedRoom {
    let session: ClientSession
    private let setting: Setting
    private var end: Int64
    /// Notices that no call has waited for yet.
    private var notices: [SyncNotice] = []
    private var saidOffline = false

    /// - Parameters:
    ///   - timeout: milliseconds for the whole command.
    ///   - keeps: whether the outbox is sent too, and keeps the new change until its receipt.
    ///   - isQuiet: whether the other members are not notified of the presence.
    init(_ setting: Setting, timeout: Int64, keeps: Bool = false, isQuiet: Bool = true) throws {
        self.setting = setting
        end = Clock.monotonicMilliseconds() + timeout
        var configuration = setting.configuration(family: setting.familyIdentifier)
        // The other members do not want to know about scripts.
        configuration.isQuiet = isQuiet
        session = try ClientSession(setting.address, configuration, cache: keeps ? setting.cache : nil, isAlone: true)
        session.start()
    }

    /// Whether the timeout has passed.
    var isLate: Bool { Clock.monotonicMilliseconds() >= end }

    /// Begins a new action with this timeout; earlier notices are dropped.
    func begin(timeout: Int64) {
        end = Clock.monotonicMilliseconds() + timeout
        notices = []
        saidOffline = false
    }

    /// Keeps the connection alive until a descriptor is ready, something has happened in the room, or `deadline` has
    /// come.
    ///
    /// - Returns: whether anything happened in the room.
    func idle(until deadline: Int64? = nil, _ items: inout [Poll.Item]) throws -> Bool {
        let events = try session.turn(until: deadline, waitingFor: &items)
        for case .stopped(let reason) in events { throw ProgramFailure(reason) }
        return !events.isEmpty
    }

    /// Waits until `found` returns an answer; `nil` after the timeout.
    func wait<Answer>(for found: (SyncNotice) -> Answer?) throws -> Answer? {
        while true {
            while !notices.isEmpty {
                let notice = notices.removeFirst()
                if case .offline = notice { sayOffline() }
                if let answer = found(notice) { return answer }
            }
            guard !isLate else { return nil }
            for event in try session.turn(until: end) {
                switch event {
                case .notice(let notice): notices.append(notice)
                case .stopped(.familyUnclear(let memberships)):
                    guard let family = setting.family(among: memberships) else { throw ProgramFailure(.familyUnclear(memberships)) }
                    session.choose(family)
                case .stopped(let reason): throw ProgramFailure(reason)
                case .changed, .replaced: break
                }
            }
        }
    }

    /// Applies the changes that the room made while the program did something else: the session sends a request, and every
    /// earlier change arrives before the answer. A connection that broke in the meantime is restored.
    func catchUp(timeout: Int64) throws {
        begin(timeout: timeout)
        while !isLate {
            guard let request = session.ask({ .statistics(StatisticsRequest(request: $0, kind: .document)) }) else {
                for case .stopped(let reason) in try session.turn(until: end) { throw ProgramFailure(reason) }
                continue
            }
            let isAnswered: Bool? = try wait { notice in
                switch notice {
                case .answer(.statistics(let answer)) where answer.request == request: true
                case .failed(_, let failed) where failed == request: true
                case .offline: false
                default: nil
                }
            }
            if isAnswered == true { return }
        }
    }

    /// Waits until the records are present, and sets the context.
    func enter(context: String?) throws {
        let isLive: Bool? = try wait { if case .live = $0 { true } else { nil } }
        guard isLive != nil else {
            throw ProgramFailure(.offline, "\(session.lastFailure ?? "\(setting.address) does not answer.") Nothing was done.")
        }
        if let name = setting.family, Identifier(name) == nil, setting.family(among: session.engine.memberships) != session.engine.family {
            throw ProgramFailure(.familyUnclear(session.engine.memberships))
        }
        guard let context else { return }
        let wanted: Context
        if context == "all" {
            wanted = .all
        } else {
            do { wanted = .athlete(try RecordNames(session.engine).find(.member, context).id) } catch { throw UsageError(error.message) }
        }
        guard wanted != session.engine.context else { return }
        session.setContext(wanted)
        let answer: Rejection?? = try wait { notice in
            switch notice {
            case .context: .some(nil)
            case .failed(let rejection, nil): .some(rejection)
            default: nil
            }
        }
        guard let answer else { throw ProgramFailure(.offline, "\(setting.address) did not answer in time. Nothing was done.") }
        if let answer { throw ProgramFailure(ExitStatus(answer), answer.message.printable) }
    }

    func leave() { session.leave() }

    private func sayOffline() {
        guard !saidOffline, !isLate, let reason = session.lastFailure else { return }
        saidOffline = true
        Standard.write(error: "huddle: \(reason) Trying again.\n")
    }
}
