import Dates

extension CalendarDate {
    /// The date this many days later, earlier if negative. The demo is within two decades of today, so leaving the
    /// calendar is a programming error and traps.
    func moved(by days: Int) -> CalendarDate {
        guard let date = adding(days: days) else { preconditionFailure("the demo's dates lie around today") }
        return date
    }

    /// The name of the season, so that a camp in July is not called a winter camp.
    var season: String {
        switch month {
        case 3...5: "Spring"
        case 6...8: "Summer"
        case 9...11: "Fall"
        default: "Winter"
        }
    }
}
