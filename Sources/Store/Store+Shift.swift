import Bytes
import Family

// Whole plans moved or copied by days: a trip with its items, an item, an event. Local times stay (`DateShift`).
extension Store {
    func shift(_ operation: Operation, _ index: Int, base: Int64, days: Int, _ change: inout PendingChange) throws {
        var row = try find(operation, index, change)
        let current = row.record
        let fields = try moved(DateShift.moved(current.fields, days: days), operation, index, days: days)
        try check(.update, operation, index, owner: current.athlete, author: current.createdBy, patch: Self.patch(current.fields, fields), change)
        guard !current.isDeleted, change.isCurrent(base, current) else { throw conflict(current, [], operation, index, change) }
        let items = operation.kind == .trip ? try referrers.referrers(family: change.family.key, current, limit: environment.limits.relatedRecords + 1) : []
        try checkCount(items.count, operation, index)
        try Validation.check(fields, operation: index, id: operation.id, environment: environment.rules)
        try write(&row, fields, operation, index, &change)
        for (item, _) in items {
            var item = item
            let fields = try moved(DateShift.moved(item.record.fields, days: days), operation, index, days: days)
            try Validation.check(fields, operation: index, id: item.record.id, environment: environment.rules)
            let wasDue = change.plans.items[item.record.id] != nil
            try write(&item, fields, operation, index, &change)
            change.plans.move(item.record.id, wasDue: wasDue)
        }
    }

    func copy(_ operation: Operation, _ index: Int, from source: Identifier, days: Int, _ change: inout PendingChange) throws {
        try refuseRemoved(source, operation, index, change)
        let original = try find(Operation(kind: operation.kind, id: source, action: operation.action), index, change).record
        guard !original.isDeleted else { throw conflict(original, [], operation, index, change) }
        try check(.create, operation, index, owner: original.athlete, author: change.actor.member, change)
        let fields = try moved(DateShift.copied(original.fields, days: days), operation, index, days: days)
        let items = operation.kind == .trip ? try referrers.referrers(family: change.family.key, original, limit: environment.limits.relatedRecords + 1) : []
        try checkCount(items.count, operation, index)
        try insert(operation.id, owner: original.athlete, fields, operation, index, &change)
        for (item, field) in items {
            var fields = try moved(DateShift.copied(item.record.fields, days: days), operation, index, days: days)
            fields[field] = .reference(operation.id)
            let id = DateShift.itemID(trip: operation.id, item: item.record.id)
            try insert(id, owner: item.record.athlete, fields, operation, index, &change)
            change.plans.move(id, wasDue: false)
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
            .outOfRange, "That many days lie beyond the years 1 to 9999. Nothing was changed", operation: index, kind: operation.kind,
            id: operation.id, field: "days")
    }

    private static func patch(_ old: Fields, _ new: Fields) -> FieldPatch {
        FieldPatch(assignments: Merge.difference(from: old, to: new).changed)
    }
}
