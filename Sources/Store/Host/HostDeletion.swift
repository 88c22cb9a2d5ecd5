import Bytes
package import Family
package import JSON
import Ledger
package import Wire

/// The host asks for the deletion of a family, or takes the request back. It is the same request as a parent's (`DeletionCommand`).
package struct HostDeletion: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// `name`: the family's name, which says that the host means it.
        case request(name: String)
        case withdraw
    }

    package var act: Act
    /// The family's id or its name.
    package var family: String

    package init(_ act: Act, family: String) {
        self.act = act
        self.family = family
    }
}

// A line of the admin socket:
//
//     {"deletion":"request","family":"…","name":"Rivera"}        {"deletion":"withdraw","family":"Rivera"}

extension HostDeletion {
    /// The line, without its line feed.
    package func encode() -> [UInt8] {
        switch act {
        case .request(let name): JSONTree.object(of: ["deletion": .text("request"), "family": .text(family), "name": .text(name)]).octets
        case .withdraw: JSONTree.object(of: ["deletion": .text("withdraw"), "family": .text(family)]).octets
        }
    }

    /// Reads a line, without its line feed.
    ///
    /// - Throws: also for members that are missing or of another type.
    package static func decode(_ octets: [UInt8]) throws(JSONError) -> HostDeletion {
        let tree = try JSONTree(octets)
        guard let family = tree["family"]?.text else { throw .invalid("family is missing") }
        switch tree["deletion"]?.text {
        case "request":
            guard let name = tree["name"]?.text else { throw .invalid("name is missing") }
            return HostDeletion(.request(name: name), family: family)
        case "withdraw": return HostDeletion(.withdraw, family: family)
        default: throw .invalid("deletion is request or withdraw")
        }
    }
}

extension FamilyStore {
    /// Does what the host asks for.
    ///
    /// - Returns: the request that is in force afterwards, for `--json`, or why nothing was done; and the change for the live rooms.
    package func perform(_ deletion: HostDeletion) throws(StoreFailure) -> (Result<JSONTree, Rejection>, [CommitResult]) {
        let found = try transaction { _ in
            let family = try named(deletion.family)
            return (id: family.state.id, name: try record(family: family.key, family.state.id)?.fields.text("name"))
        }
        let family: (id: Identifier, name: String?)
        switch found {
        case .done(let named): family = named
        case .refused(let rejection): return (.failure(rejection), [])
        }
        let act: DeletionRequest.Act =
            switch deletion.act {
            case .request(let name): .request(name: name)
            case .withdraw: .withdraw
            }
        let (answer, changes) = try perform(DeletionCommand(act, family: family.id, by: .host))
        return (
            answer.map { request in
                .object(of: [
                    "family": .text(family.id.description), "name": family.name.map { .text($0) },
                    "deletion_requested_at": request.map { .integer($0.requestedAt) }, "deletion_due_at": request.map { .integer($0.dueAt) },
                ])
            }, changes
        )
    }
}
