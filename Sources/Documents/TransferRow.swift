/// An upload or a download as a list shows it.
package struct TransferRow: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The transfer waits for others.
        case queued
        case running
        /// The network is down; with the time of the next attempt and the reason.
        case waiting(String)
        case done(String)
        case failed(String)

        /// Whether the transfer has ended.
        package var isOver: Bool {
            switch self {
            case .done, .failed: true
            case .queued, .running, .waiting: false
            }
        }

        package var isFailed: Bool {
            if case .failed = self { true } else { false }
        }
    }

    package let number: Int
    package let title: String
    package let isUpload: Bool
    package var state: State
    /// The progress; `nil` before the transfer begins.
    package var meter: TransferMeter?

    package init(number: Int, title: String, isUpload: Bool, state: State = .queued) {
        self.number = number
        self.title = title
        self.isUpload = isUpload
        self.state = state
    }

    /// The text next to its title, in this width.
    package func words(columns: Int) -> String {
        switch state {
        case .queued: "waits for its turn"
        case .running: meter?.line(columns: columns) ?? "begins"
        case .waiting(let reason): reason
        case .done(let words), .failed(let words): words
        }
    }
}
