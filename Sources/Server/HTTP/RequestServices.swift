import Reactor

/// The parts of a shard that handlers of requests work with.
struct RequestServices {
    let reactor: Reactor
    let log: Log
    let workers: Workers
    let access: AccessControl
    let usage: UsageRecorder

    /// Milliseconds of the reactor's clock.
    var now: Int64 { reactor.now }
}

@available(*, unavailable) extension RequestServices: Sendable {}
