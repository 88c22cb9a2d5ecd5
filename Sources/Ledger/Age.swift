package import Dates
package import Family

/// The ages at which rules change (`product.md`, "People under age"; `semantics.md`, "People, members, sessions").
package enum Age {
    /// Below this age an athlete has no login.
    package static let login = 13
    /// Below this age parents edit, whatever the athlete's setting.
    package static let ownAccess = Permission.ownAccessAge
    /// From this age on no parent's consent is needed.
    package static let adult = 18
    /// A birth date that makes a person older is a mistake.
    package static let oldest = 120

    /// Whole years. A person born on 29 February has their birthday on 1 March of other years.
    package static func years(from born: CalendarDate, to today: CalendarDate) -> Int {
        let isBefore = (today.month, today.day) < (born.month, born.day)
        return today.year - born.year - (isBefore ? 1 : 0)
    }

    /// The effect of an athlete's setting: below 16, or at an unknown age, parents edit.
    package static func parentAccess(_ setting: ParentAccess, age: Int?) -> ParentAccess {
        guard let age, age >= ownAccess else { return .edit }
        return setting
    }
}
