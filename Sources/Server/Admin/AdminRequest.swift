import Bytes
internal import Demo
import Family
import JSON
package import Store
import Wire

/// A request that a command of `huddled` sends to the process that holds the data folder.
package enum AdminRequest: Sendable {
    case command(AdminCommand)
    case demo
    /// An act of the host on one family or person.
    case act(HostAct)
    /// The host asks for the deletion of a family, or takes the request back.
    case deletion(HostDeletion)
    /// A question of the host, which a reader answers.
    case ask(HostQuestion)
    /// The state of the running server.
    case doctor
    /// An export or import; the archive's descriptor comes beside it.
    case transfer(ArchiveTransfer)

    /// `{"command":"demo"}`, `{"command":"doctor"}`, or the command's own form.
    func encode() -> [UInt8] {
        switch self {
        case .command(let command): command.encode()
        case .demo: Array(AdminRequest.demoLine.utf8)
        case .act(let act): act.encode()
        case .deletion(let deletion): deletion.encode()
        case .ask(let question): question.encode()
        case .doctor: Array(AdminRequest.doctorLine.utf8)
        case .transfer(let transfer): transfer.encode()
        }
    }

    static func decode(_ octets: [UInt8]) throws(JSONError) -> AdminRequest {
        if octets.elementsEqual(demoLine.utf8) { return .demo }
        if octets.starts(with: #"{"act":"#.utf8) { return .act(try HostAct.decode(octets)) }
        if octets.starts(with: #"{"deletion":"#.utf8) { return .deletion(try HostDeletion.decode(octets)) }
        if octets.starts(with: #"{"question":"#.utf8) { return .ask(try HostQuestion.decode(octets)) }
        if octets.elementsEqual(doctorLine.utf8) { return .doctor }
        if let transfer = try ArchiveTransfer.decode(octets) { return .transfer(transfer) }
        return .command(try AdminCommand.decode(octets))
    }

    private static let demoLine = #"{"command":"demo"}"#
    private static let doctorLine = #"{"command":"doctor"}"#

    /// Carries the request out, on the writer's thread.
    func perform(
        in store: FamilyStore, environment: StoreEnvironment
    ) throws(StoreFailure) -> (Result<AdminReply, Rejection>, [CommitResult]) {
        switch self {
        case .command(let command):
            let (answer, results) = try store.perform(command)
            return (answer.map(AdminReply.answer), results)
        case .demo:
            let (answer, results) = try DemoFamily.make(in: store, environment: environment)
            return (answer.map(AdminReply.demo), results)
        case .act(let act): return (try store.perform(act).map(AdminReply.tree), [])
        case .deletion(let deletion):
            let (answer, results) = try store.perform(deletion)
            return (answer.map(AdminReply.tree), results)
        case .ask: preconditionFailure("questions are answered by readers")
        case .doctor: preconditionFailure("Doctor looks by itself where no server runs")
        case .transfer: preconditionFailure("archives are read and written by Transfers")
        }
    }
}
