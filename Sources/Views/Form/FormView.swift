package import Bytes
internal import Commands
package import Dates
package import Family
package import Terminal
internal import Words

/// A form derived from the declarations of kinds: for a new record, for a change, or for the results of an event. Pure.
///
/// The rules (`FormRules`) supply every sentence about an error. The default of an empty field is shown in grey.
package struct FormView: PromptPane {
    package let title: String
    package let saveLabel: String
    package internal(set) var parts: [FormPart]
    package internal(set) var rows: [FormRow]
    /// The focused row; the position after the last row is the button.
    package internal(set) var focus = 0
    /// The sentence above the fields: what is missing before the form can be saved, or why it was refused.
    package internal(set) var banner: String?
    package private(set) var isAskingToDiscard = false
    /// Whether the batch is being sent to the server: no input is accepted in the meantime (R077, R164).
    package private(set) var isSaving = false
    /// The batch that was refused because of an overlap, while the user decides, and the reason why both items are
    /// valid, while the user types it.
    package private(set) var clash: DraftItem?
    var input: LineField?
    var isHelpOpen = false
    var picker: Picker?
    /// The records that fields can name.
    package var options: [Kind: [FormOption]] = [:] {
        didSet { if let editor = picker?.editor { picker = makePicker(in: focus, editor) } }
    }
    /// The members who have a season: only these can own a new record.
    package var athletes: Set<Identifier> = []
    /// The context of the record, for the defaults.
    package var context: RuleContext
    package var today: CalendarDate
    /// The owner of the new record, if the form has no row for it.
    let athlete: Identifier?
    /// How the form is created again.
    let recipe: FormDraft.Recipe
    /// Whether the form is saved even if the user changed nothing.
    private let savesUntouched: Bool
    private var hasTriedToSave = false
    /// The last readable value of each start, by row: its end moves by as much as it does.
    private var starts: [Int: String] = [:]
    var chord = ChordReader()
    package var keymap: Keymap
    package var theme: Theme
    /// The names of chosen records that are no longer among the options.
    private var known: [Identifier: String] = [:]

    /// The records that match a few letters, below the row.
    struct Picker {
        /// An editor that takes as much as a name can have.
        static let emptyEditor = Terminal.LineEditor(limit: Terminal.LineEditor.searchLimit)

        var editor: Terminal.LineEditor
        var selected = 0
        private var options: LabelIndex<FormOption>
        /// The options offered before the user types anything; empty to offer all.
        private let first: [FormOption]
        /// The options that match the letters.
        private(set) var offered: [(candidate: FormOption, match: FuzzyMatch)] = []

        init(_ options: [FormOption], first: [FormOption], _ editor: Terminal.LineEditor) {
            self.options = LabelIndex(options)
            all = options.count
            self.first = first
            self.editor = editor
            find()
        }

        /// The records that are not on the screen while nothing is typed.
        var hidden: Int { editor.isEmpty ? max((first.isEmpty ? all : first.count) - offered.count, 0) : 0 }
        private let all: Int

        mutating func find() {
            selected = 0
            let isEmpty = editor.isEmpty && !first.isEmpty
            offered = isEmpty ? FuzzyMatch.rank("", Array(first.prefix(FormView.pickerRows))) { $0.label } : options.best(editor.text, limit: FormView.pickerRows)
        }
    }

    /// The number of options on the screen at the same time.
    static let pickerRows = 7

    // MARK: Creating a form

    /// - Parameters:
    ///   - asksAthlete: whether the user has to choose a new record's owner.
    ///   - preset: initial values, by field name.
    package static func add(
        _ kind: Kind, athlete: Identifier? = nil, asksAthlete: Bool = false, preset: [String: Value] = [:], context: RuleContext, today: CalendarDate,
        theme: Theme, keymap: Keymap
    ) -> FormView {
        var rows: [FormRow] = []
        if asksAthlete {
            rows.append(FormRow(part: 0, kind: kind, field: nil, label: "Athlete", isRequired: true, content: .chosen([])))
        }
        rows += Self.rows(of: kind, part: 0, Fields(kind), preset: preset)
        let label = kind.declaration.label
        let (title, save) =
            switch kind {
            case .metric: ("Log Performance Metric", "Log Metric")
            case .interaction: ("Log Interaction", "Log Interaction")
            case .school, .coach: ("Add New \(label)", "Save \(label)")
            default: ("Add New \(label)", "Create \(label)")
            }
        var form = FormView(title, save, [FormPart(kind)], rows, athlete, context, today, theme, keymap, .add(kind, athlete: athlete, asksAthlete: asksAthlete))
        // The focus skips fields that already have a value.
        form.focus = rows.firstIndex { $0.isRequired && $0.isEmpty } ?? 0
        return form
    }

    /// Creates the form that chooses the school's coaches who were at an event (R102, R103).
    package static func coaches(_ event: Record, context: RuleContext, today: CalendarDate, theme: Theme, keymap: Keymap) -> FormView {
        let rows = Self.rows(of: .event, part: 0, event.fields, only: ["coaches_present"], sections: false)
        var form = FormView(
            "Coaches Present", "Save Changes", [FormPart(.event, base: event)], rows, event.athlete, context, today, theme, keymap, .coaches(event.id))
        form.picker = form.makePicker(in: 0)
        return form
    }

    package static func edit(_ record: Record, context: RuleContext, today: CalendarDate, theme: Theme, keymap: Keymap) -> FormView {
        let rows = Self.rows(of: record.kind, part: 0, record.fields)
        var form = FormView(
            "Edit \(record.kind.declaration.label)", "Save Changes", [FormPart(record.kind, base: record)], rows, record.athlete, context, today, theme, keymap,
            .edit(record.id))
        // The focus starts at a text field, because a typed letter would change a choice.
        form.focus = rows.firstIndex { if case .typed = $0.content { $0.isRequired } else { false } } ?? 0
        return form
    }

    /// The number of results in the form for an attended event; the user adds more later, one by one.
    package static let resultsAtOnce = 3

    /// Creates the form that records, in one batch, that an athlete attended an event, and the results there
    /// (R088–R093).
    package static func attend(_ event: Record, context: RuleContext, today: CalendarDate, theme: Theme, keymap: Keymap) -> FormView {
        let link: [String: Value] = ["event_id": .reference(event.id)]
        let isGame = event.fields.text("type") == "game"
        var parts = [
            FormPart(.event, base: event, preset: ["attended": .flag(true)], title: "At the event"),
            FormPart(.interaction, preset: link, title: "Optional: did you have any coaching interactions at \(EventText.name(event.fields))?", isOptional: true),
        ]
        var rows = Self.rows(of: .event, part: 0, event.fields, only: ["coaches_present", "performance_notes"], sections: false)
        rows += Self.rows(
            of: .interaction, part: 1, Fields(.interaction), only: ["content", "interaction_type", "direction", "coach_id", "sentiment"],
            preset: ["interaction_type": .text(isGame ? "game" : "in_person_visit"), "direction": .text("outbound")], sections: false)
        for number in 0..<resultsAtOnce {
            parts.append(FormPart(.metric, preset: link, title: number == 0 ? "Optional: results" : "Result \(number + 1)", isOptional: true))
            rows += Self.rows(of: .metric, part: 2 + number, Fields(.metric), only: ["metric_type", "label", "value", "unit"], sections: false)
        }
        return FormView("Mark Attended", "Mark Attended", parts, rows, event.athlete, context, today, theme, keymap, .attend(event.id), savesUntouched: true)
    }

    private init(
        _ title: String, _ saveLabel: String, _ parts: [FormPart], _ rows: [FormRow], _ athlete: Identifier?, _ context: RuleContext, _ today: CalendarDate,
        _ theme: Theme, _ keymap: Keymap, _ recipe: FormDraft.Recipe, savesUntouched: Bool = false
    ) {
        self.recipe = recipe
        self.title = title
        self.saveLabel = saveLabel
        self.parts = parts
        self.rows = rows
        self.athlete = athlete
        self.context = context
        self.today = today
        self.theme = theme
        self.keymap = keymap
        self.savesUntouched = savesUntouched
        for part in parts {
            for case .set(let elements)? in part.base?.fields.values ?? [] {
                for element in elements { known[element.id] = element.name }
            }
        }
    }

    private static func rows(
        of kind: Kind, part: Int, _ fields: Fields, only: [String]? = nil, preset: [String: Value] = [:], sections: Bool = true
    ) -> [FormRow] {
        let declared = kind.declaration.fields
        let wanted = only.map { $0.compactMap { kind.declaration.index(of: $0) } } ?? Array(declared.indices)
        return wanted.compactMap { index in
            let field = declared[index]
            let value = fields[index] ?? preset[field.name] ?? (fields == Fields(kind) ? field.defaultValue : nil)
            guard !field.isServerOnly, let content = FormRow.content(value, field.type) else { return nil }
            return FormRow(
                part: part, kind: kind, field: index, label: field.label, isRequired: !field.mayBeLeftOut, section: sections ? section(kind, field.name) : "",
                content: content)
        }
    }

    /// The sections of R065, by the fields that begin them.
    private static func section(_ kind: Kind, _ field: String) -> String {
        guard kind == .event else { return "" }
        return switch field {
        case "type": "Event Info"
        case "start_date": "Date & Time"
        case "location": "Location"
        case "description": "Event Details"
        case "coaches_present": "Performance"
        default: ""
        }
    }

    // MARK: State

    /// Whether closing the form would lose input.
    package var isChanged: Bool { rows.contains { $0.isChanged } }

    /// The name of a record.
    func name(_ id: Identifier, of kind: Kind?) -> String {
        kind.flatMap { options[$0]?.first { $0.id == id }?.label } ?? known[id] ?? "somebody"
    }

    /// Updates a form when the record that it changes has changed: untouched fields take the new values. The base
    /// stays, so that two changes of the same field become a conflict and neither is lost; a changed field says so
    /// before it is saved.
    ///
    /// - Parameter name: the name of the member who changed the record last.
    package mutating func follow(_ record: Record, by name: String = "somebody") {
        for place in rows.indices where rows[place].part == 0 && rows[place].isChanged && parts[0].base?.id == record.id {
            guard let field = rows[place].field, let content = FormRow.content(record.fields[field], rows[place].type) else { continue }
            if content == rows[place].original || content == rows[place].current {
                rows[place].rival = nil
            } else if record.version > (parts[0].base?.version ?? 0) {
                let words = words(content, rows[place])
                rows[place].rival = words.isEmpty ? "\(name) just cleared this." : "\(name) just made this \(words)."
            }
        }
        for place in rows.indices where rows[place].part == 0 && !rows[place].isChanged && parts[0].base?.id == record.id {
            guard let field = rows[place].field, let content = FormRow.content(record.fields[field], rows[place].type), content != rows[place].original
            else { continue }
            rows[place].reset(to: content)
        }
    }

    /// A content in words, on one line.
    private func words(_ content: FormRow.Content, _ row: FormRow) -> String {
        switch content {
        case .typed(let text): return TextWidth.cut(text.printableLines.first ?? "", to: 40)
        case .choice(let place):
            guard case .choice(_, let labels) = row.type, let place, labels.indices.contains(place) else { return "" }
            return labels[place]
        case .flag(let isOn): return isOn ? "yes" : "no"
        case .chosen(let ids): return TextWidth.cut(ids.map { name($0, of: row.names) }.joined(separator: ", "), to: 40)
        }
    }

    /// Puts a newly created record into the row that requested it.
    package mutating func choose(_ option: FormOption, _ kind: Kind) {
        if options[kind]?.contains(where: { $0.id == option.id }) != true { options[kind, default: []].append(option) }
        guard rows.indices.contains(focus), rows[focus].names == kind else { return }
        take(option.id)
    }

    /// Puts a text into the focused row.
    package mutating func write(_ text: String) {
        guard rows.indices.contains(focus), case .typed = rows[focus].content else { return }
        rows[focus].editor.set(text)
        rows[focus].isTouched = true
        check()
    }

    /// Shows a sentence above the fields.
    package mutating func say(_ sentence: String) { banner = sentence }

    /// Reports that the batch is being sent.
    package mutating func beginSaving() { (isSaving, clash, input, picker) = (true, nil, nil, nil) }

    /// Asks how to resolve an overlap with another item; the input stays (R155).
    package mutating func ask(about clash: DraftItem) {
        isSaving = false
        self.clash = clash
        banner = clash.reason.first
    }

    /// Shows why the batch was refused, and at which field.
    package mutating func refuse(_ rejection: Rejection) {
        isSaving = false
        banner = rejection.message
        guard let name = rejection.field, let place = rows.firstIndex(where: { $0.declaration?.name == name && $0.kind == rejection.kind }) else { return }
        rows[place].problem = rejection.message
        focus = place
    }

    // MARK: Keys

    package mutating func handle(_ input: InputEvent) -> [FormAction] { receive(input) }

    mutating func paste(_ text: String) {
        if isSaving { return }
        if input != nil {
            input?.paste(text)
        } else if picker != nil {
            _ = picker?.editor.insert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
            picker?.find()
        } else if rows.indices.contains(focus), case .typed = rows[focus].content {
            type(rows[focus].height > 1 ? text : text.split(whereSeparator: \.isNewline).joined(separator: " "))
        }
    }

    mutating func roll(_ count: Int) {
        if picker == nil, !isSaving { move(count) }
    }

    /// The names of click targets: a field by its position, with the button after the last; the offers of a field's
    /// list.
    static let fieldTarget = "field", offerTarget = "offer"

    mutating func click(_ target: ClickTarget?) -> [FormAction] {
        guard !isSaving else { return [] }
        guard case .place(let name, let place)? = target else {
            picker = nil
            return []
        }
        if name == Self.offerTarget {
            picker?.selected = place
            return pick(Key(.enter))
        }
        guard name == Self.fieldTarget, place >= 0, place <= rows.count else { return [] }
        picker = nil
        let before = focus
        move(place - focus)
        guard rows.indices.contains(place) else { return save() }
        // A second click on a field does the same as the space bar there.
        switch rows[place].content {
        case .flag(let isOn): rows[place].content = .flag(!isOn)
        case .choice where before == place: cycle(1)
        case .chosen where before == place: picker = makePicker(in: place)
        case .choice, .chosen, .typed: break
        }
        check()
        return []
    }

    mutating func press(_ key: Terminal.Key) -> [FormAction] {
        if isSaving {
            // The user may open another buffer in the meantime.
            if case .action(let name) = chord.feed(key, keymap, in: ["form"]), let shared = SharedAction(named: name) { return [.shared(shared)] }
            return []
        }
        if input != nil { return type(key) }
        if clash != nil { return decide(key) }
        if isAskingToDiscard {
            isAskingToDiscard = false
            return key.typed?.lowercased() == "y" ? [.discard] : []
        }
        if picker != nil { return pick(key) }
        return dispatch(key, in: "form", "input")
    }

    mutating func pressUnbound(_ key: Terminal.Key) -> [FormAction] {
        if let character = key.typed { typeOrChoose(character) }
        return []
    }

    mutating func accept(_ text: String) -> [FormAction] {
        text.contains { !$0.isWhitespace } ? [.accept(reason: text)] : [.shared(.bell)]
    }

    /// Decides about an overlap: accept both with a reason, or change the form.
    private mutating func decide(_ key: Terminal.Key) -> [FormAction] {
        switch key.typed {
        case "w", "o": input = LineField("Reason: ")
        case "x": return [.discard]
        default:
            if key.typed == "e" || key.typed == "q" || [Key(.escape), Key(.enter), .control("c")].contains(key) {
                clash = nil
            } else if case .action(let name) = keymap.outcome(of: [key], in: ["form"]), let shared = SharedAction(named: name) {
                // The user may first want to look at the overlapping item.
                return [.shared(shared)]
            } else {
                return [.shared(.bell)]
            }
        }
        return []
    }

    mutating func run(_ command: FormCommand) -> [FormAction] {
        switch command {
        case .next:
            if focus == rows.count { return save() }
            if rows[focus].height > 1, rows[focus].editor.perform(.nextLine) == .changed { return [] }
            move(1)
        case .previous:
            if rows.indices.contains(focus), rows[focus].height > 1, rows[focus].editor.perform(.previousLine) == .changed { return [] }
            move(-1)
        case .save: return save()
        case .cancel:
            guard isChanged else { return [.discard] }
            isAskingToDiscard = true
        case .directions: return [.shared(directions.map { .copy($0) } ?? .say("Write an address or a city first."))]
        case .later: step(1)
        case .earlier: step(-1)
        case .editOutside:
            guard rows.indices.contains(focus), rows[focus].height > 1 else { return [.shared(.bell)] }
            return [.editOutside(rows[focus].editor.text)]
        }
        return []
    }

    /// A link to directions for the place that was typed for an event (R080).
    var directions: String? {
        var fields = Fields(.event)
        for row in rows where row.kind == .event {
            guard let name = row.declaration?.name, ["address", "city", "state"].contains(name), case .typed(let text) = row.current, !text.trimmed.isEmpty else { continue }
            fields[name] = .text(text.trimmed)
        }
        return Directions.link(fields)
    }

    private mutating func move(_ count: Int) {
        leave()
        focus = min(max(focus + count, 0), rows.count)
    }

    /// Checks a row when the focus leaves it.
    private mutating func leave() {
        guard rows.indices.contains(focus) else { return }
        if case .typed = rows[focus].content, let text = TypedValue.spelled(rows[focus].editor.text, rows[focus].type, today: today, day: day(of: focus)) {
            rows[focus].editor.set(text)
        }
        if rows[focus].isChanged { rows[focus].isTouched = true }
        moveEnd()
        check()
    }

    /// The row of another field of the same record.
    private func row(_ name: String, of part: Int) -> Int? { rows.firstIndex { $0.part == part && $0.declaration?.name == name } }

    /// The day of a date and time of which only the time is typed: its own so far, else that of the start.
    func day(of place: Int) -> CalendarDate? {
        let row = rows[place]
        guard case .localDateTime = row.type else { return nil }
        var texts = [starts[place]]
        if case .typed(let text) = row.original { texts.append(text) }
        if row.declaration?.name == "end_time", let start = self.row("start_time", of: row.part) { texts += [rows[start].editor.text, starts[start]] }
        return texts.lazy.compactMap { $0.flatMap { LocalDateTime($0) }?.date }.first
    }

    /// Keeps the length of what is planned when its start is moved, and lets an end that is earlier by the clock be on
    /// the next day, as the form shows it before anything is typed.
    private mutating func moveEnd() {
        let row = rows[focus]
        guard let name = row.declaration?.name, case .typed = row.content else { return }
        if let end = ["start_date": "end_date", "start_time": "end_time"][name].flatMap({ self.row($0, of: row.part) }) {
            let before = starts[focus] ?? { if case .typed(let text) = row.original { text } else { "" } }()
            let now = row.editor.text.trimmed
            let other = rows[end].editor.text.trimmed
            if now != before, !other.isEmpty, let moved = Self.moved(other, row.type, from: before, to: now) {
                rows[end].editor.set(moved)
                rows[end].isTouched = true
            }
            if Self.isReadable(now, row.type) { starts[focus] = now }
        }
        guard ["start_date", "start_time", "end_time"].contains(name), parts[row.part].base == nil, let date = self.row("start_date", of: row.part),
            let endDate = self.row("end_date", of: row.part), let start = self.row("start_time", of: row.part), let end = self.row("end_time", of: row.part),
            rows[endDate].editor.isEmpty, let day = CalendarDate(rows[date].editor.text.trimmed),
            let startTime = LocalTime(rows[start].editor.text.trimmed), let endTime = LocalTime(rows[end].editor.text.trimmed),
            endTime.minutes < startTime.minutes, endTime.minutes + 1_440 - startTime.minutes <= Self.longestNight, let next = day.adding(days: 1)
        else { return }
        rows[endDate].editor.set(next.description)
    }

    /// Minutes: an end that is more than this after the start, past midnight, is rather a mistake.
    private static let longestNight = 720

    private static func isReadable(_ text: String, _ type: FieldType) -> Bool {
        switch type {
        case .date: CalendarDate(text) != nil
        case .time: LocalTime(text) != nil
        case .localDateTime: LocalDateTime(text) != nil
        default: false
        }
    }

    /// An end, moved by as much as its start was; `nil` where one of the three cannot be read or the end was wrong.
    private static func moved(_ end: String, _ type: FieldType, from before: String, to now: String) -> String? {
        switch type {
        case .date:
            guard let end = CalendarDate(end), let before = CalendarDate(before), let now = CalendarDate(now), end >= before else { return nil }
            return end.adding(days: now.days - before.days)?.description
        case .time:
            guard let end = LocalTime(end), let before = LocalTime(before), let now = LocalTime(now), end >= before else { return nil }
            return LocalDateTime(date: .first, time: end).adding(minutes: (now.minutes - before.minutes + 1_440) % 1_440)?.time.description
        case .localDateTime:
            guard let end = LocalDateTime(end), let before = LocalDateTime(before), let now = LocalDateTime(now), end.date >= before.date else { return nil }
            let minutes = (now.date.days - before.date.days) * 1_440 + now.time.minutes - before.time.minutes
            return end.adding(minutes: minutes)?.description
        default: return nil
        }
    }

    private mutating func type(_ text: String) {
        _ = rows[focus].editor.insert(text)
        rows[focus].isTouched = true
        rows[focus].problem = nil
        banner = nil
    }

    private mutating func typeOrChoose(_ character: Character) {
        guard rows.indices.contains(focus) else {
            isHelpOpen = character == "?"
            return
        }
        switch rows[focus].content {
        case .typed: type(String(character))
        case .flag(let isOn):
            switch character {
            case " ": rows[focus].content = .flag(!isOn)
            case "y", "Y", "x": rows[focus].content = .flag(true)
            case "n", "N": rows[focus].content = .flag(false)
            default: isHelpOpen = character == "?"
            }
        case .choice: character == " " ? cycle(1) : chooseByLetter(character)
        case .chosen:
            var editor = Picker.emptyEditor
            if character != " " { _ = editor.insert(String(character)) }
            picker = makePicker(in: focus, editor)
        }
        check()
    }

    /// Selects the next choice that begins with a letter.
    private mutating func chooseByLetter(_ character: Character) {
        guard case .choice(_, let labels) = rows[focus].type, case .choice(let place) = rows[focus].content else { return }
        let order = labels.indices.map { ($0 + (place ?? -1) + 1) % labels.count }
        if let next = order.first(where: { labels[$0].lowercased().hasPrefix(character.lowercased()) }) { rows[focus].content = .choice(next) }
    }

    mutating func edit(_ command: EditCommand) {
        guard rows.indices.contains(focus) else { return }
        switch rows[focus].content {
        case .typed:
            if command == .newline, rows[focus].height == 1 { return }
            if rows[focus].editor.perform(command) == .changed {
                rows[focus].problem = nil
                banner = nil
            }
        case .flag(let isOn): if command == .backwardCharacter || command == .forwardCharacter { rows[focus].content = .flag(!isOn) }
        case .choice:
            switch command {
            case .forwardCharacter: cycle(1)
            case .backwardCharacter: cycle(-1)
            case .deleteBackward, .deleteForward, .killToStart: rows[focus].content = .choice(nil)
            default: return
            }
        case .chosen(let ids):
            switch command {
            case .forwardCharacter: cycle(1)
            case .backwardCharacter: cycle(-1)
            case .deleteBackward: rows[focus].content = .chosen(ids.dropLast())
            case .deleteForward, .killToStart: rows[focus].content = .chosen([])
            default: return
            }
        }
        check()
    }

    /// Selects the next or previous of a few choices; an optional field also has an empty choice.
    private mutating func cycle(_ step: Int) {
        func next(_ place: Int?, of count: Int, orNone: Bool) -> Int? {
            guard count > 0 else { return nil }
            let all = count + (orNone ? 1 : 0)
            let now = place.map { $0 + (orNone ? 1 : 0) } ?? (orNone ? 0 : step > 0 ? -1 : 0)
            let new = (now + step + all) % all
            return orNone ? (new == 0 ? nil : new - 1) : new
        }
        switch (rows[focus].content, rows[focus].type) {
        case (.choice(let place), .choice(let words, _)): rows[focus].content = .choice(next(place, of: words.count, orNone: !rows[focus].isRequired))
        case (.chosen(let ids), .reference(let kind)):
            let all = offers(of: rows[focus], kind)
            let place = ids.first.flatMap { id in all.firstIndex { $0.id == id } }
            rows[focus].content = .chosen(next(place, of: all.count, orNone: !rows[focus].isRequired).map { [all[$0].id] } ?? [])
        default: break
        }
    }

    /// Steps the focused field by a day, a quarter of an hour, or one.
    private mutating func step(_ count: Int) {
        guard rows.indices.contains(focus) else { return }
        if case .typed = rows[focus].content {
            guard let text = TypedValue.stepped(rows[focus].editor.text, rows[focus].type, by: count, today: today, day: day(of: focus)) else { return }
            rows[focus].editor.set(text)
            rows[focus].isTouched = true
        } else {
            cycle(count)
        }
        check()
    }

    // MARK: Picking a record

    /// The records that a row offers.
    private func makePicker(in row: Int, _ editor: Terminal.LineEditor = Picker.emptyEditor) -> Picker {
        guard rows.indices.contains(row), let kind = rows[row].names else { return Picker([], first: [], editor) }
        let all = offers(of: rows[row], kind)
        // Before the user types anything, the picker offers the coaches of the event's school (R102).
        return Picker(all, first: kind == .coach ? school.map { school in all.filter { $0.group == school } } ?? [] : [], editor)
    }

    /// The records that a row can name; only athletes can own a new record.
    private func offers(of row: FormRow, _ kind: Kind) -> [FormOption] {
        let all = options[kind] ?? []
        return row.field == nil ? all.filter { athletes.contains($0.id) } : all
    }

    /// The kinds of the records that the rows can name.
    package var kindsNamed: Set<Kind> { Set(rows.compactMap(\.names)) }

    /// The chosen school, or the school of the changed record.
    private var school: Identifier? {
        if let row = rows.first(where: { $0.names == .school }) {
            guard case .chosen(let ids) = row.content else { return nil }
            return ids.first
        }
        return parts.first?.base?.fields.reference("school_id")
    }

    /// The further offers of a field's list below the records: for a school that is not listed (R072–R074).
    enum Extra: Hashable {
        /// A new school, with this name if the user typed one.
        case new(String)
        /// A school outside the list: its name becomes the host, or the user types it there.
        case notListed(String)
        /// No school; only if one is chosen.
        case noSchool
    }

    var extras: [Extra] {
        guard let picker, rows.indices.contains(focus), rows[focus].names == .school else { return [] }
        let text = picker.editor.text.trimmed
        let other: [Extra] = hostRow == nil ? [] : [.notListed(text)]
        let none: [Extra] = rows[focus].isEmpty || !text.isEmpty ? [] : [.noSchool]
        return [.new(text)] + other + none
    }

    private var hostRow: Int? { rows.firstIndex { $0.kind == .event && $0.declaration?.name == "host" } }

    /// Puts the name into the host field and chooses no school.
    private mutating func chooseNotListed(_ name: String) {
        picker = nil
        rows[focus].content = .chosen([])
        guard let host = hostRow else { return }
        if !name.isEmpty {
            rows[host].editor.set(name)
            rows[host].isTouched = true
        }
        focus = host
        check()
    }

    private mutating func pick(_ key: Key) -> [FormAction] {
        let offered = picker?.offered ?? []
        let extras = extras
        let count = offered.count + extras.count
        let selected = picker?.selected ?? 0
        switch (key.code, key.modifiers) {
        case (.escape, []), (.character("c"), .control), (.character("g"), .control): picker = nil
        case (.enter, []), (.tab, []):
            if offered.indices.contains(selected) {
                take(offered[selected].candidate.id)
                // A field for several stays open to further letters; Tab leaves it.
                if rows[focus].room == 1 || key.code == .tab { move(1) }
            } else if extras.indices.contains(selected - offered.count) {
                switch extras[selected - offered.count] {
                case .new(let name):
                    picker = nil
                    return [.addSchool(name)]
                case .notListed(let name): chooseNotListed(name)
                case .noSchool:
                    picker = nil
                    rows[focus].content = .chosen([])
                    check()
                    move(1)
                }
            }
        case (.up, []), (.character("p"), .control): picker?.selected = count == 0 ? 0 : (selected + count - 1) % count
        case (.down, []), (.character("n"), .control): picker?.selected = count == 0 ? 0 : (selected + 1) % count
        default:
            if case .action(let name) = keymap.outcome(of: [key], in: ["input"]), let command = EditCommand(rawValue: name), command != .newline {
                _ = picker?.editor.perform(command)
            } else if case .action(let name) = keymap.outcome(of: [key], in: ["form"]), let shared = SharedAction(named: name) {
                // The list stays open while the user looks at another page.
                return [.shared(shared)]
            } else if let character = key.typed {
                _ = picker?.editor.insert(String(character))
            }
            picker?.find()
        }
        return []
    }

    /// Adds a record to the row, or removes it if the row has it; a row for a single record replaces its record.
    private mutating func take(_ id: Identifier) {
        picker = nil
        guard case .chosen(var ids) = rows[focus].content else { return }
        if let place = ids.firstIndex(of: id), rows[focus].room > 1 {
            ids.remove(at: place)
        } else if rows[focus].room == 1 {
            ids = [id]
        } else if ids.count < rows[focus].room {
            ids.append(id)
        }
        rows[focus].content = .chosen(ids)
        check()
    }

    // MARK: Saving

    private mutating func save() -> [FormAction] {
        leave()
        hasTriedToSave = true
        let isComplete = check()
        guard isComplete else {
            banner = rows.contains { $0.problem?.hasSuffix(" is required") == true } ? "Please complete all required fields" : "Please correct what is marked"
            if let first = rows.firstIndex(where: { $0.problem != nil }) { focus = first }
            return []
        }
        let entries = entries
        guard isChanged || savesUntouched || parts[0].base == nil else { return [.discard] }
        return [.save(entries, athlete: athlete ?? owner)]
    }

    private var owner: Identifier? {
        guard let row = rows.first(where: { $0.field == nil }), case .chosen(let ids) = row.content else { return nil }
        return ids.first
    }

    /// Checks the whole form.
    ///
    /// - Returns: whether the form can be saved.
    @discardableResult
    mutating func check() -> Bool {
        var isComplete = true
        for (number, part) in parts.enumerated() {
            let places = rows.indices.filter { rows[$0].part == number }
            var fields = part.base?.fields ?? Fields(part.kind)
            var isSound = true
            let counts = !part.isOptional || places.contains { rows[$0].isChanged }
            for place in places {
                rows[place].problem = nil
                let row = rows[place]
                guard let field = row.field else {
                    if row.isEmpty, row.isTouched || hasTriedToSave { rows[place].problem = "\(row.label) is required" }
                    if row.isEmpty { isSound = false }
                    continue
                }
                fields[field] = nil
                if let value = row.value {
                    do throws(Rejection) {
                        // The server fills in the names of elements; a value that is not checked stays as it was.
                        fields[field] = row.isChanged ? try FormRules.canonical(value, row.kind, field: field) : part.base?.fields[field] ?? value
                    } catch {
                        isSound = false
                        rows[place].problem = error.message
                    }
                } else if row.isRequired, counts {
                    isSound = false
                    if row.isTouched || hasTriedToSave { rows[place].problem = "\(row.label) is required" }
                }
            }
            guard counts else { continue }
            for (name, value) in part.preset { fields[name] = value }
            let whole = part.base == nil ? FormRules.completed(fields, context) : fields
            if let mistake = isSound ? FormRules.mistake(whole) : FormRules.contradiction(whole) {
                // While required fields are empty, only typed values can be wrong (R059).
                if let place = places.first(where: { rows[$0].declaration?.name == mistake.field }), rows[place].problem == nil,
                    isSound || rows[place].isTouched || hasTriedToSave
                {
                    rows[place].problem = mistake.message
                }
                isSound = false
            }
            if !isSound { isComplete = false }
        }
        if isComplete { banner = nil }
        return isComplete
    }

    /// The batch: changes contain only the fields that differ.
    private var entries: [FormEntry] {
        parts.enumerated().compactMap { number, part in
            let own = rows.filter { $0.part == number && $0.field != nil }
            if part.isOptional, !own.contains(where: { $0.isChanged }) { return nil }
            var patch = FieldPatch()
            for row in own where part.base == nil ? !row.isEmpty : row.isChanged {
                guard let field = row.field else { continue }
                if part.base != nil, case .set = row.type, case .chosen(let new) = row.content, case .chosen(let old) = row.original {
                    patch.setEdits.append(.init(field: field, add: new.filter { !old.contains($0) }.sorted(), remove: old.filter { !new.contains($0) }.sorted()))
                } else {
                    patch.assignments.append(.init(field: field, value: row.value))
                }
            }
            for (name, value) in part.preset {
                guard let field = part.kind.declaration.index(of: name) else { continue }
                patch.assignments.append(.init(field: field, value: value))
            }
            patch.assignments.sort { $0.field < $1.field }
            return FormEntry(kind: part.kind, base: part.base, patch: patch)
        }
    }

    /// The default that an empty row will get, in words; "" if there is none.
    func filledIn(_ place: Int) -> String {
        let row = rows[place]
        guard row.isEmpty, let field = row.field, parts[row.part].base == nil, let completed = completed[row.part] else { return "" }
        switch completed[field] {
        case .text(let text)?:
            if case .choice(let words, let labels) = row.type { return words.firstIndex(of: text).map { labels[$0] } ?? text }
            return text
        default: return ""
        }
    }

    /// The new records as the form would save them, by part.
    private var completed: [Int: Fields] {
        var result: [Int: Fields] = [:]
        for (number, part) in parts.enumerated() where part.base == nil {
            var fields = Fields(part.kind)
            for row in rows where row.part == number {
                guard let field = row.field, row.problem == nil else { continue }
                fields[field] = row.value.flatMap { try? FormRules.canonical($0, row.kind, field: field) }
            }
            for (name, value) in part.preset { fields[name] = value }
            result[number] = FormRules.completed(fields, context)
        }
        return result
    }
}
