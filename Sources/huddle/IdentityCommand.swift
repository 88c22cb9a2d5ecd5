import Bytes
import Commands
import Family
import JSON
import Sessions
import Sync
import Terminal
import Words

/// `huddle whoami` and `huddle status`: the person who is signed in, and the state of the connection and the outbox.
struct IdentityCommand {
    private let invocation: Invocation
    private let setting: Setting

    init(_ invocation: Invocation, _ setting: Setting) {
        self.invocation = invocation
        self.setting = setting
    }

    /// - Parameters:
    ///   - engine: joined, or filled from the copy on this computer.
    ///   - showsState: whether the outbox is shown as well.
    func print(_ engine: borrowing SyncEngine, showsState: Bool, _ printer: Printer) throws {
        guard let member = engine.member, let role = engine.role else { throw ProgramFailure(.refused, "You belong to no family yet.") }
        let name = engine.record(member).map { RecordNames.name($0) } ?? "somebody"
        let family = engine.familyName?.printable ?? "your family"
        let place = setting.cache
        let kept = place.flatMap { place in place.member.flatMap { Cache.look(place, $0, withWaiting: true) } }
        var outbox = SyncEngine(setting.configuration(family: setting.familyIdentifier))
        if let kept { outbox.restore(kept.state) }
        let (waiting, refused) = (outbox.waitingCount, outbox.drafts.count)
        guard !invocation.isJSON else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("member")
            writer.identifier(member)
            writer.key("name")
            writer.string(name)
            writer.key("role")
            writer.string(role.rawValue)
            if let id = engine.family {
                writer.key("family")
                writer.identifier(id)
            }
            writer.key("family_name")
            writer.string(family)
            writer.key("server")
            writer.string(setting.address.description)
            if let profile = invocation.profile {
                writer.key("profile")
                writer.string(profile)
            }
            writer.key("online")
            writer.boolean(engine.phase == .live)
            writer.key("waiting")
            writer.integer(Int64(waiting))
            writer.key("refused")
            writer.integer(Int64(refused))
            writer.endObject()
            return printer.write(json: writer.octets)
        }
        let profile = invocation.profile.map { ", profile \($0.printable)" } ?? ""
        var lines = ["\(name), \(role.rawValue) in \(family) (\(setting.address.description.printable)\(profile))"]
        if showsState {
            lines.append(engine.phase == .live ? "The server answers." : "The server was not asked.")
            if case .athlete(let id)? = engine.context, id != member { lines.append("Showing \(engine.record(id).map { RecordNames.name($0) } ?? "one athlete")'s season.") }
            lines.append(waiting == 0 ? "Nothing waits to be sent." : "\(waiting == 1 ? "1 change waits" : "\(waiting) changes wait") to be sent: huddle outbox")
            lines.append(refused == 0 ? "Nothing was refused." : "\(refused == 1 ? "1 change was" : "\(refused) changes were") refused: huddle outbox")
        }
        printer.write(output: lines.joined(separator: "\n") + "\n")
    }
}
