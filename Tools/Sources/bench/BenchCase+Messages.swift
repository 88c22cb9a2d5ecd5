import WebSocket

// Messages that do not lie whole in what was received, or come and go compressed.
extension BenchCase {
    static var messages: [BenchCase] {
        [
            BenchCase(
                name: "frame-cut", question: "16 masked 500-octet frames that a read cuts in the middle of one, assembled with the pool",
                unit: .nanoseconds(per: "frame"), perCall: 16,
                floor: "copying their octets once"
            ) {
                let frames = [[UInt8]](repeating: WebSocketEncoder.frame(.text, Samples.mutate, maskKey: 0x1234_5678), count: 16).flatMap { $0 }
                let memory = Scratch(16_384)
                let middle = frames.count / 2 + 100
                let pool = MessagePool()
                return Work(
                    run: { times in
                        let limits = WebSocketLimits(maxMessage: 1 << 20, maxFragments: 8)
                        var decoder = WebSocketDecoder(role: .server, limits: limits, pool: pool)
                        for _ in 0..<times {
                            memory.copy(frames)
                            for part in [0..<middle, middle..<frames.count] {
                                decoder.feed(UnsafeMutableRawBufferPointer(rebasing: memory.octets[part]))
                                while case .message(_, let payload)? = try decoder.next() { use(payload.count) }
                            }
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(frames) } })
            },
            BenchCase(
                name: "message-inflate", question: "a chunk of a snapshot, 64 KiB, received compressed, inflated and checked",
                unit: .microseconds(per: "message"),
                floor: "copying its octets once"
            ) {
                let pool = MessagePool()
                var deflater = MessageDeflater(terms, role: .client, threshold: 1, pool: pool)
                let chunk = chunk
                let deflated = chunk.withUnsafeBytes { deflater.deflate($0).map { Array($0) } } ?? []
                let frame = [UInt8](WebSocketEncoder.frame(.text, deflated, maskKey: 0x1234_5678))
                let compressed = [frame[0] | 0x40] + frame[1...]
                let memory = Scratch(chunk.count)
                return Work(
                    run: { times in
                        let limits = WebSocketLimits(maxMessage: 1 << 20, maxFragments: 8)
                        var decoder = WebSocketDecoder(role: .server, limits: limits, pool: pool)
                        decoder.accept(compression: terms)
                        for _ in 0..<times {
                            memory.copy(compressed)
                            decoder.feed(UnsafeMutableRawBufferPointer(rebasing: memory.octets[..<compressed.count]))
                            while case .message(_, let payload)? = try decoder.next() { use(payload.count) }
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(chunk) } })
            },
            BenchCase(
                name: "message-deflate", question: "a chunk of a snapshot, 64 KiB, deflated for those who take it so",
                unit: .microseconds(per: "message"),
                floor: "copying its octets once"
            ) {
                let pool = MessagePool()
                let chunk = chunk
                let memory = Scratch(chunk.count)
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            var deflater = SharedDeflater()
                            use(deflater.frame(.text, chunk, pool: pool))
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(chunk) } })
            },
        ]
    }

    private static let terms = CompressionTerms(
        serverKeepsContext: false, clientKeepsContext: false, serverWindowBits: 13, clientWindowBits: 13)

    /// Changes of events one after the other, each with ids of its own, as a snapshot has them.
    private static var chunk: [UInt8] {
        var octets: [UInt8] = []
        var number: UInt64 = 1
        while octets.count < 65_536 {
            // Words that come again, numbers that do not.
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            octets += Array("{\"kind\":\"event\",\"id\":\"\(number)\",\"version\":\(number % 9),\"name\":\"Official visit, Ashgrove \(number % 77)\",".utf8)
            octets += Array("\"start_date\":\"2026-\(number >> 60)-\(number >> 59)\",\"status\":\"registered\",\"host\":\"Coach \(number >> 40)\"},".utf8)
        }
        return Array(octets[..<65_536])
    }
}
