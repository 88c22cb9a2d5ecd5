import Bytes
import Crypto
import Family
import JSON
import WebSocket
import Wire

// Octets to values and back.
extension BenchCase {
    static var frames: [BenchCase] {
        [
            BenchCase(
                name: "frame-decode", question: "a masked 500-octet text frame, received, unmasked and checked",
                unit: .nanoseconds(per: "frame"),
                floor: "copying its octets once"
            ) {
                let frame = WebSocketEncoder.frame(.text, Samples.mutate, maskKey: 0x1234_5678)
                let memory = Scratch(4_096)
                let input = UnsafeMutableRawBufferPointer(rebasing: memory.octets[..<frame.count])
                return Work(
                    run: { times in
                        var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 8))
                        for _ in 0..<times {
                            // Decoding unmasks in place, so each frame has to arrive again, as it does from a socket.
                            memory.copy(frame)
                            decoder.feed(input)
                            while case .message(_, let payload)? = try decoder.next() { use(payload.count) }
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(frame) } })
            },
            BenchCase(
                name: "mutate-decode", question: "a mutate frame of one message, as text, to a value", unit: .nanoseconds(per: "frame"),
                floor: "checking that it is UTF-8"
            ) {
                let limits = Limits()
                return Work(
                    run: { times in for _ in 0..<times { use(try ClientFrame.decode(Samples.mutate, limits: limits)) } },
                    floor: { times in for _ in 0..<times { use(Samples.mutate.withUnsafeBytes { TextCheck.isText($0) }) } })
            },
            BenchCase(
                name: "mutation-hash", question: "the hash by which a mutation that is sent again is known",
                unit: .nanoseconds(per: "mutation"),
                floor: "SHA-256 of the same octets"
            ) {
                let canonical = OperationCodec.canonicalOctets(Samples.operations)
                return Work(
                    run: { times in for _ in 0..<times { use(Digest.sha256(OperationCodec.canonicalOctets(Samples.operations))) } },
                    floor: { times in for _ in 0..<times { use(Digest.sha256(canonical)) } })
            },
            BenchCase(
                name: "validate", question: "the rules on one new message", unit: .nanoseconds(per: "mutation"),
                floor: "checking that its text is UTF-8"
            ) {
                let environment = RuleEnvironment(zoneExists: { _ in true })
                let text = Array(Samples.text.utf8)
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            var operation = Samples.operations[0]
                            try Validation.canonicalize(&operation, index: 0, environment: environment)
                            use(operation)
                        }
                    }, floor: { times in for _ in 0..<times { use(text.withUnsafeBytes { TextCheck.isText($0) }) } })
            },
            BenchCase(
                name: "change-encode", question: "a change of one message to its frame", unit: .nanoseconds(per: "frame"),
                floor: "copying its octets once"
            ) {
                let memory = Scratch(4_096)
                return Work(
                    run: { times in for _ in 0..<times { use(ServerFrame.change(Samples.change).encode()) } },
                    floor: { times in for _ in 0..<times { memory.copy(Samples.changeFrame) } })
            },
        ]
    }
}
