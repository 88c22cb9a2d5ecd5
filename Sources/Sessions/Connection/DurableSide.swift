internal import Bytes
package import Family
package import Sync
internal import Wire

/// A session's cache: opened as soon as it is known whose it is, written after each input, gone when the member is.
///
/// Nothing here ever stops a session: without a cache it works as it did before there was one, and says so once.
package struct DurableSide {
    private let place: CachePlace
    package private(set) var cache: Cache?
    package private(set) var keptChanges: [Change] = []
    /// How the person likes to see things: what is kept, and what was chosen since.
    package private(set) var settings: [ViewSetting: String] = [:]
    /// False where a cache was looked for in vain, so that it is not looked for at each connection.
    private var mayOpen = true
    private var warnings: [String] = []
    private var isFailing = false
    private let isAlone: Bool

    /// Opens the cache of whoever signed in here before, and puts what it holds into `engine`; what programs left that ran beside it, too.
    /// Where another program has it, this one keeps what it is told beside it.
    ///
    /// - Parameter isAlone: whether it keeps nothing then instead.
    package init(_ place: CachePlace, restoring engine: inout SyncEngine, isAlone: Bool = false) {
        self.place = place
        self.isAlone = isAlone
        guard let member = place.member else { return }
        let opened = open(member)
        if let opened, !opened.cache.isBeside {
            keptChanges = opened.changes
            if let state = opened.state { engine.restore(state) }
            _ = takeOver(member, &engine)
        } else if let seen = Cache.look(place, member) {
            keptChanges = seen.changes
            engine.restore(seen.state)
            if let state = opened?.state { engine.adopt(state) }
            settings = Cache.settings(place, member).merging(settings) { $1 }
        } else if let state = opened?.state {
            engine.restore(state)
        }
    }

    /// Chooses how to see something; `nil` for as it was at first. Without a cache it lasts as long as the program.
    package mutating func set(_ setting: ViewSetting, to value: String?) {
        guard settings[setting] != value else { return }
        settings[setting] = value
        // A look that cannot be kept is not worth a warning.
        try? cache?.keep(value, as: setting)
    }

    package var keepsWhatWaits: Bool { cache != nil && !isFailing }

    package mutating func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Takes in what one input came to, before its actions are carried out.
    ///
    /// - Returns: further actions, after those.
    package mutating func follow(_ actions: [SyncAction], _ engine: inout SyncEngine, now: Int64) -> [SyncAction] {
        var more: [SyncAction] = []
        for action in actions {
            switch action {
            case .notify(.joined(let joined)): more += enter(joined, &engine, now: now)
            case .stop(let reason): leave(reason)
            default: break
            }
        }
        cache?.note(actions)
        if let cache, cache.isUrgent(engine) { save(engine) }
        return more
    }

    /// Writes what is not written yet.
    package mutating func save(_ engine: borrowing SyncEngine) {
        guard let cache else { return }
        do {
            try cache.save(engine)
            isFailing = false
        } catch {
            if !isFailing { warnings.append(CacheFailure(cache.folder, error).message) }
            isFailing = true
        }
    }

    /// - Returns: whether what was taken over goes under the client id that is in use; else `rejoin`.
    private mutating func takeOver(_ member: Identifier, _ engine: inout SyncEngine) -> Bool {
        guard let cache, !cache.isBeside, engine.savedState != nil else { return true }
        var isOwn = true
        for left in Cache.left(beside: place, member) {
            if let state = left.state {
                guard let answer = engine.takeOver(state) else { continue }
                isOwn = isOwn && answer
            }
            // Only what is on stable storage here may go there.
            save(engine)
            guard !isFailing, (try? cache.takeOver(from: left.cache)) != nil else { continue }
            left.cache.remove()
        }
        return isOwn
    }

    private func find(_ member: Identifier) throws(CacheFailure) -> Cache.Opened {
        do throws(CacheFailure) { return try Cache.open(place, member) } catch {
            guard error.isLocked, !isAlone else { throw error }
            guard let beside = try Cache.openBeside(place, member) else { throw .crowded }
            return beside
        }
    }

    private mutating func open(_ member: Identifier) -> Cache.Opened? {
        mayOpen = false
        do throws(CacheFailure) {
            let opened = try find(member)
            cache = opened.cache
            // What was chosen before it was known whose cache it is.
            let chosen = settings
            settings = opened.cache.settings().merging(chosen) { $1 }
            for (setting, value) in chosen { try? opened.cache.keep(value, as: setting) }
            if let notice = opened.notice { warnings.append(notice) }
            return opened
        } catch {
            warnings.append(error.message)
            return nil
        }
    }

    /// The server has told who this is.
    private mutating func enter(_ joined: Joined, _ engine: inout SyncEngine, now: Int64) -> [SyncAction] {
        guard mayOpen, let opened = open(joined.member) else { return [] }
        // Somebody who signed in anew: the records come from the server, what waits is here.
        var isOwn = opened.state.map { engine.adopt($0) } ?? true
        if !takeOver(joined.member, &engine) { isOwn = false }
        return isOwn ? [] : engine.rejoin(now: now)
    }

    private mutating func leave(_ reason: StopReason) {
        switch reason {
        case .signedOut, .closed(CloseCode.removed.rawValue), .closed(CloseCode.sessionEnded.rawValue):
            cache?.wipe()
            cache = nil
        case .tokenUnknown:
            cache?.forgetFamily()
            cache = nil
        case .closed, .refused, .protocolUnsupported, .familyUnclear: break
        }
    }
}

@available(*, unavailable) extension DurableSide: Sendable {}
