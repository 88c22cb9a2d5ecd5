import Bytes
import Family
import SQLite
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Damaged rows, RUNBOOK.md (Logs)", .serialized)
struct DamagedRowTests {
    @Test("a change that a purge cannot read is logged as one line, and the server continues")
    func purge() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        let school = Identifier(high: 5, low: 2)
        func operate(_ number: Int, _ operation: String) throws {
            client.say("{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[{\(operation),\"kind\":\"school\",\"id\":\"\(school)\"}]}")
            try client.skip(to: "ack \(number)")
        }
        try operate(1, "\"op\":\"create\",\"fields\":{\"name\":\"Rice\"}")
        try operate(2, "\"op\":\"delete\",\"base\":1")
        let database = try Database(path: server.folder.path + "/huddle.db", mode: .readWrite)
        try database.execute("UPDATE log SET frame = CAST('{}' AS BLOB) WHERE seq = (SELECT max(seq) - 1 FROM log WHERE family = 1) AND family = 1")
        server.passDay(milliseconds: 31 * 86_400_000)
        server.shard.workers.maintain()
        try server.until("the line") { server.lines.count("event=change_damaged") > 0 }
        #expect(server.lines.count("event=change_damaged", "level=error", "family=\(server.parent.family)", "sequence=") == 1)
        client.mutate(3)
        try client.skip(to: "ack 3")
        #expect(server.shard.drain.failure == nil)
    }
}
