internal import Arguments
internal import Bytes
internal import Family

/// That somebody was at an event, and what happened there: the flag, who was there, notes, an interaction, results; one batch.
package struct Attendance: Hashable, Sendable {
    /// One result: `pop_time=1.89`, `velocity=82.5 mph`.
    package struct Result: Hashable, Sendable {
        package var type: String
        package var value: String
        /// Of the type, when it says none.
        package var unit: String?

        package init(type: String, value: String, unit: String? = nil) {
            self.type = type
            self.value = value
            self.unit = unit
        }
    }

    package var event: String
    /// Names or ids of coaches, added to those who stand there.
    package var coaches: [String] = []
    package var notes: String?
    /// What the interaction says; `nil`: none is logged, unless `isQuick`.
    package var log: String?
    /// Logs one with words made from the event.
    package var isQuick = false
    /// The coach of the interaction.
    package var with: String?
    package var direction: String?
    package var sentiment: String?
    package var results: [Result] = []

    package init(event: String) { self.event = event }

    init(_ event: String, _ list: ArgumentList) throws(UsageError) {
        self.event = event
        coaches = (list.value("--coaches") ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        notes = list.value("--notes")
        log = list.value("--log")
        isQuick = list.has("--quick")
        with = list.value("--with")
        direction = list.value("--direction")
        sentiment = list.value("--sentiment")
        if log == nil, !isQuick, with != nil || direction != nil || sentiment != nil {
            throw UsageError("--with, --direction and --sentiment are about an interaction: add --log TEXT, or --quick.")
        }
        for text in list.all("--metric") {
            let parts = text.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            let words = parts.count == 2 ? parts[1].split(separator: " ", maxSplits: 1).map(String.init) : []
            guard let value = words.first else { throw UsageError("--metric takes TYPE=VALUE, like pop_time=1.89.") }
            results.append(Result(type: parts[0], value: value, unit: words.count > 1 ? words[1] : nil))
        }
    }

    /// The batch.
    ///
    /// - Parameter fresh: ids of what is created.
    /// - Throws: `UsageError` for a name or a word that makes no sense, `Rejection` when a rule refuses it; both before anything is sent.
    func operations(_ lookup: RecordLookup, _ context: RuleContext, fresh: () -> Identifier) throws -> [Operation] {
        let record = try lookup.find([.event], event)
        let names = lookup.names
        var fields = [try Self.input(.event, "attended", "yes")]
        if let notes { fields.append(try Self.input(.event, "performance_notes", notes)) }
        if !coaches.isEmpty {
            fields.append(try Self.input(.event, "coaches_present", coaches.map { "+" + $0 }.joined(separator: ",")))
        }
        var operations = [try Request.update(record, try FieldOptions.patch(fields, .event, names: names))]
        if let said = log ?? (isQuick ? "Attended \(record.fields.text("name") ?? "it")." : nil) {
            var inputs = [
                try Self.input(.interaction, "event_id", record.id.description),
                try Self.input(.interaction, "interaction_type", record.fields.text("type") == "game" ? "game" : "in_person_visit"),
                try Self.input(.interaction, "direction", direction ?? "outbound"), try Self.input(.interaction, "content", said),
            ]
            if let with { inputs.append(try Self.input(.interaction, "coach_id", with)) }
            if let sentiment { inputs.append(try Self.input(.interaction, "sentiment", sentiment)) }
            operations.append(try create(.interaction, inputs, record, names, context, fresh()))
        }
        for result in results {
            var inputs = [
                try Self.input(.metric, "event_id", record.id.description), try Self.input(.metric, "metric_type", result.type),
                try Self.input(.metric, "value", result.value),
            ]
            if let unit = result.unit { inputs.append(try Self.input(.metric, "unit", unit)) }
            operations.append(try create(.metric, inputs, record, names, context, fresh()))
        }
        return operations
    }

    private func create(
        _ kind: Kind, _ inputs: [FieldInput], _ event: Record, _ names: RecordNames, _ context: RuleContext, _ id: Identifier
    ) throws -> Operation {
        try Request.create(kind, try FieldOptions.patch(inputs, kind, names: names), athlete: event.athlete, id: id, context: context)
    }

    private static func input(_ kind: Kind, _ name: String, _ text: String) throws(UsageError) -> FieldInput {
        guard let field = kind.declaration.index(of: name) else { throw UsageError("\(kind.declaration.label) has no field \(name).") }
        return FieldInput(field: field, text: text)
    }
}
