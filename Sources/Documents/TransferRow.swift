/// An upload or a download as it is shown.
package struct TransferRow: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Behind others.
        case queued
        case running
        /// The network is away; when it is tried again, and why.
        case waiting(String)
        case done(String)
        case failed(String)

        /// Whether nothing more will come of it.
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
    /// How far it is; `nil` before its beginning.
    package var meter: TransferMeter?

    package init(number: Int, title: String, isUpload: Bool, state: State = .queued) {
        self.number = number
        self.title = title
        self.isUpload = isUpload
        self.state = state
    }

    /// What is beside its title, in so many columns.
    package func words(columns: Int) -> String {
        switch state {
        case .queued: "waits for its turn"
        case .running: meter?.line(columns: columns) ?? "begins"
        case .waiting(let reason): reason
        case .done(let words), .failed(let words): words
        }
    }
}
