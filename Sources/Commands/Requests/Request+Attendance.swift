internal import Arguments
internal import Bytes
internal import Dates
internal import Family
internal import Words

extension Attendance {
    /// The batch.
    ///
    /// - Parameter fresh: makes the ids of new records.
    /// - Throws: `UsageError` for a name or a word that is not valid, `Rejection` if a rule refuses the batch; both
    ///   before anything is sent.
    func operations(_ lookup: RecordLookup, _ context: RuleContext, today: CalendarDate, fresh: () -> Identifier) throws -> [Operation] {
        let record = try lookup.find([.event], event)
        let names = lookup.names
        var fields = [try Self.input(.event, "attended", "yes")]
        if let notes { fields.append(try Self.input(.event, "performance_notes", notes)) }
        if !coaches.isEmpty {
            fields.append(try Self.input(.event, "coaches_present", coaches.map { "+" + $0 }.joined(separator: ",")))
        }
        var operations = [try Request.update(record, try FieldOptions.patch(fields, .event, names: names, today: today))]
        if let said = log ?? (isQuick ? "Attended \(record.fields.text("name") ?? "it")." : nil) {
            var inputs = [
                try Self.input(.interaction, "event_id", record.id.description),
                try Self.input(.interaction, "interaction_type", record.fields.text("type") == "game" ? "game" : "in_person_visit"),
                try Self.input(.interaction, "direction", direction ?? "outbound"), try Self.input(.interaction, "content", said),
            ]
            if let with { inputs.append(try Self.input(.interaction, "coach_id", with)) }
            if let sentiment { inputs.append(try Self.input(.interaction, "sentiment", sentiment)) }
            operations.append(try create(.interaction, inputs, record, names, context, today, fresh()))
        }
        for result in results {
            var inputs = [
                try Self.input(.metric, "event_id", record.id.description), try Self.input(.metric, "metric_type", result.type),
                try Self.input(.metric, "value", result.value),
            ]
            if let unit = result.unit { inputs.append(try Self.input(.metric, "unit", unit)) }
            operations.append(try create(.metric, inputs, record, names, context, today, fresh()))
        }
        return operations
    }

    private func create(
        _ kind: Kind, _ inputs: [FieldInput], _ event: Record, _ names: RecordNames, _ context: RuleContext, _ today: CalendarDate, _ id: Identifier
    ) throws -> Operation {
        try Request.create(kind, try FieldOptions.patch(inputs, kind, names: names, today: today), athlete: event.athlete, id: id, context: context)
    }

    private static func input(_ kind: Kind, _ name: String, _ text: String) throws(UsageError) -> FieldInput {
        guard let field = kind.declaration.index(of: name) else { throw UsageError("\(kind.declaration.label) has no field \(name).") }
        return FieldInput(field: field, text: text)
    }
}
