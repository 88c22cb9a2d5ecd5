import Dates

extension CalendarDate {
    /// The date so many days later, earlier if negative. The demo lies within two decades around today, so that leaving the
    /// calendar is our own mistake and traps.
    func moved(by days: Int) -> CalendarDate {
        guard let date = adding(days: days) else { preconditionFailure("the demo's dates lie around today") }
        return date
    }

    /// The word for the time of year, so that a camp in July is not called a winter camp.
    var season: String {
        switch month {
        case 3...5: "Spring"
        case 6...8: "Summer"
        case 9...11: "Fall"
        default: "Winter"
        }
    }
}
