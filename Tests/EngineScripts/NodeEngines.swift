import JSON
package import Bytes
import Posix
package import Sync

/// Engines in JavaScript in one process, which follow engines in Swift (`Tests/Web/replay.js`).
package final class NodeEngines {
    private let process: ChildProcess
    private var seats = 0

    /// - Parameter node: see `NodeProgram`.
    package init(node: String) throws {
        process = try ChildProcess.start([node, NodeProgram.root + "/Tests/Web/replay.js"], input: .piped)
    }

    /// Makes an engine.
    ///
    /// - Returns: its number.
    package func begin(_ configuration: SyncEngine.Configuration) -> Int {
        seats += 1
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seat")
        writer.integer(seats)
        writer.key("configuration")
        EngineScript.write(configuration, to: &writer)
        writer.endObject()
        // A process that has gone is noticed at the first input.
        _ = try? exchange(writer.octets)
        return seats
    }

    /// Gives an engine an input, and compares what follows.
    ///
    /// - Parameters:
    ///   - outcome: the result and the actions of the Swift engine.
    ///   - state: the changed members of its state.
    ///   - touched: the records that `state` covers; `nil`: all.
    /// - Returns: the frames that the engine in JavaScript sends.
    /// - Throws: the first difference.
    package func follow(
        _ seat: Int, _ input: EngineInput, _ outcome: ScriptedEngine.Outcome, state: [UInt8], touched: [Identifier]?, at: Int64, now: Int64
    ) throws -> [[UInt8]] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seat")
        writer.integer(seat)
        writer.key("at")
        writer.integer(now)
        writer.key("utc")
        writer.integer(at)
        input.write(to: &writer)
        if let result = outcome.result {
            writer.key("result")
            writer.raw(result)
        }
        writer.key("expect")
        writer.raw(EngineScriptWriter.octets(outcome.actions))
        writer.key("state")
        writer.raw(state)
        if let touched {
            writer.key("touched")
            writer.beginArray()
            for id in touched { writer.identifier(id) }
            writer.endArray()
        }
        writer.endObject()
        let answer = try exchange(writer.octets)
        if let difference = answer["difference"]?.text { throw ScriptError("the engine in JavaScript differs: \(difference)") }
        return (answer["sent"]?.elements ?? []).compactMap { $0.text.map { Array($0.utf8) } }
    }

    private func exchange(_ line: [UInt8]) throws -> JSONValue {
        try process.write(String(decoding: line, as: UTF8.self) + "\n")
        guard let answer = try process.readLine(timeoutMilliseconds: 60_000) else { throw ScriptError("node has ended") }
        return try JSONValue(Array(answer.utf8))
    }
}
