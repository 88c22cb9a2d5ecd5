import Terminal
import Views

/// A dialog over the current page, until the person decides.
enum ScreenOverlay {
    case switcher(SwitcherView)
    case seasons(SeasonMenu)
    case deleted(DeletedMenu)
    case export(ExportDialog)

    func draw(_ canvas: inout Canvas) {
        switch self {
        case .switcher(let view): view.draw(&canvas)
        case .seasons(let view): view.draw(&canvas)
        case .deleted(let view): view.draw(&canvas)
        case .export(let view): view.draw(&canvas)
        }
    }
}
