import Posix
import Testing

extension BrowserTests {
    /// Flows of people in the web client, in Chromium (Tests/Web/flows).
    @Suite("The web client in a browser") struct WebFlowTests {
        static let flows = [
            "events", "event", "offline", "conflict", "trips", "documents", "room", "joining", "signing_out", "passkeys", "upgrade", "attacks", "keyboard", "killed", "accessible", "board", "months", "paper", "commands", "long_list", "consents", "looked_at", "spoken", "every_screen", "late_records", "closes_on_success", "long_documents", "long_room", "feeds", "reminders", "farewell",
        ]

        @Test("Flows work, without an error on the console, a report of the policy, or a request to elsewhere", arguments: Flows.pairs(flows))
        func flow(pair: [String]) throws { try Flows.run(pair) }

        @Test("Each flow of the files is run")
        func complete() throws {
            let folder = Programs.root + "/Tests/Web/flows/"
            let files = try Files.list(folder).filter { $0.hasSuffix(".py") }
            let count = try files.reduce(0) { $0 + String(decoding: try Files.read(folder + $1), as: UTF8.self).split(separator: "\n").count { $0 == "@flow" } }
            #expect(count == Self.flows.count)
        }
    }
}
