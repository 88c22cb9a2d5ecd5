internal import Bytes
internal import Dates
package import Family
package import Sync
internal import Terminal
internal import Wire

extension Timeline {
    /// The items to draw, oldest first, with a line before each day's first item and one for each gap.
    ///
    /// - Parameters:
    ///   - engine: supplies the records, the viewer and the reading position.
    ///   - text: supplies the current names and words of the records.
    ///   - clock: the clock that sets the viewer's days.
    ///   - activity: the items besides messages that are shown.
    ///   - last: the largest number of messages, changes and presence lines, counted from the latest. The cost grows
    ///     with the number returned.
    package func items(
        _ engine: borrowing SyncEngine, _ text: ChangeText, _ clock: LocalClock, in scope: TimelineScope = .family, activity: TimelineActivity = .all,
        last: Int = .max
    ) -> [TimelineItem] {
        let reader = Reader(engine, text, scope)
        var found: [TimelineItem] = []
        var gaps = known.gaps
        var later: TimelineItem?
        var isNewestOwn = true
        for entry in entries.reversed() {
            var made = Self.isShown(entry.content, activity) ? items(entry, engine, reader) : []
            // Only the viewer's newest message shows who has read it: they have read the older ones, too.
            if isNewestOwn, let item = made.first, item.kind == .message, item.author == engine.member, !item.isPending {
                made[0].readers = Self.readers(of: item, sequence(entry), engine)
                isNewestOwn = false
            }
            while let gap = gaps.last, isBefore(gap, entry) {
                gaps.removeLast()
                dayLine(before: &later, after: nil, into: &found, clock)
                found.append(Self.gap(gap, at: entry.key.at))
            }
            for item in made.reversed() {
                dayLine(before: &later, after: item, into: &found, clock)
                found.append(item)
                later = item
            }
            if found.count >= last { break }
        }
        dayLine(before: &later, after: nil, into: &found, clock)
        if found.count < last, let gap = gaps.last { found.append(Self.gap(gap, at: entries.first?.key.at ?? 0)) }
        return found.reversed()
    }

    /// The number of unread items in that scope.
    package func unread(_ engine: borrowing SyncEngine, in scope: TimelineScope = .family) -> UnreadCount {
        let reader = Reader(engine, nil, scope)
        var count = UnreadCount()
        for entry in entries.reversed() {
            if isRead(entry, reader) { break }
            switch entry.content {
            case .message(let id):
                guard let record = record(id, engine), record.createdBy != engine.member, reader.shows(record, engine) else { continue }
                count.messages += 1
                if reader.isSpokenTo(record) { count.mentions += 1 }
                count.first = .message(id)
                count.firstMessage = count.first
            case .change(let sequence):
                guard let change = changes[sequence]?.change, change.member != engine.member else { continue }
                guard let place = change.entries.firstIndex(where: { Self.isTold($0) && reader.shows($0, engine) }) else { continue }
                count.changes += 1
                count.first = .change(sequence: sequence, entry: place)
            case .presence: continue
            }
        }
        return count
    }

    /// The viewer's unread messages and mentions, by the record that they are about.
    package func unreadByRecord(_ engine: borrowing SyncEngine) -> [RecordReference: UnreadCount] {
        let reader = Reader(engine, nil, .family)
        var counts: [RecordReference: UnreadCount] = [:]
        for entry in entries.reversed() {
            if isRead(entry, reader) { break }
            guard case .message(let id) = entry.content, let record = record(id, engine), record.createdBy != engine.member,
                case .link(let kind, let about)? = record.fields["about"]
            else { continue }
            var count = counts[RecordReference(kind, about)] ?? UnreadCount()
            count.messages += 1
            if reader.isSpokenTo(record) { count.mentions += 1 }
            count.first = .message(id)
            counts[RecordReference(kind, about)] = count
        }
        return counts
    }

    // MARK: One entry

    /// The other members whose reading position is at or behind a message, in the order of their ids. A message of a
    /// snapshot has no sequence, so the time of their last reading report decides.
    private static func readers(of item: TimelineItem, _ sequence: Int64?, _ engine: borrowing SyncEngine) -> [Identifier] {
        var readers: [Identifier] = []
        for member in engine.records(of: .member) where member.id != item.author && !member.isDeleted {
            guard let record = engine.record(ReadingPosition.id(of: member.id)), case .integer(let position)? = record.fields["sequence"] else { continue }
            if sequence.map({ position >= $0 }) ?? (record.updatedAt >= item.at) { readers.append(member.id) }
        }
        return readers.sorted()
    }

    private static func isShown(_ content: Entry.Content, _ activity: TimelineActivity) -> Bool {
        switch content {
        case .message: true
        case .change: activity != .none
        case .presence: activity == .all
        }
    }

    /// The viewer, the scope, and the viewer's reading position.
    private struct Reader {
        let text: ChangeText?
        let scope: TimelineScope
        let member: Identifier?
        /// The sequence up to which the viewer has read, and the time at which that was reported. Without a position,
        /// items older than the viewer's membership count as read.
        let position: Int64?
        let readAt: Int64
        /// A record as it is now, for the names of those that are gone.
        let before: (Identifier) -> Record?

        init(_ engine: borrowing SyncEngine, _ text: ChangeText?, _ scope: TimelineScope) {
            self.text = text
            self.scope = scope
            member = engine.member
            let held = copy engine
            before = { held.record($0) }
            let record = engine.member.flatMap { engine.record(ReadingPosition.id(of: $0)) }
            if case .integer(let sequence)? = record?.fields["sequence"] { position = sequence } else { position = nil }
            readAt = record?.updatedAt ?? engine.member.flatMap { engine.record($0)?.createdAt } ?? .max
        }

        /// A message of a snapshot has no sequence, so the time of the viewer's last reading report decides.
        func isUnread(at: Int64, sequence: Int64?) -> Bool {
            if let sequence, let position { return sequence > position }
            return at > readAt
        }

        func isSpokenTo(_ message: Record) -> Bool { message.fields.set("mentions").contains { $0.id == member } }

        func shows(_ message: Record, _ engine: borrowing SyncEngine) -> Bool {
            guard scope != .family else { return true }
            guard case .link(_, let about)? = message.fields["about"] else { return false }
            return shows(about, engine)
        }

        func shows(_ entry: ChangeEntry, _ engine: borrowing SyncEngine) -> Bool { scope == .family || shows(entry.id, engine) }

        private func shows(_ id: Identifier, _ engine: borrowing SyncEngine) -> Bool {
            switch scope {
            case .family: true
            case .record(let wanted): id == wanted
            case .athlete(let athlete): engine.record(id)?.athlete == athlete || id == athlete
            }
        }
    }

    private func sequence(_ entry: Entry) -> Int64? {
        switch entry.content {
        case .message: entry.key.at == .max || entry.key.sequence == .max ? nil : entry.key.sequence
        case .change(let sequence): sequence
        case .presence: nil
        }
    }

    /// Whether an entry lies before a gap. Presence lines decide nothing: they are not in the log.
    private func isBefore(_ gap: Int64, _ entry: Entry) -> Bool {
        if case .presence = entry.content { return false }
        if let sequence = sequence(entry) { return sequence < gap }
        return entry.key.at < changes[gap]?.change.at ?? .max
    }

    /// Whether the viewer has read an entry, and with it all entries before it.
    private func isRead(_ entry: Entry, _ reader: Reader) -> Bool {
        if case .presence = entry.content { return false }
        return entry.key.at != .max && !reader.isUnread(at: entry.key.at, sequence: sequence(entry))
    }

    /// A message in its current state; `nil` if it was deleted.
    private func record(_ id: Identifier, _ engine: borrowing SyncEngine) -> Record? {
        guard let record = engine.record(id) ?? oldMessages[id], !record.isDeleted else { return nil }
        return record
    }

    private static func isTold(_ entry: ChangeEntry) -> Bool {
        // The reminders of one member are no news for the others.
        if entry.kind == .readingPosition || entry.kind == .reminderRule { return false }
        if entry.kind == .message, case .create = entry.effect { return false }
        return true
    }

    private func items(_ entry: Entry, _ engine: borrowing SyncEngine, _ reader: Reader) -> [TimelineItem] {
        guard let text = reader.text else { return [] }
        switch entry.content {
        case .message(let id):
            guard let record = record(id, engine), reader.shows(record, engine) else { return [] }
            var item = TimelineItem(
                .message(id), .message, at: record.createdAt, author: record.createdBy, runs: text.messageRuns(record, tellsSubject: reader.scope == .family))
            item.record = RecordReference(.message, id)
            if case .link(let kind, let about)? = record.fields["about"] { item.about = RecordReference(kind, about) }
            item.isPending = engine.isPending(id)
            item.isEdited = record.version > 1
            item.isAction = ActionMessage.of(record.fields.text("text") ?? "") != nil
            item.isMention = reader.isSpokenTo(record)
            item.isUnread = record.createdBy != engine.member && reader.isUnread(at: record.createdAt, sequence: sequence(entry))
            if let sequence = sequence(entry), let known = changes[sequence], known.isUndoable { item.undoable = sequence }
            return [item]
        case .change(let sequence):
            guard let known = changes[sequence] else { return [] }
            return items(known, engine, reader, text)
        case .presence(let number, let presence):
            guard reader.scope == .family else { return [] }
            return [
                TimelineItem(
                    .presence(number), .presence, at: entry.key.at, author: presence.member, runs: [TextRun(text.presence(presence), .quiet)])
            ]
        }
    }

    /// A change as one item; none if nothing in it is shown in this scope.
    private func items(_ known: Known, _ engine: borrowing SyncEngine, _ reader: Reader, _ text: ChangeText) -> [TimelineItem] {
        let change = known.change
        let told = change.entries.indices.filter { Self.isTold(change.entries[$0]) && reader.shows(change.entries[$0], engine) }
        guard let first = told.first else { return [] }
        let before = reader.before
        guard let sentence = text.sentence(change.entries, at: told, by: text.names.member(change.member), before: before) else { return [] }
        let main = change.entries[sentence.place]
        var runs = text.runs(sentence, by: change.member)
        // An undo is shown as the change that it undid, if that is known and this is all of it.
        if told.count == change.entries.count, let undone = undone(by: change), let words = text.sentence(undone.change.entries, by: "", before: before) {
            runs = [TextRun(text.names.member(change.member), .author), TextRun(undone.isUndo ? " undid: " : " redid: ")]
            runs += TextRun.split(words.text, around: words.name, .record)
        }
        var item = TimelineItem(.change(sequence: change.sequence, entry: first), .change, at: change.at, author: change.member, runs: runs)
        item.record = RecordReference(main.kind, main.id)
        item.isUnread = change.member != engine.member && reader.isUnread(at: change.at, sequence: change.sequence)
        if known.isUndoable { item.undoable = change.sequence }
        return [item]
    }

    /// The change that another one undid or did again, and whether it undid it; `nil` if it did neither, or that change
    /// is not loaded.
    package func undone(by change: Change) -> (change: Change, isUndo: Bool)? {
        change.undone { changes[$0]?.change }
    }

    // MARK: Days and gaps

    /// Adds the line of `later`'s day, if the item before it belongs to another day.
    private func dayLine(before later: inout TimelineItem?, after item: TimelineItem?, into found: inout [TimelineItem], _ clock: LocalClock) {
        guard let first = later else { return }
        let day = clock.today(first.at)
        if let item, clock.today(item.at) == day { return }
        found.append(TimelineItem(.day(first.id), .day, at: first.at, runs: [TextRun(EventText.day(day), .quiet)]))
        later = nil
    }

    private static func gap(_ sequence: Int64, at: Int64) -> TimelineItem {
        TimelineItem(.gap(before: sequence), .gap, at: at, runs: [TextRun("More happened here that is not loaded yet.", .quiet)])
    }
}

extension EventText {
    /// "Tuesday, Dec 1, 2026" of `YYYY-MM-DD`.
    static func day(_ date: String) -> String {
        guard let day = CalendarDate(date) else { return date.printable }
        let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        let place = Weekday.allCases.firstIndex(of: day.weekday) ?? 0
        return "\(names[place]), \(dates(date, nil))"
    }
}

extension ChangeText {
    /// A message's text, with the names of the mentioned members and of the record that it is about.
    func messageRuns(_ record: Record, tellsSubject: Bool) -> [TextRun] {
        let text = record.fields.text("text") ?? ""
        var runs = [TextRun((ActionMessage.of(text) ?? text).printableLines.joined(separator: "\n"))]
        for element in record.fields.set("mentions") {
            let name = names.name(element.id)
            guard !name.isEmpty else { continue }
            // The whole name, otherwise its first word.
            for wanted in ["@" + name, "@" + (name.split(separator: " ").first.map(String.init) ?? name)] {
                let split = runs.flatMap { $0.style == .plain ? TextRun.split($0.text, around: wanted, .mention) : [$0] }
                let isFound = split.count > runs.count || split.contains { $0.text == wanted && $0.style == .mention }
                runs = split
                if isFound { break }
            }
        }
        if tellsSubject, case .link(_, let about)? = record.fields["about"], !names.name(about).isEmpty {
            runs.append(TextRun("  re ", .quiet))
            runs.append(TextRun(TextWidth.cut(names.name(about), to: Self.longestSubject), .record))
        }
        return runs
    }

    /// The width of the name of a message's record, after the text: enough to recognise the record.
    private static var longestSubject: Int { 40 }

    /// A sentence in styles, which begins with its author.
    func runs(_ sentence: Sentence, by author: Identifier) -> [TextRun] {
        let who = names.member(author)
        guard sentence.text.hasPrefix(who + " ") else { return TextRun.split(sentence.text, around: sentence.name, .record) }
        return [TextRun(who, .author)] + TextRun.split(String(sentence.text.dropFirst(who.count)), around: sentence.name, .record)
    }
}

extension TextRun {
    /// `text` with the first `part` in it in another style.
    static func split(_ text: String, around part: String, _ style: Style) -> [TextRun] {
        guard !part.isEmpty, let range = text.firstRange(of: part) else { return [TextRun(text)] }
        return [TextRun(String(text[..<range.lowerBound])), TextRun(part, style), TextRun(String(text[range.upperBound...]))]
            .filter { !$0.text.isEmpty }
    }
}
