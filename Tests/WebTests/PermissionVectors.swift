import Bytes
import EngineScripts
import Family

/// Every combination that decides whether a write is allowed, for `proto/views/permissions.json`.
enum PermissionVectors {
    private static let me = Identifier(high: 0x7000, low: 0x8000_0000_0000_0001)
    private static let other = Identifier(high: 0x7000, low: 0x8000_0000_0000_0002)

    @Sendable static func page() -> String {
        var rows: [JSONValue] = []
        for kind in Kind.allCases {
            for role in Role.allCases {
                for (name, action) in [("create", AccessAction.create), ("update", .update), ("delete", .delete), ("restore", .restore)] {
                    var access = Access(actor: Actor(member: me, role: role), kind: kind, action: action)
                    switch kind {
                    case .message:
                        for author in [me, other] {
                            access.author = author
                            rows.append(row(access, name))
                        }
                    case .member:
                        for subject in [me, other] {
                            access.subject = subject
                            for fields in action == .update ? [["name"], ["role"], ["parent_access"], ["name", "role"], ["name", "parent_access"]] : [[]] {
                                access.fields = fields.compactMap { Kind.member.declaration.index(of: $0) }
                                for age in fields.contains("parent_access") ? [nil, 15, 16] : [nil] {
                                    access.actorAge = age
                                    rows.append(row(access, name))
                                }
                            }
                        }
                    case .readingPosition:
                        for subject in [ReadingPosition.id(of: me), ReadingPosition.id(of: other)] {
                            access.subject = subject
                            rows.append(row(access, name))
                        }
                    case .reminderRule:
                        for subject in [ReminderRule.id(of: me), ReminderRule.id(of: other)] {
                            access.subject = subject
                            rows.append(row(access, name))
                        }
                    case _ where kind.declaration.scope == .athlete:
                        for owner in [me, other, nil] {
                            access.owner = owner
                            for parents in ParentAccess.allCases {
                                access.ownerAllowsParents = parents
                                rows.append(row(access, name))
                            }
                        }
                    default: rows.append(row(access, name))
                    }
                }
            }
        }
        return ViewVectors.lines([("member", .text(me.description)), ("accesses", .array(rows))])
    }

    private static func row(_ access: Access, _ action: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "kind": .text("\(access.kind.name)"), "role": .text(access.actor.role.rawValue), "action": .text(action),
            "parents": .text(access.ownerAllowsParents.rawValue),
        ]
        if let owner = access.owner { members["owner"] = .text(owner.description) }
        if let author = access.author { members["author"] = .text(author.description) }
        if let subject = access.subject { members["subject"] = .text(subject.description) }
        if let age = access.actorAge { members["age"] = .integer(Int64(age)) }
        if !access.fields.isEmpty { members["fields"] = .array(access.fields.map { .text("\(access.kind.declaration.fields[$0].name)") }) }
        do throws(Rejection) {
            try Permission.check(access, operation: 0, id: other)
            members["refused"] = .null
        } catch {
            members["refused"] = .text(error.message)
        }
        return .object(members)
    }
}
