import Arguments
import Posix
import TLS

/// The settings of every run: target, number of connections, and bounds that make it stop by itself.
struct LoadTarget {
    /// The server's own bound (`Limits.connections`), and what one process may have open.
    static let maxConnections = 19_000

    let address: SocketAddress
    /// As it was written: whom a certificate is expected to name.
    let host: String
    /// The trusted certificates; `nil`: without TLS.
    let trust: TLSClientContext?
    /// Members of each family, as they were seeded.
    let members: Int
    /// The server's, for its CPU and memory.
    let pid: Int32?
    let isJSON: Bool

    static let options: Set<String> = ["--server", "--members", "--pid", "--tls-ca"]

    init(_ list: ArgumentList) throws(UsageError) {
        let (host, port) = try list.endpoint("--server", default: "127.0.0.1:8787")
        guard let address = Loopback.address(host: host, port: port) else {
            throw UsageError("Load goes to this machine only: --server takes an address of 127.0.0.0/8.")
        }
        self.address = address
        self.host = host
        if let file = list.value("--tls-ca") {
            do throws(TLSError) { trust = try TLSClientContext(authorities: file) } catch {
                throw UsageError("The certificates to trust cannot be read from \(file): \(error.reason).")
            }
        } else {
            trust = nil
        }
        members = try list.integer("--members", in: 1...SeedNames.maxMembers) ?? 1
        pid = try list.integer("--pid", in: 1...Int(Int32.max)).map(Int32.init)
        isJSON = list.has("--json")
        if let pid, ProcessUse.cpu(pid: pid) == nil { throw UsageError("There is no process \(pid).") }
    }

    static func seconds(_ list: ArgumentList, _ name: String, default fallback: Double, max: Double) throws(UsageError) -> Int64 {
        let text = list.value(name)
        guard let seconds = text.map({ Double($0) }) ?? fallback, seconds >= 0, seconds <= max else {
            throw UsageError("\(name) takes seconds, at most \(Int(max)).")
        }
        return Int64(seconds * 1_000_000_000)
    }
}

/// How messages are published.
struct MutatePlan {
    enum Pace: Equatable {
        /// A constant number of unanswered messages per publisher.
        case closed(window: Int)
        /// Messages per second of all publishers together, whether they are answered or not.
        case open(perSecond: Int)
    }

    /// Mutations that the server lets one session have unanswered (`Limits.pendingMutations`).
    static let maxWindow = 128

    let target: LoadTarget
    let families: Int
    /// Of each family; the first members.
    let publishers: Int
    let pace: Pace
    /// Octets of a mutate frame.
    let size: Int
    /// Nanoseconds.
    let warmup: Int64
    let duration: Int64
    let drain: Int64

    init(_ words: [String]) throws(UsageError) {
        let list = try ArgumentList(
            words,
            options: LoadTarget.options.union([
                "--families", "--publishers", "--window", "--rate", "--size", "--warmup", "--duration", "--drain",
            ]),
            switches: ["--json"])
        try list.expectNoPositional()
        target = try LoadTarget(list)
        families = try list.integer("--families", in: 1...LoadTarget.maxConnections) ?? 1
        publishers = try list.integer("--publishers", in: 1...target.members) ?? 1
        guard families * target.members <= LoadTarget.maxConnections else {
            throw UsageError("Families times members is at most \(LoadTarget.maxConnections) connections.")
        }
        switch (try list.integer("--window", in: 1...MutatePlan.maxWindow), try list.integer("--rate", in: 1...200_000)) {
        case (nil, let rate?): pace = .open(perSecond: rate)
        case (let window, nil): pace = .closed(window: window ?? 1)
        default: throw UsageError("A run has a --window or a --rate, not both.")
        }
        size = try list.integer("--size", in: MutateFrame.smallest...4_000) ?? 500
        warmup = try LoadTarget.seconds(list, "--warmup", default: 0.5, max: 10)
        duration = try LoadTarget.seconds(list, "--duration", default: 5, max: 60)
        drain = try LoadTarget.seconds(list, "--drain", default: 5, max: 30)
        guard duration >= 100_000_000 else {
            throw UsageError("--duration is at least 0.1 seconds: CPU time is counted in steps of 10 ms.")
        }
    }
}

/// How many clients do nothing, and for how long.
struct IdlePlan {
    let target: LoadTarget
    let connections: Int
    /// Nanoseconds.
    let hold: Int64

    init(_ words: [String]) throws(UsageError) {
        let list = try ArgumentList(words, options: LoadTarget.options.union(["--connections", "--hold"]), switches: ["--json"])
        try list.expectNoPositional()
        target = try LoadTarget(list)
        guard target.pid != nil else { throw UsageError("--pid is missing: the server's memory is what this measures.") }
        connections = try list.integer("--connections", in: 1...LoadTarget.maxConnections) ?? 1_000
        hold = try LoadTarget.seconds(list, "--hold", default: 3, max: 60)
    }
}

/// How many clients resume after a restart of the server.
struct ResumePlan {
    let target: LoadTarget
    let connections: Int
    /// Connections that may be on their way to live at the same time.
    let atOnce: Int

    init(_ words: [String]) throws(UsageError) {
        let list = try ArgumentList(words, options: LoadTarget.options.union(["--connections", "--at-once"]), switches: ["--json"])
        try list.expectNoPositional()
        target = try LoadTarget(list)
        connections = try list.integer("--connections", in: 1...LoadTarget.maxConnections) ?? 1_000
        atOnce = try list.integer("--at-once", in: 1...LoadTarget.maxConnections) ?? 256
    }
}
