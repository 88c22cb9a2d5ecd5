import Sessions
import Sync

extension Conversation {
    /// The exit status for an end of the conversation; `nil` to continue, because the person could name the family.
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
