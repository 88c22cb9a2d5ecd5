import Family
import Posix
import Sessions
import Sync

/// The copy on this machine, used without a server.
enum LocalState {
    /// The records at the time of the server's last answer.
    struct Copy {
        let engine: SyncEngine
        /// The time at which the copy was written last, UTC milliseconds.
        let at: Int64
    }

    /// The copy on this machine, for reading; `nil` if there is none.
    static func look(_ setting: Setting) -> Copy? {
        guard let place = setting.cache, let member = place.member, let kept = Cache.look(place, member), kept.state.cursor != nil else {
            return nil
        }
        var engine = SyncEngine(setting.configuration(family: setting.familyIdentifier))
        engine.restore(kept.state)
        return Copy(engine: engine, at: Cache.lastWrite(place, member) ?? 0)
    }

    /// A session that may write to the cache, but is not started.
    ///
    /// - Parameter isAlone: whether it fails if another process has the cache, instead of keeping new changes beside
    ///   it.
    /// - Throws: a sentence, if there is no cache, or if another process has it.
    static func session(_ setting: Setting, isAlone: Bool = true) throws -> ClientSession {
        guard let place = setting.cache, place.member != nil else {
            throw ProgramFailure(.offline, "Nothing is kept on this machine yet: start huddle once while the server answers.")
        }
        let session = try ClientSession(setting.address, setting.configuration(family: setting.familyIdentifier), cache: place, isAlone: isAlone)
        guard session.cache != nil else { throw ProgramFailure(.failed, session.takeWarnings().first ?? "") }
        return session
    }
}
