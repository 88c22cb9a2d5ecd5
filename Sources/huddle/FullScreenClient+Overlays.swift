import Bytes
import Dates
import Documents
import Family
import Posix
import Sessions
import Sync
import Terminal
import Views
import Words

extension FullScreenClient {
    /// Passes an input to the overlay on the screen.
    func handle(_ input: InputEvent, over open: ScreenOverlay) {
        switch open {
        case .switcher(var view):
            let outcome = view.handle(input)
            picture.overlay = .switcher(view)
            switch outcome {
            case .open: break
            case .closed: picture.overlay = nil
            case .chosen(let place):
                picture.overlay = nil
                go(to: place)
            }
        case .seasons(var view):
            let outcome = view.handle(input)
            picture.overlay = .seasons(view)
            switch outcome {
            case .open: break
            case .closed: picture.overlay = nil
            case .chosen(let context):
                picture.overlay = nil
                choose(context)
            }
        case .deleted(var view):
            let outcome = view.handle(input)
            picture.overlay = .deleted(view)
            switch outcome {
            case .open: break
            case .closed: picture.overlay = nil
            case .restore(let record):
                picture.overlay = nil
                conversation.submit("/restore \(KindWords.singular(record.kind)[0]) \(record.id)")
            }
        case .export(var view):
            let outcome = view.handle(input)
            switch outcome {
            case .open: picture.overlay = .export(view)
            case .closed: picture.overlay = nil
            case .completePath(let path):
                let (typed, options) = PathTyping.completed(path)
                view.complete(typed, options)
                picture.overlay = .export(view)
            case .write(let choice, let path):
                picture.overlay = nil
                if let refusal = write(choice, path) {
                    view.refuse(refusal)
                    picture.overlay = .export(view)
                }
            }
        }
    }

    /// Asks for a season.
    func offerSeasons() {
        picture.overlay = .seasons(SeasonMenu(records.seasons, selected: session.engine.context ?? .all, theme: appearance.theme))
    }

    /// Lists what was deleted and can be restored.
    func offerDeleted() {
        let (names, clock) = (records.names, records.clock)
        let now = Clock.wallMilliseconds()
        let entries = DeletedText.records(session.engine.confirmedRecords.values).map { record in
            DeletedMenu.Entry(
                RecordReference(record.kind, record.id), RecordNames.name(record),
                "\(KindWords.singular(record.kind)[0]) · \(clock.time(record.deletedAt ?? 0, now: now)) · \(names.member(record.updatedBy))")
        }
        picture.overlay = .deleted(DeletedMenu(entries, theme: appearance.theme))
    }

    // MARK: Export

    /// Asks for the records to export: those of the shown event, the events of the list, or all results of the season
    /// (R112).
    ///
    /// - Parameter listed: in the order of the list.
    func offerExport(_ listed: [Identifier], event: Identifier?) {
        let metrics = records.names.records(of: .metric)
        var choices: [ExportDialog.Choice] = []
        if let event {
            let name = records.names.name(event)
            let results = metrics.filter { $0.fields.reference("event_id") == event }.map(\.id)
            let said = records.names.records(of: .interaction).filter { $0.fields.reference("event_id") == event }.map(\.id)
            choices.append(.init("Results at \(TextWidth.cut(name, to: 30))", .metric, results, fileName: name + " results"))
            choices.append(.init("Interactions there", .interaction, said, fileName: name + " interactions"))
        }
        if !(listed == [event].compactMap(\.self)) {
            choices.append(.init("The events as they are listed", .event, listed, fileName: "events \(records.today)"))
        }
        let context = session.engine.context ?? .all
        let all = metrics.filter { if case .athlete(let id) = context { $0.athlete == id } else { true } }.map(\.id)
        choices.append(.init("All results of the season", .metric, all, fileName: "results \(records.today)"))
        picture.overlay = .export(ExportDialog(choices, theme: appearance.theme, keymap: keymap))
    }

    /// - Returns: the reason why the file cannot be written, as a sentence; `nil` if it is being written.
    private func write(_ choice: ExportDialog.Choice, _ path: String) -> String? {
        let place = PathTyping.expanded(path)
        guard !Files.exists(place) else { return "It already exists: choose another name." }
        let chosen = choice.records.compactMap { session.engine.record($0) }.filter { !$0.isDeleted }
        let table = ExportedTable(choice.label, choice.kind, chosen, session.engine, names: records.names, now: Clock.wallMilliseconds())
        guard maker.begin(table, ExportFormat(path: path) ?? .csv, path: place) else { return "Another file is being written: try it again in a moment." }
        // The message stays until the file is written.
        message.show("\(path.printable) is being written …", for: 3_600_000)
        return nil
    }
}
