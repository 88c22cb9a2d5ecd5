import Posix
import WebSocket

/// The cases of a fuzzing server: how many there are is a message, each is a connection that is echoed to.
struct Suite {
    /// Everything that a server may grant: it then chooses what it wants to try.
    private static let offer = CompressionOffer(clientNoContextTakeover: true, clientMaxWindowBits: 15)

    let host: String
    let port: UInt16
    let agent: String
    private let pool = MessagePool()

    init(host: String, port: UInt16, agent: String) {
        self.host = host
        self.port = port
        self.agent = agent
    }

    func runAll() throws {
        var count = 0
        let asking = try EchoClient(host: host, port: port, target: "/getCaseCount", offer: nil, pool: pool) { payload in
            count = Int(String(decoding: payload, as: UTF8.self)) ?? 0
        }
        try asking.run()
        Standard.write(output: "\(count) cases\n")
        for number in 1...max(1, count) where number <= count {
            do {
                try echo("/runCase?case=\(number)&agent=\(agent)")
            } catch {
                // The server judges, but a reader of its report wants to know this too.
                Standard.write(error: "wsclient: case \(number): \(error)\n")
            }
        }
        let reporting = try EchoClient(host: host, port: port, target: "/updateReports?agent=\(agent)", offer: nil, pool: pool)
        try reporting.run()
    }

    func echo(_ target: String) throws {
        let client = try EchoClient(host: host, port: port, target: target, offer: Self.offer, pool: pool)
        try client.run()
    }
}
