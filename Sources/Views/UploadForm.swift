package import Bytes
internal import Documents
internal import Family
internal import JSON
package import Terminal
internal import Uploads

/// The form before an upload (R133–R135). Pure: the caller checks whether the file exists.
package struct UploadForm: Sendable {
    package enum Field: Int, CaseIterable, Sendable {
        case file, type, title, school, text, athlete
    }

    package enum Outcome: Hashable, Sendable {
        case goesOn
        case cancelled
        case done(UploadDescription)
        case completePath(String)
        /// An action that every view shares.
        case shared(SharedAction)
    }

    /// A person or a school to choose, by name.
    package struct Choice: Hashable, Sendable {
        package let id: Identifier
        package let name: String

        package init(_ id: Identifier, _ name: String) { (self.id, self.name) = (id, name) }
    }

    package private(set) var field = Field.file
    /// Whether the form asks for confirmation before it discards the input.
    package private(set) var isAskingToDiscard = false
    package private(set) var problems: [Field: String] = [:]
    /// The document whose next version it is.
    let replaces: Choice?
    /// The number of the new version (R133): one more than the newest version of the replaced document, as the server
    /// counts; `nil` while it is unknown.
    var version: Int64? = 1
    var file = LineField("")
    var title: LineField
    var text = LineField("", isMultiline: true)
    private var unused = LineField("")
    var type: Int?
    /// The chosen school; 0 for none.
    var school = 0
    var athlete: Int?
    private(set) var schools: [Choice]
    private(set) var athletes: [Choice]
    /// The names that match the typed part of a path.
    package private(set) var options: [String] = []

    /// - Parameters:
    ///   - athlete: the owner, if known.
    ///   - replaces: the replaced document; the form takes over its type and school.
    package init(schools: [Choice], athletes: [Choice], athlete: Identifier?, replaces: (document: Choice, type: String?, school: Identifier?)? = nil) {
        self.schools = schools
        self.athletes = athletes
        self.athlete = athletes.firstIndex { $0.id == athlete } ?? (athletes.count == 1 ? 0 : nil)
        self.replaces = replaces?.document
        title = LineField("", text: replaces?.document.name ?? "")
        type = replaces?.type.flatMap { type in DocumentType.allCases.firstIndex { $0.rawValue == type } }
        school = replaces?.school.flatMap { school in schools.firstIndex { $0.id == school }.map { $0 + 1 } } ?? 0
    }

    /// Restores the form from `kept` of an earlier run; `nil` for a text that no form wrote.
    package init?(kept: String, schools: [Choice], athletes: [Choice]) {
        var (file, type, title, text) = ("", "", "", "")
        var (school, athlete, replaced, name): (Identifier?, Identifier?, Identifier?, String) = (nil, nil, nil, "")
        do throws(JSONError) {
            try JSONReader.read(Array(kept.utf8)) { (reader: inout JSONReader) throws(JSONError) in
                try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                    switch key {
                    case "file": file = try reader.readString()
                    case "type": type = try reader.readString()
                    case "title": title = try reader.readString()
                    case "description": text = try reader.readString()
                    case "school": school = try reader.readIdentifier()
                    case "athlete": athlete = try reader.readIdentifier()
                    case "replaces": replaced = try reader.readIdentifier()
                    case "replaces_title": name = try reader.readString()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            return nil
        }
        self.init(
            schools: schools, athletes: athletes, athlete: athlete, replaces: replaced.map { (Choice($0, name), type, school) })
        self.file.set(file)
        self.type = DocumentType.allCases.firstIndex { $0.rawValue == type }
        self.title.set(title)
        self.text.set(text)
        self.school = school.flatMap { school in schools.firstIndex { $0.id == school }.map { $0 + 1 } } ?? 0
    }

    /// The input as JSON; `nil` if nothing would be lost if the program ended now.
    package var kept: String? {
        guard !(file.text.isEmpty && text.text.isEmpty && title.text == (replaces?.name ?? "")) else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [("file", file.text), ("title", title.text), ("description", text.text), ("type", type.map { DocumentType.allCases[$0].rawValue } ?? "")] {
            writer.key(name)
            writer.string(value)
        }
        let chosenSchool = school > 0 && schools.indices.contains(school - 1) ? schools[school - 1].id : nil
        let chosenAthlete = athlete.flatMap { athletes.indices.contains($0) ? athletes[$0].id : nil }
        for (name, id) in [("school", chosenSchool), ("athlete", chosenAthlete), ("replaces", replaces?.id)] {
            guard let id else { continue }
            writer.key(name)
            writer.identifier(id)
        }
        if let replaces {
            writer.key("replaces_title")
            writer.string(replaces.name)
        }
        writer.endObject()
        return String(decoding: writer.octets, as: UTF8.self)
    }

    /// Takes the current choices; the user's selection stays.
    package mutating func offer(schools: [Choice], athletes: [Choice]) {
        guard schools != self.schools || athletes != self.athletes else { return }
        let (oldSchool, oldAthlete) = (school > 0 && self.schools.indices.contains(school - 1) ? self.schools[school - 1].id : nil, athlete.map { self.athletes[$0].id })
        (self.schools, self.athletes) = (schools, athletes)
        school = oldSchool.flatMap { old in schools.firstIndex { $0.id == old }.map { $0 + 1 } } ?? 0
        athlete = athletes.firstIndex { $0.id == oldAthlete } ?? (athletes.count == 1 ? 0 : nil)
        if !fields.contains(field) { field = .file }
        if problems[.athlete] != nil { problems[.athlete] = problem(.athlete) }
    }

    /// The fields of the form; it asks for the owner only if the owner is not clear.
    var fields: [Field] { Field.allCases.filter { $0 != .athlete || athletes.count != 1 && replaces == nil } }

    package mutating func complain(_ field: Field, _ sentence: String) {
        problems[field] = sentence
        self.field = field
    }

    /// Takes the matches for the typed path: their longest common beginning, and their names.
    package mutating func complete(_ path: String, _ options: [String]) {
        file.set(path)
        self.options = options
    }

    package mutating func paste(_ text: String) {
        guard !isAskingToDiscard else { return }
        switch field {
        // A terminal pastes the path of a dropped file, often in quotes.
        case .file: file.paste(text.trimmingQuotes)
        case .title: title.paste(text)
        case .text: self.text.paste(text)
        case .type, .school, .athlete: break
        }
    }

    package mutating func press(_ key: Terminal.Key, _ keymap: Keymap) -> Outcome {
        if isAskingToDiscard {
            isAskingToDiscard = false
            return key.typed?.lowercased() == "y" ? .cancelled : .goesOn
        }
        switch (key.code, key.modifiers) {
        case (.escape, []), (.character("c"), .control):
            guard kept != nil else { return .cancelled }
            isAskingToDiscard = true
            return .goesOn
        case (.down, []): return move(1)
        case (.up, []), (.tab, .shift): return move(-1)
        case (.tab, []): return field == .file && !file.text.isEmpty ? .completePath(file.text) : move(1)
        // The same keys as in every form: Enter takes the field and moves on, and uploads behind the last one.
        case (.enter, []): return field == fields.last ? finish() : move(1)
        case (.character("s"), .control): return finish()
        case (.left, []) where isChoice: cycle(-1)
        case (.right, []) where isChoice: cycle(1)
        default:
            if isChoice, key.typed == " " {
                cycle(1)
            } else if let shared = write(key, keymap) {
                return .shared(shared)
            } else if isChoice, let letter = unused.text.last {
                // A letter that belongs to no chord.
                unused.set("")
                choose(letter)
            }
        }
        problems[field] = nil
        return .goesOn
    }

    private var isChoice: Bool { field == .type || field == .school || field == .athlete }

    private mutating func write(_ key: Terminal.Key, _ keymap: Keymap) -> SharedAction? {
        options = []
        let outcome: LineField.Outcome
        switch field {
        case .file: outcome = file.press(key, keymap)
        case .title: outcome = title.press(key, keymap)
        case .text: outcome = text.press(key, keymap)
        // A choice takes no text, but its keys can be chords.
        case .type, .school, .athlete: outcome = unused.press(key, keymap)
        }
        if case .shared(let action) = outcome { return action }
        return nil
    }

    private mutating func cycle(_ step: Int) {
        func next(_ place: Int?, _ count: Int) -> Int? {
            guard count > 0 else { return nil }
            return place.map { ($0 + step + count) % count } ?? (step > 0 ? 0 : count - 1)
        }
        switch field {
        case .type: type = next(type, DocumentType.allCases.count)
        case .school: school = next(school, schools.count + 1) ?? 0
        case .athlete: athlete = next(athlete, athletes.count)
        case .file, .title, .text: break
        }
    }

    /// Selects the next choice that begins with a letter.
    private mutating func choose(_ letter: Character) {
        let labels: [String]
        let now: Int?
        switch field {
        case .type: (labels, now) = (DocumentType.allCases.map(\.label), type)
        case .school: (labels, now) = (["General"] + schools.map(\.name), school)
        case .athlete: (labels, now) = (athletes.map(\.name), athlete)
        case .file, .title, .text: return
        }
        let order = labels.indices.map { ($0 + (now ?? -1) + 1) % labels.count }
        guard let next = order.first(where: { labels[$0].lowercased().hasPrefix(letter.lowercased()) }) else { return }
        switch field {
        case .type: type = next
        case .school: school = next
        case .athlete: athlete = next
        case .file, .title, .text: break
        }
    }

    /// The name of the file supplies the document's title. Its extension limits the possible types; if only one fits,
    /// the form chooses it.
    private mutating func takeFile() {
        guard field == .file else { return }
        options = []
        let name = file.text.split(separator: "/").last.map(String.init) ?? ""
        if title.text.isEmpty { title.set(NewUpload.title(ofFile: name)) }
        let fitting = DocumentType.allCases.indices.filter { index in FileExtension(fileName: name).map { DocumentType.allCases[index].extensions.contains($0) } ?? false }
        if type == nil, fitting.count == 1 { type = fitting.first }
    }

    /// Moves to another field; the field that loses the focus is checked.
    private mutating func move(_ step: Int) -> Outcome {
        takeFile()
        let left = field
        let all = fields
        let place = all.firstIndex(of: field) ?? 0
        field = all[min(max(place + step, 0), all.count - 1)]
        problems[left] = problem(left)
        if left == .type || left == .file, !file.text.isEmpty { problems[.file] = problem(.file) }
        return .goesOn
    }

    /// The problem with a field; `nil` if there is none.
    func problem(_ field: Field) -> String? {
        switch field {
        case .file:
            guard !file.text.isEmpty else { return "File is required" }
            guard let type else { return nil }
            let wanted = DocumentType.allCases[type]
            guard FileExtension(fileName: file.text).map({ wanted.extensions.contains($0) }) != true else { return nil }
            return "Invalid file type. \(wanted.label) requires \(wanted.extensions.map { "." + $0.rawValue }.joined(separator: ", "))."
        case .type: return type == nil ? "Document type is required" : nil
        case .title: return title.text.contains { !$0.isWhitespace } ? nil : "Title is required"
        case .athlete:
            guard fields.contains(.athlete), athlete == nil else { return nil }
            return athletes.isEmpty ? "There is no athlete whose document it could be." : "Say whose it is"
        case .school, .text: return nil
        }
    }

    /// Whether all required fields are filled in.
    var isComplete: Bool { fields.allSatisfy { problem($0) == nil } }

    private mutating func finish() -> Outcome {
        takeFile()
        for field in fields { problems[field] = problem(field) }
        if let first = fields.first(where: { problems[$0] != nil }) {
            field = first
            return .goesOn
        }
        guard let type, let athlete, athletes.indices.contains(athlete) else { return .goesOn }
        return .done(
            UploadDescription(
                path: file.text, type: DocumentType.allCases[type].rawValue, title: title.text, text: text.text.isEmpty ? nil : text.text,
                school: school > 0 && schools.indices.contains(school - 1) ? schools[school - 1].id : nil, athlete: athletes[athlete].id, replaces: replaces?.id))
    }

    // MARK: Drawing

    /// Draws the form in the middle of the screen.
    package func draw(_ canvas: inout Canvas, _ theme: Theme) {
        let rows = fields.reduce(0) { $0 + ($1 == .text ? 3 : 1) + (problems[$1] == nil ? 0 : 1) } + (options.isEmpty ? 0 : 2) + 5
        let rect = canvas.bounds.centred(columns: min(canvas.size.columns, 84), rows: min(rows, canvas.size.rows))
        canvas.fill(rect)
        canvas.box(rect, theme[.accent], title: replaces.map { "Next version of \($0.name)" } ?? "Upload Document", titleStyle: theme[.title])
        canvas.cursor = nil
        let inner = rect.inset(2, 1)
        let start = inner.column + 16
        let columns = max(inner.columns - 16, 4)
        canvas.clipped(to: inner) { canvas in
            var row = inner.row
            for place in fields {
                let isHere = place == field
                canvas.draw(Self.label(place), at: inner.column, row, isHere ? theme[.accent].with(.bold) : theme[.muted])
                let high = place == .text ? 3 : 1
                let area = Rect(start, row, columns: columns, rows: high)
                if let line = line(place) {
                    if isHere {
                        line.draw(&canvas, area, theme)
                    } else {
                        for (index, text) in EditorView(line.editor, columns: columns, rows: high).lines.enumerated() { canvas.draw(text, at: start, row + index) }
                    }
                } else {
                    canvas.draw(TextWidth.cut(isHere ? "‹ \(choice(place)) ›" : choice(place), to: columns), at: start, row, isHere ? theme[.selection] : theme[.text])
                    if isHere { canvas.cursor = nil }
                }
                row += high
                if let problem = problems[place] {
                    canvas.draw(TextWidth.cut(problem, to: columns), at: start, row, theme[.failure])
                    row += 1
                }
                if place == .school {
                    // The user does not type the version: the replaced document determines it, and two simultaneous
                    // uploads get different numbers.
                    canvas.draw("Version", at: inner.column, row, theme[.muted])
                    canvas.draw(TextWidth.cut(versionWords, to: columns), at: start, row, theme[.muted])
                    row += 1
                }
                if place == .file, !options.isEmpty {
                    for line in StyledText(options.joined(separator: "  "), theme[.muted]).wrapped(columns: columns).prefix(2) {
                        canvas.draw(line, at: start, row)
                        row += 1
                    }
                }
            }
            canvas.draw("Ctrl-S", at: inner.column, inner.endRow - 1, theme[isComplete ? .accent : .muted].with(.bold))
            canvas.draw(
                TextWidth.cut("upload  Enter next field  ← → choose  Tab complete a path  Esc cancel", to: inner.columns - 7), at: inner.column + 7, inner.endRow - 1,
                theme[.muted])
        }
        if isAskingToDiscard { PaneParts.dialog(Self.discardQuestion.map { StyledText($0) }, &canvas, theme, style: .failure) }
    }

    private static let discardQuestion = ["Cancel this upload?", "You'll lose what you typed. Your file isn't touched.", "y discard   any other key keeps editing"]

    /// "1", "3, after version 2".
    private var versionWords: String {
        guard let version else { return "the next one" }
        return version > 1 ? "\(version), after version \(version - 1), which stays" : "\(version)"
    }

    private func line(_ field: Field) -> LineField? {
        switch field {
        case .file: file
        case .title: title
        case .text: text
        case .type, .school, .athlete: nil
        }
    }

    private func choice(_ field: Field) -> String {
        switch field {
        case .type: type.map { DocumentType.allCases[$0].label } ?? "choose"
        case .school: school > 0 && schools.indices.contains(school - 1) ? schools[school - 1].name : "General"
        case .athlete: athlete.flatMap { athletes.indices.contains($0) ? athletes[$0].name : nil } ?? "choose"
        case .file, .title, .text: ""
        }
    }

    private static func label(_ field: Field) -> String {
        switch field {
        case .file: "File *"
        case .type: "Type *"
        case .title: "Title *"
        case .school: "School"
        case .text: "Description"
        case .athlete: "Athlete *"
        }
    }
}

extension String {
    /// A path as terminals paste it, without the quotes around it and the backslashes before blanks.
    fileprivate var trimmingQuotes: String {
        var text = Substring(self)
        while text.last?.isWhitespace == true { text.removeLast() }
        if let first = text.first, first == "'" || first == "\"", text.count > 1, text.last == first { text = text.dropFirst().dropLast() }
        if text.hasPrefix("file://") { text = text.dropFirst(7) }
        return String(text).replacing("\\ ", with: " ")
    }
}
