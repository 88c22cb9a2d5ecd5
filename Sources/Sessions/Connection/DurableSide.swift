internal import Bytes
package import Family
package import Sync
internal import Wire

/// A session's cache: opened when the member is known, written after each input, removed when the member is gone.
///
/// A failure here never stops a session: without a cache the session works from memory, and warns once.
package struct DurableSide {
    private let place: CachePlace
    package private(set) var cache: Cache?
    package private(set) var keptChanges: [Change] = []
    /// The user's display settings: the stored ones, and those chosen since.
    package private(set) var settings: [ViewSetting: String] = [:]
    /// False after opening a cache failed, so that not every connection tries it again.
    private var mayOpen = true
    private var warnings: [String] = []
    private var isFailing = false
    private let isAlone: Bool

    /// Opens the cache of the member who signed in here before, and restores its content into `engine`, together with
    /// the content of programs that ran beside it. If another program has the cache, this one stores its input beside
    /// it.
    ///
    /// - Parameter isAlone: whether to store nothing in that case.
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

    /// Sets a display setting; `nil` restores the default. Without a cache the setting lasts as long as the program.
    package mutating func set(_ setting: ViewSetting, to value: String?) {
        guard settings[setting] != value else { return }
        settings[setting] = value
        // A failure to store a display setting deserves no warning.
        try? cache?.keep(value, as: setting)
    }

    package var keepsWhatWaits: Bool { cache != nil && !isFailing }

    package mutating func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Stores the effects of one input, before its actions are carried out.
    ///
    /// - Returns: further actions, to run after the given ones.
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

    /// Writes the unwritten state.
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

    /// - Returns: whether the mutations taken over keep the client id in use; otherwise the caller must `rejoin`.
    private mutating func takeOver(_ member: Identifier, _ engine: inout SyncEngine) -> Bool {
        guard let cache, !cache.isBeside, engine.savedState != nil else { return true }
        var isOwn = true
        for left in Cache.left(beside: place, member) {
            if let state = left.state {
                guard let answer = engine.takeOver(state) else { continue }
                isOwn = isOwn && answer
            }
            // Only mutations that are on stable storage here may be removed there.
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
            // The settings that the user chose before the member was known.
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

    /// Handles the server's report of the member's identity.
    private mutating func enter(_ joined: Joined, _ engine: inout SyncEngine, now: Int64) -> [SyncAction] {
        guard mayOpen, let opened = open(joined.member) else { return [] }
        // The member signed in again: the server has the records, the cache has the pending mutations.
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
