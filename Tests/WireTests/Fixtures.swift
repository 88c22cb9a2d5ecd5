import Bytes
import Family
import Glibc
import JSON
import TestSupport
import Wire

func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

/// `01910000-0000-7000-8000-000000000001` and so on, as text for frames.
func text(_ number: UInt64) -> String { id(number).description }

func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

func string(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

extension Kind {
    func field(_ name: String) -> Int {
        guard let index = declaration.index(of: name) else { preconditionFailure("no field \(name)") }
        return index
    }
}

/// The outcome of a decoding, comparable.
enum Outcome: Equatable {
    case frame(ClientFrame)
    case refused(Rejection)

    init(_ text: String, limits: Limits = Limits()) {
        self.init(octets: octets(text), limits: limits)
    }

    init(octets: [UInt8], limits: Limits = Limits()) {
        do {
            self = .frame(try ClientFrame.decode(octets, limits: limits))
        } catch {
            self = .refused(error)
        }
    }

    var rejection: Rejection? {
        switch self {
        case .refused(let rejection), .frame(.refusedMutation(_, let rejection)), .frame(.refusedRequest(_, let rejection)): rejection
        case .frame: nil
        }
    }

    /// The mutation that is refused, when the number could be read.
    var refusedMutation: Int64? {
        if case .frame(.refusedMutation(let id, _)) = self { return id }
        return nil
    }
}

/// One mutate frame around one operation.
func mutate(_ operation: String) -> String { "{\"type\":\"mutate\",\"mutation\":7,\"operations\":[\(operation)]}" }

/// A new seed at each run, or the one in `HUDDLE_SEED` to see a failure again; failures print it.
let freshSeed = SplitMix64.freshSeed()
