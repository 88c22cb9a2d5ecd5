import Bytes
import Family

// Whole plans moved or copied by days: a trip with its items, an item, an event. Local times stay (`DateShift`).
extension Decider {
    func shift(_ operation: Operation, _ index: Int, base: Int64, days: Int) throws {
        let subject = try subject(of: operation, index)
        var current = subject.current
        let fields = try moved(DateShift.moved(current.fields, days: days), operation, index, days: days)
        try check(.update, operation, index, owner: current.athlete, author: current.createdBy, patch: Self.patch(current.fields, fields))
        guard !current.isDeleted, isCurrent(base, subject) else { throw conflict(subject, [], operation, index) }
        let items = operation.kind == .trip ? try referrers(of: current, limit: environment.limits.relatedRecords + 1, operation, index) : []
        try checkCount(items.count, operation, index)
        try Validation.check(fields, operation: index, id: operation.id, environment: environment.rules)
        try write(&current, fields, operation, index)
        for referrer in items {
            var item = referrer.record
            let fields = try moved(DateShift.moved(item.fields, days: days), operation, index, days: days)
            try Validation.check(fields, operation: index, id: item.id, environment: environment.rules)
            let wasDue = plans.items[item.id] != nil
            try write(&item, fields, operation, index)
            plans.move(item.id, wasDue: wasDue)
        }
    }

    func copy(_ operation: Operation, _ index: Int, from source: Identifier, days: Int) throws {
        try refuseRemoved(source, operation, index)
        let named = try subject(of: Operation(kind: operation.kind, id: source, action: operation.action), index)
        let original = named.current
        guard !original.isDeleted else { throw conflict(named, [], operation, index) }
        try check(.create, operation, index, owner: original.athlete, author: actor.member)
        let fields = try moved(DateShift.copied(original.fields, days: days), operation, index, days: days)
        let items = operation.kind == .trip ? try referrers(of: original, limit: environment.limits.relatedRecords + 1, operation, index) : []
        try checkCount(items.count, operation, index)
        try insert(operation.id, owner: original.athlete, fields, operation, index)
        for referrer in items {
            let item = referrer.record
            var fields = try moved(DateShift.copied(item.fields, days: days), operation, index, days: days)
            fields[referrer.field] = .reference(operation.id)
            let id = DateShift.itemID(trip: operation.id, item: item.id)
            try insert(id, owner: item.athlete, fields, operation, index)
            plans.move(id, wasDue: false)
        }
    }

    private func checkCount(_ count: Int, _ operation: Operation, _ index: Int) throws {
        guard count > environment.limits.relatedRecords else { return }
        throw Rejection(
            .tooMany, "This trip has more items than one change can move: move some of them first. Nothing was changed", operation: index,
            kind: operation.kind, id: operation.id)
    }

    private func moved(_ fields: Fields?, _ operation: Operation, _ index: Int, days: Int) throws -> Fields {
        if let fields { return fields }
        throw Rejection(
            .outOfRange, "The new date would be outside of the years 1 to 9999. Nothing was changed", operation: index, kind: operation.kind,
            id: operation.id, field: "days")
    }

    private static func patch(_ old: Fields, _ new: Fields) -> FieldPatch {
        FieldPatch(assignments: Merge.difference(from: old, to: new).changed)
    }
}
