internal import Arguments
internal import Terminal

/// A record that somebody attended an event: the flag, the coaches who were there, notes, an interaction and results,
/// in one batch.
package struct Attendance: Hashable, Sendable {
    /// One result: `pop_time=1.89`, `velocity=82.5 mph`.
    package struct Result: Hashable, Sendable {
        package var type: String
        package var value: String
        /// If it is `nil`, the unit of the result's type.
        package var unit: String?

        package init(type: String, value: String, unit: String? = nil) {
            self.type = type
            self.value = value
            self.unit = unit
        }
    }

    package var event: String
    /// Names or ids of coaches, added to those of the event.
    package var coaches: [String] = []
    package var notes: String?
    /// The text of the interaction to log. If it is `nil`, an interaction is logged only when `isQuick` is true.
    package var log: String?
    /// Logs an interaction with words made from the event.
    package var isQuick = false
    /// The coach of the interaction.
    package var with: String?
    package var direction: String?
    package var sentiment: String?
    package var results: [Result] = []

    package init(event: String) { self.event = event }

    init(_ event: String, _ list: ArgumentList) throws(UsageError) {
        self.event = event
        coaches = (list.value("--coaches") ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        notes = list.value("--notes")
        log = list.value("--log")
        isQuick = list.has("--quick")
        with = list.value("--with")
        direction = list.value("--direction")
        sentiment = list.value("--sentiment")
        if log == nil, !isQuick, with != nil || direction != nil || sentiment != nil {
            throw UsageError("--with, --direction and --sentiment are about an interaction: add --log TEXT, or --quick.")
        }
        for text in list.all("--metric") {
            let parts = text.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            let words = parts.count == 2 ? parts[1].split(separator: " ", maxSplits: 1).map(String.init) : []
            guard let value = words.first else { throw UsageError("--metric takes TYPE=VALUE, like pop_time=1.89.") }
            results.append(Result(type: parts[0], value: value, unit: words.count > 1 ? words[1] : nil))
        }
    }
}
