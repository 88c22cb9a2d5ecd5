package import Bytes
package import Family
package import Sync
package import Wire

/// Short names for what the engine's scripts are made of.
package enum World {
    package static let family = id(1)
    package static let parent = id(2)
    package static let athlete = id(3)
    package static let client = id(100)
    package static let other = id(200)

    package static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | number) }

    package static func school(_ number: UInt64, _ name: String, version: Int64 = 1) -> Record {
        var fields = Fields(.school)
        fields["name"] = .text(name)
        return Record(
            kind: .school, id: id(number), athlete: nil, version: version, createdAt: 1, createdBy: parent, updatedAt: 1, updatedBy: parent,
            fields: fields)
    }

    package static func field(_ kind: Kind, _ name: String) -> Int { kind.declaration.index(of: name) ?? -1 }

    package static func patch(_ kind: Kind, _ values: [String: Value?]) -> FieldPatch {
        FieldPatch(
            assignments: values.map { .init(field: field(kind, $0.key), value: $0.value) }.sorted { $0.field < $1.field })
    }

    package static func create(_ number: UInt64, _ name: String) -> Operation {
        Operation(kind: .school, id: id(number), action: .create(athlete: nil, patch: patch(.school, ["name": .text(name)])))
    }

    package static func update(_ number: UInt64, base: Int64, merge: MergeMode = .disjoint, _ values: [String: Value?]) -> Operation {
        Operation(kind: .school, id: id(number), action: .update(base: base, merge: merge, patch: patch(.school, values)))
    }

    package static func update(_ id: Identifier, base: Int64, merge: MergeMode, _ values: [String: Value?]) -> Operation {
        Operation(kind: .school, id: id, action: .update(base: base, merge: merge, patch: patch(.school, values)))
    }

    package static func delete(_ number: UInt64, base: Int64) -> Operation {
        Operation(kind: .school, id: id(number), action: .delete(base: base))
    }

    package static func restore(_ number: UInt64, base: Int64) -> Operation {
        Operation(kind: .school, id: id(number), action: .restore(base: base))
    }

    package static func change(
        _ sequence: Int64, client: Identifier? = other, mutation: Int64? = 1, _ entries: [ChangeEntry]
    ) -> ServerFrame {
        .change(Change(sequence: sequence, at: sequence, member: parent, client: client, mutation: mutation, entries: entries))
    }

    package static func created(_ number: UInt64, _ name: String) -> ChangeEntry {
        let record = school(number, name)
        return ChangeEntry(kind: .school, id: record.id, version: 1, effect: .create(athlete: nil, fields: record.fields))
    }

    package static func updated(_ number: UInt64, version: Int64, _ values: [String: Value?]) -> ChangeEntry {
        ChangeEntry(kind: .school, id: id(number), version: version, effect: .update(patch(.school, values).assignments))
    }

    package static func welcome(_ limits: Limits = Limits(), families: [Identifier] = [family], features: [Feature] = Feature.allCases) -> ServerFrame {
        .welcome(
            Welcome(
                server: "test", time: 0, memberships: families.map { Membership(family: $0, name: "F", member: parent, role: .parent) },
                limits: limits, features: features))
    }

    package static func joined(_ sequence: Int64, byChanges: Bool, epoch: String = "e1") -> ServerFrame {
        .joined(
            Joined(
                epoch: epoch, sequence: sequence, family: family, member: parent, role: .parent, context: .all, resumesByChanges: byChanges,
                presence: []))
    }

    package static func configuration(seed: UInt64 = 1) -> SyncEngine.Configuration {
        .init(token: "t", client: client, seed: seed)
    }

    /// An engine that is live at sequence 10 with the schools 20 ("Ohio", version 3) and 21 ("Iowa", version 1).
    package static func live(limits: Limits = Limits()) -> SyncEngine {
        var engine = SyncEngine(configuration())
        _ = engine.start(now: 0)
        enter(&engine, limits: limits)
        return engine
    }

    package static func enter(_ engine: inout SyncEngine, limits: Limits = Limits(), features: [Feature] = Feature.allCases, at sequence: Int64 = 10, now: Int64 = 0) {
        _ = engine.connected(now: now)
        _ = engine.receive(welcome(limits, features: features), now: now)
        _ = engine.receive(joined(sequence, byChanges: false), now: now)
        _ = engine.receive(.snapshot(sequence: sequence, records: [school(20, "Ohio", version: 3), school(21, "Iowa")]), now: now)
        _ = engine.receive(.snapshotEnd(sequence: sequence), now: now)
        _ = engine.receive(.live(sequence: sequence), now: now)
    }

    /// Comes back after a cut with nothing missed.
    package static func resume(_ engine: inout SyncEngine, at sequence: Int64, now: Int64 = 0) -> [SyncAction] {
        var actions = engine.connected(now: now)
        actions += engine.receive(welcome(), now: now)
        actions += engine.receive(joined(sequence, byChanges: true), now: now)
        actions += engine.receive(.live(sequence: sequence), now: now)
        return actions
    }
}

extension [SyncAction] {
    package var sent: [ClientFrame] {
        compactMap {
            if case .send(let frame) = $0 { return frame }
            return nil
        }
    }

    package var sentMutations: [Int64] {
        sent.compactMap {
            if case .mutation(let id, _, _) = $0 { return id }
            return nil
        }
    }

    package var notices: [SyncNotice] {
        compactMap {
            if case .notify(let notice) = $0 { return notice }
            return nil
        }
    }

    package var stops: [StopReason] {
        compactMap {
            if case .stop(let reason) = $0 { return reason }
            return nil
        }
    }

    package var connects: [Int64] {
        compactMap {
            if case .connect(let wait) = $0 { return wait }
            return nil
        }
    }

    package var disconnects: [UInt16] {
        compactMap {
            if case .disconnect(let code) = $0 { return code }
            return nil
        }
    }
}

extension SyncEngine {
    package func name(_ number: UInt64) -> String? { record(World.id(number))?.fields.text("name") }
}
