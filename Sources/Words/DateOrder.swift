internal import Locks

/// The order of day, month and year in dates for people (R010). The months have English names, as every text has.
package enum DateOrder: Hashable, Sendable {
    /// "Apr 15, 2026", as the requirements write dates (R086).
    case monthFirst
    /// "15 Apr 2026"
    case dayFirst
    /// "2026-04-15"
    case yearFirst

    private static let state = Lock(DateOrder.monthFirst)

    /// The order in this program; the program sets it once at its start.
    package static var current: DateOrder {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The order in a locale.
    ///
    /// Source: Unicode CLDR 44, the medium date formats; `monthFirst` without a territory, as the product requires.
    ///
    /// - Parameter locale: the locale as in `LC_TIME`: "en_US.UTF-8", "de_DE", "C".
    package init(locale: String?) {
        let name = (locale ?? "").prefix { $0 != "." && $0 != "@" }
        guard let separator = name.firstIndex(where: { $0 == "_" || $0 == "-" }) else {
            self = .monthFirst
            return
        }
        let language = name[..<separator].lowercased()
        switch (language, name[name.index(after: separator)...].uppercased()) {
        case ("en", "CA"), (_, "AS"), (_, "FM"), (_, "GU"), (_, "MH"), (_, "MP"), (_, "PH"), (_, "PR"), (_, "PW"), (_, "UM"), (_, "US"), (_, "VI"): self = .monthFirst
        // In glibc, English with the conventions of Denmark is the usual way to ask for ISO 8601.
        case ("en", "DK"), (_, "CN"), (_, "HU"), (_, "JP"), (_, "KP"), (_, "KR"), (_, "LT"), (_, "LV"), (_, "MN"), (_, "TW"): self = .yearFirst
        default: self = .dayFirst
        }
    }

    /// The first of the variables that decide the locale of dates that is set.
    package static func locale(_ environment: (String) -> String?) -> String? {
        ["LC_ALL", "LC_TIME", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    }
}
