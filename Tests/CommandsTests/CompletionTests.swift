import Bytes
import ClientWorld
import Commands
import Family
import Sync
import TestSupport
import Testing
import Words

@Suite("Completion in shells")
struct CompletionTests {
    /// Two athletes, a parent, a trip, and events of which two have the same name.
    private static let names: RecordNames = {
        func record(_ kind: Kind, _ number: UInt64, _ values: [String: Value]) -> Record {
            var fields = Fields(kind)
            for (name, value) in values { fields[name] = value }
            return Record(
                kind: kind, id: World.id(number), athlete: nil, version: 1, createdAt: 1, createdBy: World.parent, updatedAt: 1,
                updatedBy: World.parent, fields: fields)
        }
        return RecordNames([
            record(.member, 2, ["name": .text("Carmen Rivera"), "role": .text("parent")]),
            record(.member, 3, ["name": .text("Elena Rivera"), "role": .text("athlete")]),
            record(.member, 4, ["name": .text("Mateo Rivera"), "role": .text("athlete")]),
            record(.trip, 10, ["name": .text("Austin"), "start_date": .text("2026-12-01")]),
            record(.event, 0xABCD_EF01, ["name": .text("Camp"), "start_date": .text("2026-12-01")]),
            record(.event, 0xABCD_EF02, ["name": .text("Camp"), "start_date": .text("2027-12-01")]),
            record(.event, 13, ["name": .text("Fall Showcase"), "start_date": .text("2026-10-01")]),
            record(.coach, 14, ["first_name": .text("Al"), "last_name": .text("Bo")]),
            record(.coach, 15, ["first_name": .text("Cy"), "last_name": .text("Dee")]),
        ])
    }()

    private func offered(_ words: [String]) -> [String] {
        guard case .candidates(let found) = Completion.answer(words, names: { Self.names }) else { return ["(files)"] }
        return found.map(\.text)
    }

    @Test("Only the words that may follow are offered", arguments: [
        (["ev"], ["events"]), (["docs", "sh"], ["share", "shares"]), (["--server", "ws://x", "whe"], []), (["--server", "ws://x", "wat"], ["watch"]),
        (["completions", ""], ["bash", "zsh", "fish"]), (["completions", "bash", ""], []),
        (["events", "--ty"], ["--type"]), (["events", "--type", "ca"], ["camp"]), (["events", "--type=ca"], ["--type=camp"]),
        (["events", "--type", "camp", "--ty"], []), (["events", "--", "--ty"], []), (["events", "--wa"], ["--watch"]),
        (["add", "ev"], ["event"]), (["add", "event", "type=ca"], ["type=camp"]), (["add", "event", "start-t"], ["start-time="]),
        (["add", "event", "--start-d"], ["--start-date"]), (["add", "event", "--registered", "y"], ["yes"]),
        (["attend", "f"], ["Fall Showcase"]), (["attend", "Fall Showcase", ""], []), (["events", "rm", "fall"], ["Fall Showcase"]),
        (["attend", "Fall Showcase", "--coaches", "Al Bo,C"], ["Al Bo,Cy Dee"]),
        (["edit", "event", "Fall Showcase", "coaches-present=+Al Bo,-C"], ["coaches-present=+Al Bo,-Cy Dee"]),
        (["rm", "trip", ""], ["Austin"]), (["rm", "tr"], ["trip"]), (["rm", "Fall Showcase", ""], []), (["shift", "trip", "Austin", ""], []),
        (["events", "--context", ""], ["all", "Elena Rivera", "Mateo Rivera"]), (["add", "event", "--athlete", "car"], ["Carmen Rivera"]),
        (["docs", "upload", "x"], ["(files)"]), (["export", "events", "--output=x"], ["(files)"]), (["docs", "upload", "x", "--type", "tr"], ["transcript"]),
        (["help", "off"], ["offline"]), (["help", "docs", "un"], ["unshare"]), (["no", "such", ""], []), (["say", ""], []),
    ])
    func offers(words: [String], wanted: [String]) {
        #expect(offered(words) == wanted)
    }

    @Test("Completion offers deleted records for restoring, and columns separated by commas")
    func deleted() {
        func offered(_ words: [String]) -> [String] {
            let deleted = RecordNames([World.event(["name": .text("Gone Camp")], id: 99)])
            guard case .candidates(let found) = Completion.answer(words, deleted: { deleted }, names: { Self.names }) else { return [] }
            return found.map(\.text)
        }
        #expect(offered(["restore", "event", ""]) == ["Gone Camp"] && offered(["restore", "go"]) == ["Gone Camp"])
        #expect(offered(["rm", "event", "go"]).isEmpty)
        #expect(offered(["events", "--columns", "na"]) == ["name"] && offered(["events", "--columns", "name,loc"]) == ["name,location"])
    }

    @Test("The conversation offers its own commands, and none of the program's options", arguments: [
        (["con"], ["consents", "context", "conflicts"]), (["context", "m"], ["Mateo Rivera"]), (["context", ""], ["all", "Elena Rivera", "Mateo Rivera"]),
        (["attend", "f"], ["Fall Showcase"]), (["add", "event", "type=ca"], ["type=camp"]), (["events", "--ser"], []), (["events", "--ty"], ["--type"]),
        (["watch"], []), (["help", "off"], ["offline"]), (["help", "unde"], []), (["me", "f"], []), (["outbox", "s"], ["send"]),
        (["set", "no"], ["notify", "notify-command"]), (["set", "theme", ""], ["dark", "light", "mono", "default"]), (["set", "notify", "bell", "o"], ["osc9"]),
    ])
    func conversation(words: [String], wanted: [String]) {
        guard case .candidates(let found) = Completion.answer(words, inConversation: true, names: { Self.names }) else { Issue.record("files"); return }
        #expect(found.map(\.text) == wanted)
    }

    @Test("Records with the same name are offered by the end of their ids, which names them")
    func sameNames() throws {
        let found = offered(["attend", ""])
        #expect(found == ["0000abcdef01", "0000abcdef02", "Fall Showcase"])
        for text in found { _ = try Self.names.find(.event, text) }
    }

    @Test("Every word of every command is offered behind those before it, and every option with its words", arguments: CommandTable.all)
    func table(command: Command) {
        for form in command.words {
            for place in form.indices {
                #expect(offered(Array(form[..<place]) + [form[place]]).contains(form[place]), "\(form)")
            }
            guard !form.isEmpty else { continue }
            for option in command.options {
                #expect(option.names.allSatisfy { offered(form + [$0]).contains($0) }, "\(form) \(option.names)")
                if case .word(let words)? = option.value { #expect(words.allSatisfy { offered(form + [option.names[0], ""]).contains($0) }, "\(form) \(option.names)") }
            }
        }
    }

    @Test("Without a copy on this machine commands and options are offered all the same, and no records are read for them")
    func withoutRecords() {
        #expect(Completion.answer(["attend", ""], names: { nil }) == .candidates([]))
        _ = Completion.answer(["events", "--type", ""], names: {
            Issue.record("nobody asked for a record")
            return nil
        })
    }

    @Test("Completion offers profile names for a profile, and file names for a token file")
    func profiles() {
        func offered(_ words: [String]) -> String { Completion.answer(words, profiles: { ["carmen", "elena"] }, names: { nil }).lines }
        #expect(offered(["--profile", "el"]) == "elena\n")
        #expect(offered(["events", "--profile=c"]) == "--profile=carmen\n")
        #expect(offered(["--token-file", ""]) == Completion.Answer.files.lines)
    }

    @Test("Completion answers any words", arguments: [UInt64](1...20))
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pool = CommandTable.all.flatMap(\.words).flatMap(\.self) + ["--", "-", "=", "--=", "--type=", "a=b=c", ",", "+", "", "é", "--server", "\"", "\\"]
        for _ in 0..<200 {
            let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in pool.randomElement(using: &random) ?? "" }
            guard case .candidates(let found) = Completion.answer(words, names: { Self.names }) else { continue }
            #expect(found.allSatisfy { $0.text.lowercased().hasPrefix((words.last ?? "").lowercased()) }, "seed \(seed): \(words)")
        }
    }

    @Test("Completion offers the names of the typed server and sign-in", arguments: [
        (["--server", "ws://a:1", "attend", ""], "ws://a:1", nil, nil), (["--server=ws://a:1", "attend", ""], "ws://a:1", nil, nil),
        (["attend", "--token", "T", "--family", "F", ""], "ws://kept", "T", "F"), (["--server"], "ws://kept", nil, nil),
        (["--server", "ws://half"], "ws://kept", nil, nil), (["say", "--", "--server", "ws://a:1", ""], "ws://kept", nil, nil),
        (["--timeout", "--server", "ws://a:1", ""], "ws://kept", nil, nil),
    ] as [([String], String, String?, String?)])
    func connecting(words: [String], server: String, token: String?, family: String?) throws {
        let typed = try Invocation(["--server", "ws://kept", "complete"]).connecting(as: words)
        #expect(typed.server == server && typed.token == token && typed.family == family)
        let kept = try Invocation(["complete"]).connecting(as: ["--profile", "elena", "--token-file=F", ""])
        #expect(kept.profile == "elena" && kept.tokenFile == "F")
    }
}
