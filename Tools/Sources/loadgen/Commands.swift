import Arguments
import Posix
import Store

/// The exit status of `loadgen`.
enum ExitStatus {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let wrongUse: Int32 = 2
    /// Something was lost, doubled, out of order, or refused.
    static let faulty: Int32 = 3
}

let usage = """
    loadgen, load for a Huddle server on this machine

      loadgen seed   --data DIR --families N --members M [--records N [--record-kind event|message|school]]
                     [--years Y [--changes N]]
      loadgen mutate --server HOST:PORT --families N --members M [--publishers P] [--window W | --rate R]
                     [--size OCTETS] [--warmup S] [--duration S] [--drain S] [--pid PID] [--tls-ca FILE] [--json]
      loadgen idle   --server HOST:PORT --connections N --members M --pid PID [--hold S] [--tls-ca FILE] [--json]
      loadgen resume --server HOST:PORT --connections N --members M [--at-once N] [--tls-ca FILE] [--json]

    seed    fills the data folder of a server that does not run with families 0...N-1 of M parents each.
            THEIR TOKENS CAN BE GUESSED BY ANYBODY. Never serve people from such a folder.
            --records puts that many records into family 0; --years gives it that much history, 50,000 changes of all kinds.
    mutate  every member joins; the first P of each family (1) publish messages and all check what they get.
            --window: unanswered messages per publisher (1). --rate: messages per second of all together, on
            schedule, with latency counted from the intended time. --pid adds the server's CPU.
    idle    memory of the server for each connection that joined and does nothing.
    resume  all connections join and note their cursors. Then restart the server and send a line to standard input: all connect again
            and resume, --at-once (256) of them at the same time. A snapshot, a reset or a wait of over 5 s ends with status 3.
    --tls-ca  speaks TLS, and trusts what the certificates in FILE vouch for; HOST has to be what the server's certificate says.

    Start the server with --mutations-per-second 0. Targets are 127.0.0.0/8 only; every run ends by itself.
    Exit status: 0 done, 1 failed, 2 wrong use, 3 something was lost, doubled, out of order or refused.

    """

func run(_ words: [String]) -> Int32 {
    guard let command = words.first else {
        Standard.write(error: usage)
        return ExitStatus.wrongUse
    }
    let rest = Array(words.dropFirst())
    do {
        switch command {
        case "--help", "-h", "help":
            Standard.write(output: usage)
            return ExitStatus.done
        case "seed": return try seed(rest)
        case "mutate": return try mutate(rest)
        case "idle": return try idle(rest)
        case "resume": return try resume(rest)
        default: throw UsageError("There is no command '\(command)'. See loadgen --help.")
        }
    } catch let wrong as UsageError {
        Standard.write(error: "loadgen: \(wrong.message)\n")
        return ExitStatus.wrongUse
    } catch let failure as LoadFailure {
        Standard.write(error: "loadgen: \(failure.sentence)\n")
        return ExitStatus.failed
    } catch {
        Standard.write(error: "loadgen: \(error)\n")
        return ExitStatus.failed
    }
}

private func seed(_ words: [String]) throws -> Int32 {
    let plan = try SeedPlan(words)
    try Seeding.run(plan)
    Standard.write(
        output: """
            \(plan.dataFolder) has families 0...\(plan.families - 1) of \(plan.members) parents, \(plan.records) records in family 0.
            Their tokens can be guessed by anybody: this folder is for measuring only.

            """)
    return ExitStatus.done
}

private func mutate(_ words: [String]) throws -> Int32 {
    let plan = try MutatePlan(words)
    prepare()
    let report = try MutateRun(plan: plan).run()
    if plan.target.isJSON { Standard.write(output: report.json) } else { Standard.write(output: report.text) }
    return report.isFaultless ? ExitStatus.done : ExitStatus.faulty
}

private func idle(_ words: [String]) throws -> Int32 {
    let plan = try IdlePlan(words)
    prepare()
    let report = try IdleRun.run(plan)
    if plan.target.isJSON { Standard.write(output: report.json) } else { Standard.write(output: report.text) }
    return report.closedEarly == 0 ? ExitStatus.done : ExitStatus.faulty
}

private func resume(_ words: [String]) throws -> Int32 {
    let plan = try ResumePlan(words)
    prepare()
    let report = try ResumeRun.run(plan)
    if plan.target.isJSON { Standard.write(output: report.json) } else { Standard.write(output: report.text) }
    return report.isFaultless ? ExitStatus.done : ExitStatus.faulty
}

private func prepare() {
    Signals.ignoreBrokenPipes()
    _ = try? Environment.raiseOpenFiles()
}
