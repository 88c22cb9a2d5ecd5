import Sessions
import Sync

extension Conversation {
    /// What an end of the conversation means for the program; `nil` to go on, because the family could be told.
    func status(of end: End, _ setting: Setting) throws -> ExitStatus? {
        switch end {
        case .quit: return .done
        case .stopped(.familyUnclear(let memberships)):
            guard let family = setting.family(among: memberships) else { throw ProgramFailure(.familyUnclear(memberships)) }
            choose(family)
            return nil
        case .stopped(let reason): throw ProgramFailure(reason)
        }
    }
}
