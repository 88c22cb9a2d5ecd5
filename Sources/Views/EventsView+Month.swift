internal import Bytes
internal import Dates
internal import Family
internal import Terminal

/// The month: paging, choosing a month, and moving among its days.
extension EventsView {
    /// Whether a date is within the reachable months: two years before and after today (R031).
    func isReachable(_ date: CalendarDate) -> Bool { MonthGrid<Identifier>.month(date, movedBy: 0, today: today) != nil }

    /// Pages through the months and selects the first event of the new month, if the list has one.
    mutating func moveMonth(_ count: Int) -> [EventsAction] {
        guard let next = MonthGrid<Identifier>.month(month, movedBy: count, today: today) else { return [.shared(.say(EventsSentence.farMonth))] }
        show(month: next)
        return []
    }

    mutating func show(month next: CalendarDate) {
        month = next
        selectedDay = nil
        if let day = dayCursor { dayCursor = next.adding(days: min(day.day, next.daysInMonth) - next.day) }
        let last = next.adding(days: next.daysInMonth - next.day) ?? next
        let inMonth = found(from: next.days - next.day + 1, to: last.days)
        if let first = inMonth.min(by: { ($0.fields.text("start_date") ?? "") < ($1.fields.text("start_date") ?? "") }) { selected = first.id }
    }

    // MARK: Days

    /// Starts moving among the days with the arrow keys, at the day of the selected event if it is in the month.
    mutating func enterMonth() {
        let day = selectedRecord.flatMap { span($0)?.first }.flatMap { $0.year == month.year && $0.month == month.month ? $0 : nil }
        let isThisMonth = today.year == month.year && today.month == month.month
        dayCursor = selectedDay ?? day ?? (isThisMonth ? today : month.adding(days: 1 - month.day))
    }

    /// - Returns: a sentence for a day outside the reachable months.
    mutating func moveDay(_ count: Int) -> [EventsAction] {
        guard let next = dayCursor?.adding(days: count), isReachable(next) else { return [.shared(.say(EventsSentence.farMonth))] }
        dayCursor = next
        month = next
        return []
    }

    /// Moves the list to the events of a day (R030).
    ///
    /// - Returns: whether the day has any events.
    @discardableResult
    mutating func choose(day: CalendarDate) -> Bool {
        guard isReachable(day) else { return false }
        month = day
        selectedDay = day
        if dayCursor != nil { dayCursor = day }
        let onDay = Set(found(from: day.days, to: day.days).map(\.id))
        guard let place = (0..<count).first(where: { onDay.contains(found($0).id) }) else { return false }
        selected = found(place).id
        return true
    }

    /// "Tue, Nov 24: 2 events" (R054).
    var dayWords: String {
        guard let day = dayCursor ?? selectedDay else { return "" }
        let events = found(from: day.days, to: day.days).count
        let isFiltered = !filterWords.isEmpty || !search.text.isEmpty
        return "\(TripWords.short(day)): " + (events == 0 ? isFiltered ? "no match" : "no event" : events == 1 ? "1 event" : "\(events) events")
    }

    // MARK: Choosing a month

    /// The reachable years.
    var years: ClosedRange<Int> { today.year - 2...today.year + 2 }

    mutating func moveMonthChoice(_ count: Int) -> [EventsAction] {
        guard let choice = monthChoice, let next = MonthGrid<Identifier>.month(choice, movedBy: count, today: today) else { return [.shared(.say(EventsSentence.farMonth))] }
        monthChoice = next
        return []
    }

    mutating func choose(month: CalendarDate) {
        monthChoice = nil
        if isReachable(month) { show(month: month) }
    }
}
