import Bytes
import Family
import JSON
import Testing
import Wire

@Suite("Files that are generated for other clients")
struct SchemaDocumentTests {
    @Test("P04 The files in proto/ are the generated ones")
    func filesAreGenerated() {
        for (path, octets) in SchemaDocument.files() {
            if ProtoFolder.isWriting {
                #expect(ProtoFolder.write(path, octets), "\(path)")
            } else {
                #expect(ProtoFolder.read(path) == octets, "proto/\(path) differs from its declaration; write it again (see ProtoFolder)")
            }
        }
    }

    @Test("No schema lies in proto/ that is not generated", arguments: ["schema", "schema/client", "schema/server", "schema/kinds"])
    func noStrayFiles(_ folder: String) {
        let generated = Set(SchemaDocument.files().map(\.path))
        for name in ProtoFolder.names(in: folder) { #expect(generated.contains(folder + "/" + name)) }
        #expect(!ProtoFolder.names(in: folder).isEmpty)
    }

    @Test("Every generated file is strict JSON, and the same at each time")
    func strictJSON() throws {
        let files = SchemaDocument.files()
        for (path, octets) in files {
            do throws(JSONError) {
                try JSONReader.read(octets, maxDepth: 32) { reader throws(JSONError) in try reader.skipValue() }
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        #expect(files.map(\.octets) == SchemaDocument.files().map(\.octets))
        #expect(Set(files.map(\.path)).count == files.count)
    }

    @Test("Every limit is listed once")
    func limitsAreListed() {
        let stored = Mirror(reflecting: Limits()).children.compactMap(\.label)
        #expect(Limits.entries.count == stored.count)
        #expect(Set(Limits.entries.map(\.name.description)).count == stored.count)
        // Snake case of the stored name, so that no entry reads another one's value.
        for name in stored {
            let snake = name.map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
            let entry = Limits.entries.first { $0.name.description == snake }
            let value = Mirror(reflecting: Limits()).children.first { $0.label == name }?.value as? Int
            #expect(entry.map { Limits()[keyPath: $0.value] } == value, "\(name)")
        }
    }

    /// The features of every release; never more, because servers of the first release are still out there.
    private static let firstRelease: Set<String> = [
        "message_octets", "sign_in_octets", "json_depth", "operations_per_mutation", "change_octets", "pending_mutations", "pending_octets",
        "mutations_per_second", "mutation_burst", "refusals", "outbox_octets", "outbox_age", "sign_in_time", "ping_interval", "pong_time",
        "records_per_family", "snapshot_messages", "page_records", "connections", "connections_per_member",
    ]

    private func welcome(limits names: Set<String>) throws -> Welcome? {
        let limits = names.map { "\"\($0)\":7" }.joined(separator: ",")
        let text = "{\"type\":\"welcome\",\"protocol\":1,\"server\":\"0.1.0\",\"time\":1,\"memberships\":[],\"limits\":{\(limits)}}"
        guard case .welcome(let welcome) = try Array(text.utf8).withUnsafeBytes({ try ServerFrame.decode($0) }) else { return nil }
        return welcome
    }

    @Test("A welcome of the first release is understood: limits that came later are marked, and no other may be missing")
    func limitsOfTheFirstRelease() throws {
        #expect(Set(Limits.entries.filter { !$0.isLater }.map(\.name.description)) == Self.firstRelease)
        let first = try #require(try welcome(limits: Self.firstRelease))
        for entry in Limits.entries {
            #expect(first.limits[keyPath: entry.value] == (entry.isLater ? Limits()[keyPath: entry.value] : 7), "\(entry.name)")
        }
        #expect(first.features.isEmpty, "no feature is guessed from a limit")
        #expect(try welcome(limits: Self.firstRelease.union(["message_time"]))?.features == [])
        for name in Self.firstRelease {
            #expect(throws: (any Error).self, "\(name)") { try welcome(limits: Self.firstRelease.subtracting([name])) }
        }
    }

    @Test("Close codes: 4000...4499 reconnect, 4500...4999 stop, the standard's as semantics.md says", arguments: [
        (nil, true), (1000, true), (1001, true), (1002, false), (1003, false), (1005, true), (1006, true), (1007, false), (1008, false),
        (1009, false), (1010, false), (1011, true), (1012, true), (1013, true), (4000, true), (4499, true), (4500, false), (4999, false),
    ] as [(UInt16?, Bool)])
    func closeCodes(_ code: UInt16?, _ reconnects: Bool) {
        #expect(CloseCode.reconnects(code) == reconnects)
    }

    @Test("A refusal that may be sent again says when, never immediately; of the others a slowed sign-in alone", arguments: ErrorCode.allCases)
    func retries(_ code: ErrorCode) {
        #expect(Rejection(code, "x.").retryAfter == (code.isRetryable ? 1_000 : nil))
        #expect(Rejection(code, "x.", retryAfter: 1).retryAfter == (code.isRetryable || code == .signInFailed ? 50 : nil))
        #expect(Rejection(code, "x.", retryAfter: 700).retryAfter == (code.isRetryable || code == .signInFailed ? 700 : nil))
    }
}
