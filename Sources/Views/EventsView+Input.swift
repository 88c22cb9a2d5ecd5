internal import Bytes
internal import Commands
internal import Dates
internal import Family
internal import Queries
package import Terminal
internal import Words

/// Keys and clicks.
extension EventsView {
    /// The names of click targets: an event by its position in the list, a day and a month by their days since 1970.
    static let eventTarget = "event", dayTarget = "day", monthTarget = "month"

    package mutating func handle(_ input: InputEvent) -> [EventsAction] { receive(input) }

    mutating func paste(_ text: String) { seek(pasted: text) }

    mutating func roll(_ count: Int) { move(count) }

    mutating func page(_ count: Int) -> [EventsAction] {
        if dayCursor != nil { return moveMonth(count) }
        move(count * 8)
        return []
    }

    mutating func click(_ target: ClickTarget?) -> [EventsAction] {
        guard case .place(let name, let number)? = target else { return [] }
        switch name {
        case Self.eventTarget:
            isSearching = false
            dayCursor = nil
            // A click on the selected event opens it.
            if number == selectedIndex { return selected.map { [.open($0)] } ?? [] }
            select(number)
        case Self.dayTarget:
            detail = nil
            if let day = CalendarDate(days: number) { choose(day: day) }
        case Self.monthTarget:
            if let month = CalendarDate(days: number) { choose(month: month) }
        default: return detail?.click(target).map { [.record($0)] } ?? []
        }
        return []
    }

    mutating func press(_ key: Terminal.Key) -> [EventsAction] {
        if let asked {
            self.asked = nil
            guard key.typed?.lowercased() == "y" else { return [] }
            switch asked {
            case .part(let part, let event): return [.remove(part, from: event)]
            case .record(let event):
                detail = nil
                return [.delete(event)]
            }
        }
        if isSearching {
            selectedDay = nil
            return seek(key)
        }
        return dispatch(key, in: "events")
    }

    mutating func pressUnbound(_ key: Terminal.Key) -> [EventsAction] {
        if key == .character(" "), let dayCursor { return choose(day: dayCursor) ? [] : [.shared(.say(EventsSentence.noEvent))] }
        isHelpOpen = key == .character("?")
        return []
    }

    /// Runs the list's keys while the user chooses a month.
    private mutating func chooseMonth(_ command: EventsCommand) -> [EventsAction] {
        switch command {
        case .next: return moveMonthChoice(12)
        case .previous: return moveMonthChoice(-12)
        case .nextMonth: return moveMonthChoice(1)
        case .previousMonth: return moveMonthChoice(-1)
        case .thisMonth: monthChoice = today.adding(days: 1 - today.day)
        case .open: if let monthChoice { choose(month: monthChoice) }
        case .back, .close, .chooseMonth: monthChoice = nil
        default: return [.shared(.bell)]
        }
        return []
    }

    /// Runs the list's keys while the cursor is in the month.
    ///
    /// - Returns: `nil` for keys that work as they do in the list.
    private mutating func moveAmongDays(_ command: EventsCommand) -> [EventsAction]? {
        guard let day = dayCursor else { return nil }
        switch command {
        case .next: return moveDay(7)
        case .previous: return moveDay(-7)
        case .nextMonth: return moveDay(1)
        case .previousMonth: return moveDay(-1)
        case .first: return moveDay(1 - day.day)
        case .last: return moveDay(day.daysInMonth - day.day)
        case .thisMonth:
            dayCursor = today
            month = today
        case .open:
            guard choose(day: day) else { return [.shared(.say(EventsSentence.noEvent))] }
            dayCursor = nil
        case .add: return [.add(on: day)]
        case .focusMonth, .back, .close: dayCursor = nil
        default: return nil
        }
        return []
    }

    mutating func run(_ command: EventsCommand) -> [EventsAction] {
        if monthChoice != nil { return chooseMonth(command) }
        if dayCursor != nil, let actions = moveAmongDays(command) { return actions }
        switch command {
        case .next: move(1)
        case .previous: move(-1)
        case .first: if detail == nil { select(0) } else { detail?.scrollToTop() }
        case .last: if detail == nil { select(count - 1) } else { detail?.scroll(.max / 2) }
        case .nextMonth: return moveMonth(1)
        case .previousMonth: return moveMonth(-1)
        case .thisMonth: show(month: today)
        case .chooseMonth: monthChoice = month.adding(days: 1 - month.day)
        case .focusMonth, .nextPart: if detail == nil { enterMonth() } else { _ = detail?.step(1) }
        case .previousPart: if detail == nil { enterMonth() } else { _ = detail?.step(-1) }
        case .open:
            guard let detail else { return selected.map { [.open($0)] } ?? [.shared(.say(EventsSentence.none))] }
            return detail.selected.map { [.record($0)] } ?? []
        case .add: return [.add(on: nil)]
        case .edit:
            if let part = detail?.selected, part.kind != .coach { return [.record(part)] }
            return selected.map { [.edit($0)] } ?? [.shared(.say(EventsSentence.none))]
        case .attend:
            guard let record = selectedRecord else { return [.shared(.say(EventsSentence.none))] }
            guard !record.fields.flag("attended") else { return [.shared(.say(EventsSentence.attended))] }
            return [.attend(record.id)]
        case .coaches: return selected.map { [.coaches($0)] } ?? [.shared(.say(EventsSentence.none))]
        case .delete: asked = selectedRecord.map { RemovalQuestion($0.id, detail?.selected) }
        case .directions:
            guard let link = selectedRecord.flatMap({ Directions.link($0.fields) }) else { return [.shared(.say(EventsSentence.noPlace))] }
            return [.directions(link)]
        case .interaction: return selected.map { [.log(.interaction, $0)] } ?? [.shared(.say(EventsSentence.none))]
        case .metric: return selected.map { [.log(.metric, $0)] } ?? [.shared(.say(EventsSentence.none))]
        case .export: return [.export((0..<count).map { found($0).id }, event: detail == nil ? nil : selected)]
        case .search:
            detail = nil
            // The matches are in the list, and Enter goes there.
            dayCursor = nil
            isSearching = true
        case .type:
            let place = Self.typeFilters.firstIndex { $0.types == filter.types } ?? 0
            filter.types = Self.typeFilters[(place + 1) % Self.typeFilters.count].types
            apply()
        case .status:
            filter.status = Self.next(filter.status, of: Self.statuses)
            apply()
        case .date:
            filter.time = Self.next(filter.time, of: Self.times)
            apply()
        case .sort:
            filter.sort = Self.next(filter.sort, of: Self.sorts)
            apply()
            return [.sorted(filter.sort)]
        case .clear: clear()
        case .undo: return [.shared(.undoLast)]
        case .back:
            if detail != nil {
                detail = nil
            } else if !search.text.isEmpty {
                search.set("")
                apply()
            } else if !filterWords.isEmpty || selectedDay != nil {
                clear()
            } else {
                return [.shared(.stepBack)]
            }
        case .close:
            guard detail == nil else {
                detail = nil
                return []
            }
            // The next visit begins with all events (R040).
            clear()
            return [.shared(.close)]
        }
        return []
    }

    private static func next<Choice: Equatable>(_ choice: Choice, of all: [Choice]) -> Choice {
        all[((all.firstIndex(of: choice) ?? 0) + 1) % all.count]
    }
}
