/// One question, and how it is answered by doing something often.
struct BenchCase {
    /// The name for `--case`.
    let name: String
    /// For whom reads the table: what is done once.
    let question: String
    /// The unit of the result: "ns a frame" means nanoseconds for each frame.
    let unit: Unit
    /// The number of things per call, when one call does several (a commit of 32 mutations).
    var perCall = 1
    /// The least that the kernel or the hardware needs for the same, measured in the same run.
    let floor: String
    /// Makes what is needed, then gives the work and the floor. Each is called with how often to do it.
    let prepare: () throws -> Work

    struct Unit {
        let name: String
        /// Nanoseconds.
        let nanoseconds: Double

        static func nanoseconds(per thing: String) -> Unit { Unit(name: "ns a \(thing)", nanoseconds: 1) }
        static func microseconds(per thing: String) -> Unit { Unit(name: "us a \(thing)", nanoseconds: 1_000) }
        static func milliseconds(per thing: String) -> Unit { Unit(name: "ms a \(thing)", nanoseconds: 1_000_000) }
    }

    struct Work {
        let run: (_ times: Int) throws -> Void
        let floor: (_ times: Int) throws -> Void
    }

    static var all: [BenchCase] { frames + messages + http + hub + deliveries + machinery + store + worst + screen }
}

/// Makes the optimiser believe that somebody looks at `value`.
@inline(never)
func use<Value>(_ value: borrowing Value) {}
