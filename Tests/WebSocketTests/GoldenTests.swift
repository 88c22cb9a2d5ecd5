import Bytes
import Posix
import Testing

@testable import WebSocket

/// One case of `proto/frames/websocket/decode.txt`, which other clients run too.
struct Golden: Sendable, CustomTestStringConvertible {
    var name: String
    var role = WebSocketRole.server
    var octets: [UInt8] = []
    var said: [String] = []

    var testDescription: String { name }

    static func load(_ source: String = #filePath) throws -> [Golden] {
        let root = source.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = String(decoding: try Files.read("/\(root)/proto/frames/websocket/decode.txt"), as: UTF8.self)
        var cases: [Golden] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            switch words[0] {
            case "case": cases.append(Golden(name: rest))
            case "reader": cases[cases.count - 1].role = rest == "client" ? .client : .server
            case "octets": cases[cases.count - 1].octets = try #require(Hex.decode(rest.filter { $0 != " " }))
            default: cases[cases.count - 1].said.append(String(line))
            }
        }
        return cases
    }
}

@Suite("Golden frames, proto/frames/websocket")
struct GoldenTests {
    @Test("Each case decodes as written, however it is cut")
    func golden() throws {
        let cases = try Golden.load()
        #expect(cases.count >= 30)
        for golden in cases {
            for pieces in cuts(golden.octets) {
                #expect(decode(pieces, role: golden.role).map(Self.spell) == golden.said, "\(golden.name), \(pieces.count) pieces")
            }
        }
    }

    private static func spell(_ said: Said) -> String {
        func hex(_ octets: [UInt8]) -> String { octets.isEmpty ? "-" : Hex.encode(octets) }
        return switch said {
        case .message(let kind, let octets): "\(kind) \(hex(octets))"
        case .ping(let octets): "ping \(hex(octets))"
        case .pong(let octets): "pong \(hex(octets))"
        case .close(let code, let reason): "close \(code.map(String.init) ?? "-") \(hex([UInt8](text: reason)))"
        case .failure(let error): "fail \(error.closeCode)"
        }
    }
}
