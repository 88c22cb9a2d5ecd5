import Arguments
import JSON
import Posix

let usage = """
    bench, what parts of Huddle cost by themselves

      bench [--case NAME] [--json]
      bench --list
      bench --check FILE               whether the cases of FILE keep to their allocations
      bench --case NAME --times N      does the work so often and measures nothing: for tools that count

    Prints for each case the median and the least of its rounds, CPU time, how often memory is taken, and the floor: what the
    kernel or the hardware needs for the same at least, measured in the same run; the ratio is least to floor.
    Build it with -c release.
    Trust ratios within one run. Exit status: 0 done, 1 failed or a threshold exceeded, 2 wrong use.

    """

func run(_ words: [String]) -> Int32 {
    do {
        let list = try ArgumentList(words, options: ["--case", "--check", "--times"], switches: ["--json", "--list", "--help"])
        try list.expectNoPositional()
        if list.has("--help") {
            Standard.write(output: usage)
            return 0
        }
        if list.has("--list") {
            for each in BenchCase.all { Standard.write(output: Table.pad(each.name, 24) + each.question + "\n") }
            return 0
        }
        var cases = BenchCase.all
        if let name = list.value("--case") {
            cases = cases.filter { $0.name == name }
            guard !cases.isEmpty else { throw UsageError("There is no case '\(name)'. See bench --list.") }
        }
        if let path = list.value("--check") { return try check(path) ? 0 : 1 }
        if let text = list.value("--times") {
            guard let times = Int(text), times >= 0, cases.count == 1 else { throw UsageError("--times N takes one --case.") }
            try cases[0].prepare().run(times)
            return 0
        }
        try measure(cases, isJSON: list.has("--json"))
        return 0
    } catch let wrong as UsageError {
        Standard.write(error: "bench: \(wrong.message)\n")
        return 2
    } catch {
        Standard.write(error: "bench: \(error)\n")
        return 1
    }
}

private func measure(_ cases: [BenchCase], isJSON: Bool) throws {
    #if DEBUG
        Standard.write(error: "bench: this is a debug build; its figures say nothing. Use swift build -c release.\n")
    #endif
    if !isJSON { Standard.write(output: Table.head) }
    for each in cases {
        let measurement = try Measurement(each)
        if isJSON { Standard.write(output: Table.json(each, measurement)) } else { Standard.write(output: Table.line(each, measurement)) }
    }
}

/// Results for people, and for programs: one JSON object a line, times in picoseconds because they are whole numbers.
enum Table {
    static let head =
        pad("case", 24) + pad("unit", 16) + left("median", 10) + left("min", 10) + left("cpu", 10) + left("allocs", 9) + left("floor", 10)
        + left("ratio", 8) + "  question / floor\n"

    static func line(_ each: BenchCase, _ found: Measurement) -> String {
        let scale = each.unit.nanoseconds
        return pad(each.name, 24) + pad(each.unit.name, 16) + left(number(found.median / scale), 10)
            + left(number(found.minimum / scale), 10) + left(number(found.cpu / scale), 10) + left(number(found.allocations), 9) + left(number(found.floor / scale), 10)
            + left(number(found.minimum / max(found.floor, 0.001)), 8) + "  \(each.question) / \(each.floor)\n"
    }

    static func json(_ each: BenchCase, _ found: Measurement) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (key, text) in [("case", each.name), ("question", each.question), ("floor", each.floor)] {
            json.key(key)
            json.string(text)
        }
        let numbers: [(StaticString, Double)] = [
            ("median_ps", found.median * 1_000), ("min_ps", found.minimum * 1_000), ("cpu_ps", found.cpu * 1_000),
            ("floor_ps", found.floor * 1_000), ("allocations_per_1000", found.allocations * 1_000), ("rounds", Double(found.rounds)),
            ("calls_per_round", Double(found.times)),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.integer(Int64(number.rounded()))
        }
        json.endObject()
        return json.octets + [UInt8(ascii: "\n")]
    }

    /// Three digits that count, more where the number is large.
    static func number(_ value: Double) -> String {
        let decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2
        let scale = [1, 10, 100][decimals]
        let whole = Int((value * Double(scale)).rounded())
        guard decimals > 0 else { return String(whole) }
        let fraction = String(whole % scale)
        return "\(whole / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    static func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }

    private static func left(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(1, width - text.count)) + text }
}
