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

/// What stands over whatever is on the screen until it is decided.
enum Overlay {
    case switcher(SwitcherView)
    case seasons(SeasonMenu)
    case export(ExportDialog)

    func draw(_ canvas: inout Canvas) {
        switch self {
        case .switcher(let view): view.draw(&canvas)
        case .seasons(let view): view.draw(&canvas)
        case .export(let view): view.draw(&canvas)
        }
    }
}

extension FullScreenClient {
    /// Gives what was typed or clicked to what stands over the screen.
    func handle(_ input: InputEvent, over open: Overlay) {
        switch open {
        case .switcher(var view):
            let outcome = view.handle(input)
            overlay = .switcher(view)
            switch outcome {
            case .open: break
            case .closed: overlay = nil
            case .chosen(let place):
                overlay = nil
                go(to: place)
            }
        case .seasons(var view):
            let outcome = view.handle(input)
            overlay = .seasons(view)
            switch outcome {
            case .open: break
            case .closed: overlay = nil
            case .chosen(let context):
                overlay = nil
                choose(context)
            }
        case .export(var view):
            let outcome = view.handle(input)
            switch outcome {
            case .open: overlay = .export(view)
            case .closed: overlay = nil
            case .completePath(let path):
                let (typed, options) = PathTyping.completed(path)
                view.complete(typed, options)
                overlay = .export(view)
            case .write(let choice, let path):
                overlay = nil
                if let refusal = write(choice, path) {
                    view.refuse(refusal)
                    overlay = .export(view)
                }
            }
        }
    }

    /// Asks whose season it is to be.
    func offerSeasons() {
        overlay = .seasons(SeasonMenu(seasons, selected: session.engine.context ?? .all, theme: theme))
    }

    // MARK: Export

    /// Asks what is to be written: what the event that is looked at has, the events of the list, and all results of the season (R112).
    ///
    /// - Parameter listed: in their order.
    func offerExport(_ listed: [Identifier], event: Identifier?) {
        let metrics = names.records(of: .metric)
        var choices: [ExportDialog.Choice] = []
        if let event {
            let name = names.name(event)
            let results = metrics.filter { $0.fields.reference("event_id") == event }.map(\.id)
            let said = names.records(of: .interaction).filter { $0.fields.reference("event_id") == event }.map(\.id)
            choices.append(.init("Results at \(TextWidth.cut(name, to: 30))", .metric, results, fileName: name + " results"))
            choices.append(.init("Interactions there", .interaction, said, fileName: name + " interactions"))
        }
        if !(listed == [event].compactMap(\.self)) {
            choices.append(.init("The events as they are listed", .event, listed, fileName: "events \(today)"))
        }
        let context = session.engine.context ?? .all
        let all = metrics.filter { if case .athlete(let id) = context { $0.athlete == id } else { true } }.map(\.id)
        choices.append(.init("All results of the season", .metric, all, fileName: "results \(today)"))
        overlay = .export(ExportDialog(choices, theme: theme, keymap: keymap))
    }

    /// - Returns: why not, as a sentence; `nil` when it is being written.
    private func write(_ choice: ExportDialog.Choice, _ path: String) -> String? {
        let place = PathTyping.expanded(path)
        guard !Files.exists(place) else { return "It is there already: take another name." }
        let records = choice.records.compactMap { session.engine.record($0) }.filter { !$0.isDeleted }
        let table = ExportedTable(choice.label, choice.kind, records, session.engine, names: names, now: Clock.wallMilliseconds())
        guard maker.begin(table, ExportFormat(path: path) ?? .csv, path: place) else { return "Another file is being written: try it again in a moment." }
        toast("\(path.printable) is being written …")
        // Until it is.
        toastEnds = Clock.monotonicMilliseconds() + 3_600_000
        return nil
    }
}
