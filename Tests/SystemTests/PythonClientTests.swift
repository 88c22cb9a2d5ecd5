import Family
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// The client of `proto/examples`, which was written from `proto/` alone, against the real server.
    @Suite("The Python client") struct PythonClientTests {
        private let python: Python?

        init() throws { python = try Python() }

        @Test("say, add-event and events work, and end")
        func commands() throws {
            guard let python else { return }
            let (_, demo, server) = try Demo.served()
            // The address as it is printed, and without its path.
            let said = try python.run(as: demo.parents[0].token, [server.url + "/ws", "say", "Practice moved to six"])
            #expect(said.ending == .exited(0), "\(said.errors)")
            let ack = try said.json()
            #expect(ack["type"]?.string == "ack")
            let sequence = try #require(ack["seq"]?.integer)

            let added = try python.run(as: demo.athletes[0].token, [server.url, "add-event", "2027-05-06", "camp", "Infield camp"])
            #expect(added.ending == .exited(0), "\(added.errors)")
            #expect(try added.json()["seq"]?.integer == sequence + 1)
            let events = try python.run(as: demo.parents[1].token, [server.url, "events"])
            #expect(events.output.split(separator: "\n").contains("2027-05-06\tcamp\tInfield camp"))

            try server.stop()
            let book = try DatabaseContent(server.folder, demo.family)
            let event = try #require(book.records.values.first { $0.kind == .event && $0.fields.text("name") == "Infield camp" })
            #expect(event.athlete == demo.athletes[0].id)
            #expect(event.createdBy == demo.athletes[0].id)
        }

        @Test("watch sees what another process does, and what happened while the server was killed, each once")
        func watches() throws {
            guard let python else { return }
            let (_, demo, server) = try Demo.served()
            let watch = try python.start(as: demo.athletes[1].token, [server.url, "watch"])
            func next() throws -> JSONValue { try JSONValue(try #require(try watch.readLine(timeoutMilliseconds: 20_000))) }
            func say(_ text: String) throws -> JSONValue {
                let said = try python.run(as: demo.parents[0].token, [server.url, "say", text])
                try #require(said.ending == .exited(0), "\(said.errors)")
                return try said.json()
            }
            func text(_ change: JSONValue) -> String? { change["changes"]?.elements.first?["fields"]?["text"]?.string }
            // Whether it is there yet is not told; the first that it sees may be any of these.
            var sequence: Int64 = 0
            var attempts = 0
            var first: JSONValue?
            while first == nil, attempts < 40 {
                attempts += 1
                sequence = try #require(try say("Are you there? \(attempts)")["seq"]?.integer)
                do throws(Errno) {
                    first = try watch.readLine(timeoutMilliseconds: 500).flatMap { try? JSONValue($0) }
                } catch {
                    guard error == .timedOut else { throw error }
                }
            }
            var seen = try #require(first)
            var last = try #require(seen["seq"]?.integer)
            while last < sequence {
                seen = try next()
                #expect(seen["seq"]?.integer == last + 1)
                last += 1
            }
            #expect(text(seen) == "Are you there? \(attempts)")

            // A change that is made while no server runs: only a cursor can bring it.
            try server.kill()
            let invited = try Programs.huddled(
                "invite", "--data", server.folder, "--family", "\(demo.family)", "--name", "Ruth", "--role", "athlete", "--born", "2012-05-05",
                "--by", "\(demo.parents[0].id)")
            #expect(invited.ending == .exited(0), "\(invited.errors)")
            try server.restart()
            _ = try say("Welcome, Ruth")
            let missed = try next()
            #expect(missed["seq"]?.integer == sequence + 1)
            #expect(missed["changes"]?.elements.first?["fields"]?["name"]?.string == "Ruth")
            let welcome = try next()
            #expect(welcome["seq"]?.integer == sequence + 2)
            #expect(text(welcome) == "Welcome, Ruth")
        }

        @Test("An entry that is lost on its way to the client is noticed with the next live, reported, and ended by a fresh snapshot")
        func differs() throws {
            guard let python else { return }
            let (_, demo, server) = try Demo.served()
            let script = """
                import asyncio, json, sys, uuid
                sys.path.insert(0, sys.argv[1])
                from client import Huddle

                class Lossy(Huddle):
                    loses = False

                    async def receive(self, frame):
                        if frame["type"] == "change" and self.loses:
                            self.loses = False
                            frame["changes"].pop()
                        await super().receive(frame)

                    async def join(self):
                        if self.differed: print(self.differed, self.cursor)
                        await super().join()

                async def main():
                    one = Huddle(sys.argv[2], sys.argv[3], lambda frame: None)
                    two = Lossy(sys.argv[2], sys.argv[4], lambda frame: None)
                    tasks = [asyncio.create_task(each.run()) for each in (one, two)]
                    await asyncio.gather(one.live.wait(), two.live.wait())
                    two.loses = True
                    ack = await one.mutate({"op": "create", "kind": "message", "id": str(uuid.uuid4()), "fields": {"text": "Lost"}})
                    while two.cursor["seq"] < ack["seq"]: await asyncio.sleep(0.01)
                    await two.socket.close()
                    while two.checksum != one.checksum or not two.live.is_set(): await asyncio.sleep(0.01)
                    versions = [{record["id"]: record["version"] for record in each.records.values()} for each in (one, two)]
                    print(ack["seq"], versions[0] == versions[1])

                asyncio.run(main())
                """
            let answer = try Programs.run(
                python.path, ["-c", script, Python.examples, server.url, demo.parents[0].token, demo.parents[1].token])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            let lines = answer.output.split(separator: "\n")
            let sequence = try #require(lines.last?.split(separator: " ").first)
            #expect(lines == ["\(sequence) None", "\(sequence) True"])
        }

        @Test("a stale edit is answered with the conflict, and the client can be used as a module")
        func conflicts() throws {
            guard let python else { return }
            let (_, demo, server) = try Demo.served()
            let script = """
                import asyncio, json, sys, uuid
                sys.path.insert(0, sys.argv[1])
                from client import Huddle, Rejected

                async def main():
                    one, two = (Huddle(sys.argv[2], token, lambda frame: None) for token in sys.argv[3:5])
                    tasks = [asyncio.create_task(each.run()) for each in (one, two)]
                    await asyncio.gather(one.live.wait(), two.live.wait())
                    event = min(one.all("event"), key=lambda event: event["id"])
                    edit = {"op": "update", "kind": "event", "id": event["id"], "base": event["version"], "merge": "disjoint"}
                    await one.mutate(edit | {"fields": {"name": "Mine"}})
                    await two.mutate(edit | {"fields": {"host": "Other field"}})
                    try:
                        await two.mutate(edit | {"fields": {"name": "Theirs"}})
                    except Rejected as refused:
                        print(json.dumps(refused.args[0]))
                    while one.records[event["id"]]["version"] < edit["base"] + 2: await asyncio.sleep(0.01)
                    print(json.dumps(one.records[event["id"]]["fields"]))

                asyncio.run(main())
                """
            let answer = try Programs.run(
                python.path,
                ["-c", script, Python.examples, server.url, demo.parents[0].token, demo.parents[1].token])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            let lines = try answer.lines()
            let reject = try #require(lines.first)
            #expect(reject["code"]?.string == "conflict")
            #expect(reject["retry"] == .bool(false))
            let field = try #require(reject["conflict"]?["fields"]?.elements.first)
            #expect(field["field"]?.string == "name")
            #expect(field["theirs"]?.string == "Mine")
            #expect(field["yours"]?.string == "Theirs")
            #expect(field["member"]?.string == "\(demo.parents[0].id)")
            #expect(lines.last?["name"]?.string == "Mine")
            #expect(lines.last?["host"]?.string == "Other field")
        }

        @Test("a change that does not follow the last one is not applied: the client joins again without a cursor")
        func gap() throws {
            guard let python else { return }
            // A server that leaves one out.
            let script = """
                import asyncio, json, sys
                sys.path.insert(0, sys.argv[1])
                from client import Huddle
                from websockets import serve

                joins, applied = [], []

                async def answer(socket):
                    async def say(**frame): await socket.send(json.dumps(frame))
                    async for text in socket:
                        frame = json.loads(text)
                        if frame["type"] == "sign_in":
                            await say(type="welcome", memberships=[{"family": "f"}], limits={})
                        else:
                            joins.append(frame.get("cursor"))
                            await say(type="joined", epoch="e", seq=4, member="m", resume="snapshot")
                            await say(type="snapshot", seq=4, records=[])
                            await say(type="snapshot_end", seq=4)
                            for seq in (5, 7) if len(joins) == 1 else (5, 6):
                                await say(type="change", seq=seq, at=1, member="m", changes=[])
                            await say(type="live", seq=seq)

                async def main():
                    async with serve(answer, "127.0.0.1", 0, subprotocols=["huddle.v1"]) as server:
                        port = server.sockets[0].getsockname()[1]
                        huddle = Huddle(f"ws://127.0.0.1:{port}", "t", lambda frame: applied.append(frame["seq"]))
                        task = asyncio.create_task(huddle.run())
                        while len(applied) < 3: await asyncio.sleep(0.01)
                        task.cancel()
                    print(json.dumps({"joins": joins, "applied": applied}))

                asyncio.run(asyncio.wait_for(main(), 20))
                """
            let answer = try Programs.run(python.path, ["-c", script, Python.examples])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            let told = try answer.json()
            #expect(told["joins"]?.elements == [.null, .null])
            #expect(told["applied"]?.elements.compactMap(\.integer) == [5, 5, 6])
        }

        /// A server that does what a test says of one frame, and otherwise keeps a family of messages.
        ///
        /// - Parameters:
        ///   - server: Python: `async def on_mutate(socket, say, frame)`, which returns whether it dealt with the frame, and
        ///     `def on_upgrade(connection, count)`, which returns a response or nothing; if wanted also
        ///     `async def on_sign_in(socket, say)` like the first, and `features` of the welcome.
        ///   - script: Python, indented by 8: what is done with the `huddle` that has joined.
        private func play(_ python: Python, server: String, script: String) throws -> JSONValue {
            let source = """
                import asyncio, json, sys, time
                sys.path.insert(0, sys.argv[1])
                from client import Huddle, Rejected
                from websockets import serve

                upgrades, mutations, arrived, joins, log, features, seq = [], [], [], [], [], None, 4
                async def on_sign_in(socket, say): return False
                \(server)
                async def answer(socket):
                    global seq
                    async def say(**frame): await socket.send(json.dumps(frame))
                    arrived.append(time.monotonic())
                    async for text in socket:
                        frame = json.loads(text)
                        if frame["type"] == "sign_in":
                            if await on_sign_in(socket, say): continue
                            known = {} if features is None else {"features": features}
                            await say(type="welcome", memberships=[{"family": "f"}], limits={"pending_mutations": 8}, **known)
                        elif frame["type"] == "join":
                            joins.append(frame)
                            await say(type="joined", epoch="e", seq=seq, member="m", resume="snapshot")
                            await say(type="snapshot_end", seq=seq)
                            await say(type="live", seq=seq)
                        else:
                            mutations.append(frame["mutation"])
                            if not await on_mutate(socket, say, frame):
                                seq += 1
                                await say(type="ack", mutation=frame["mutation"], seq=seq, records=[])

                def upgrade(connection, request):
                    upgrades.append(time.monotonic())
                    return on_upgrade(connection, len(upgrades))

                async def main():
                    async with serve(answer, "127.0.0.1", 0, subprotocols=["huddle.v1"], process_request=upgrade) as server:
                        huddle = Huddle(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", "t", lambda frame: None, quiet=True)
                        task = asyncio.create_task(huddle.run())
                        live = asyncio.create_task(huddle.live.wait())
                        await asyncio.wait([task, live], return_when=asyncio.FIRST_COMPLETED)
                        if task.done(): await task
                \(script)
                        task.cancel()

                asyncio.run(asyncio.wait_for(main(), 30))
                """
            let answer = try Programs.run(python.path, ["-c", source, Python.examples])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            return try answer.json()
        }

        @Test("a server without room (429, 503) is asked again after Retry-After")
        func noRoom() throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame): return False
                    def on_upgrade(connection, count):
                        if count > 2: return None
                        response = connection.respond(429 if count == 1 else 503, "There is no room.")
                        response.headers["Retry-After"] = "1" if count == 1 else "0"
                        return response
                    """,
                script: "        print(json.dumps({'upgrades': len(upgrades), 'waited': upgrades[1] - upgrades[0] >= 1}))")
            #expect(seen["upgrades"]?.integer == 3)
            #expect(seen["waited"] == .bool(true))
        }

        @Test("the client stays away from a restarting server for the given time")
        func restarts() throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame):
                        if len(mutations) > 1: return False
                        log.append(time.monotonic())
                        await say(type="drain", retry_after=700)
                        await socket.close(4000)
                        return True
                    def on_upgrade(connection, count): return None
                    """,
                script: """
                            ack = await huddle.mutate({"op": "create"})
                            print(json.dumps({"ack": ack["mutation"], "mutations": mutations, "waited": arrived[1] - log[0] >= 0.7}))
                    """)
            #expect(seen["ack"]?.integer == 1)
            #expect(seen["mutations"]?.elements.compactMap(\.integer) == [1, 1])
            #expect(seen["waited"] == .bool(true))
        }

        @Test("a server that cannot sign in anybody for now is asked again after the given time", arguments: ["busy", "storage_full"])
        func busySignIn(code: String) throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame): return False
                    async def on_sign_in(socket, say):
                        if len(arrived) > 1: return False
                        log.append(time.monotonic())
                        await say(type="error", code="\(code)", message="Later.", retry=True, retry_after=600)
                        return True
                    def on_upgrade(connection, count): return None
                    """,
                script: "        print(json.dumps({'connections': len(arrived), 'waited': arrived[1] - log[0] >= 0.6}))")
            #expect(seen["connections"]?.integer == 2)
            #expect(seen["waited"] == .bool(true))
        }

        @Test("a key of a feature is sent only to a server that lists the feature", arguments: [
            ("features = ['lists', 'quiet']", true), ("features = ['lists']", false), ("features = []", false), ("", false),
        ])
        func features(_ features: String, isQuiet: Bool) throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame): return False
                    def on_upgrade(connection, count): return None
                    \(features)
                    """,
                script: "        print(json.dumps({'quiet': [join.get('quiet', False) for join in joins]}))")
            #expect(seen["quiet"]?.elements == [.bool(isQuiet)])
        }

        @Test("a join of a foreign family ends the client with the server's sentence")
        func refusedJoin() throws {
            guard let python else { return }
            let source = """
                import asyncio, json, sys
                sys.path.insert(0, sys.argv[1])
                from client import Huddle
                from websockets import serve

                async def answer(socket):
                    async for text in socket:
                        if json.loads(text)["type"] == "sign_in":
                            await socket.send(json.dumps({"type": "welcome", "memberships": [{"family": "f"}], "limits": {}}))
                        else:
                            await socket.send(json.dumps({"type": "error", "code": "not_found", "message": "No family.", "retry": False}))

                async def main():
                    async with serve(answer, "127.0.0.1", 0, subprotocols=["huddle.v1"]) as server:
                        huddle = Huddle(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", "t", lambda frame: None)
                        try:
                            await huddle.run()
                        except ConnectionAbortedError as problem:
                            print(json.dumps({"problem": str(problem)}))

                asyncio.run(asyncio.wait_for(main(), 20))
                """
            let answer = try Programs.run(python.path, ["-c", source, Python.examples])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            #expect(try answer.json()["problem"]?.string == "No family.")
        }

        @Test("mutations that are refused for now are sent again in the order of their ids, whatever wait each was given")
        func order() throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame):
                        if len(mutations) > 3: return False
                        wait = {1: 400, 2: 200, 3: 50}[frame["mutation"]]
                        await say(type="reject", mutation=frame["mutation"], code="rate_limited", message="", retry=True, retry_after=wait)
                        return True
                    def on_upgrade(connection, count): return None
                    """,
                script: """
                            acks = await asyncio.gather(*(huddle.mutate({"op": "create"}) for _ in range(3)))
                            print(json.dumps({"acks": [ack["mutation"] for ack in acks], "mutations": mutations}))
                    """)
            #expect(seen["mutations"]?.elements.compactMap(\.integer) == [1, 2, 3, 1, 2, 3])
            #expect(seen["acks"]?.elements.compactMap(\.integer) == [1, 2, 3])
        }

        @Test("a mutation that ended two connections becomes a draft, and those around it are done")
        func draft() throws {
            guard let python else { return }
            let seen = try play(
                python,
                server: """
                    async def on_mutate(socket, say, frame):
                        if frame["operations"][0]["op"] != "bad": return False
                        await socket.close(4502)
                        return True
                    def on_upgrade(connection, count): return None
                    """,
                script: """
                            asked = [huddle.mutate({"op": op}) for op in ("create", "bad", "create")]
                            results = await asyncio.gather(*asked, return_exceptions=True)
                            print(json.dumps({"refused": [isinstance(result, Rejected) for result in results], "upgrades": len(upgrades)}))
                    """)
            #expect(seen["refused"]?.elements == [.bool(false), .bool(true), .bool(false)])
            #expect(seen["upgrades"]?.integer == 3)
        }

        @Test("an invalid token, and an address without Huddle, end with a sentence")
        func refuses() throws {
            guard let python else { return }
            let folder = try TemporaryFolder()
            let server = try RunningServer(folder.path)
            let unknown = try python.run(as: "nobody", [server.url, "say", "Hello"])
            #expect(unknown.ending == .exited(1))
            #expect(unknown.errors.contains("close code 4501"), "\(unknown.errors)")
            let elsewhere = try python.run(as: "nobody", [server.url + "/elsewhere", "say", "Hello"])
            #expect(elsewhere.ending == .exited(1))
            #expect(elsewhere.errors.contains("404"), "\(elsewhere.errors)")
        }
    }
}

/// A Python that has the packages of `proto/examples/requirements.txt`.
private struct Python {
    let path: String

    static var examples: String { Programs.root + "/proto/examples" }

    /// - Returns: `nil` with a printed line when there is none; with HUDDLE_REQUIRE_PYTHON=1 that is a failure.
    init?() throws {
        path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
        let found = try? Programs.run(path, ["-c", "import websockets"])
        guard found?.ending == .exited(0) else {
            print("The Python client: SKIPPED, because \(path) does not have websockets (Tools/test.sh makes it)")
            if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with websockets") }
            return nil
        }
    }

    func run(as token: String, _ arguments: [String]) throws -> Programs.Answer {
        try Programs.run(path, [Self.examples + "/client.py"] + arguments, environment: Environment.all + ["HUDDLE_TOKEN=\(token)"])
    }

    func start(as token: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess.start([path, Self.examples + "/client.py"] + arguments, environment: Environment.all + ["HUDDLE_TOKEN=\(token)"], errors: .nothing)
    }
}
