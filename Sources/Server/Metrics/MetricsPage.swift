/// A page in the text format of Prometheus (version 0.0.4): metric families with a kind and a sentence, and their series.
struct MetricsPage {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter, gauge, histogram
    }

    typealias Label = (name: StaticString, value: String)

    private(set) var octets: [UInt8] = []
    /// The series so far.
    private(set) var series = 0
    private var name: StaticString = ""

    init() { octets.reserveCapacity(65_536) }

    /// Begins a metric family.
    ///
    /// - Parameter help: one sentence, without a backslash or a line feed.
    mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        self.name = name
        write("# HELP ")
        write(name)
        write(" ")
        write(help)
        write("\n# TYPE ")
        write(name)
        write(" ")
        write(kind.rawValue)
        write("\n")
    }

    /// Writes a series of the family that began last.
    mutating func add(_ value: Int, _ labels: Label...) { line(suffix: "", labels, "\(value)") }

    /// As above.
    mutating func add(_ value: Double, _ labels: Label...) { line(suffix: "", labels, "\(value)") }

    /// Writes a family with one series.
    mutating func one(_ name: StaticString, _ kind: Kind, _ value: Int, _ help: StaticString) {
        begin(name, kind, help)
        add(value)
    }

    /// As above.
    mutating func one(_ name: StaticString, _ kind: Kind, _ value: Double, _ help: StaticString) {
        begin(name, kind, help)
        add(value)
    }

    /// Writes the buckets, the sum and the count of a histogram.
    mutating func add(_ reading: Histogram.Reading, _ labels: Label...) {
        var sum = 0
        for (bound, count) in zip(reading.scale.bounds, reading.counts) {
            sum += count
            line(suffix: "_bucket", labels + [("le", "\(Double(bound) / reading.scale.divisor)")], "\(sum)")
        }
        line(suffix: "_bucket", labels + [("le", "+Inf")], "\(reading.count)")
        line(suffix: "_sum", labels, "\(Double(reading.sum) / reading.scale.divisor)")
        line(suffix: "_count", labels, "\(reading.count)")
    }

    private mutating func line(suffix: StaticString, _ labels: [Label], _ value: String) {
        series += 1
        write(name)
        write(suffix)
        if !labels.isEmpty {
            write("{")
            for (index, label) in labels.enumerated() {
                if index > 0 { write(",") }
                write(label.name)
                write("=\"")
                for octet in label.value.utf8 {
                    switch octet {
                    case UInt8(ascii: "\\"), UInt8(ascii: "\""): octets += [UInt8(ascii: "\\"), octet]
                    case UInt8(ascii: "\n"): write("\\n")
                    default: octets.append(octet)
                    }
                }
                write("\"")
            }
            write("}")
        }
        write(" ")
        write(value)
        write("\n")
    }

    private mutating func write(_ text: StaticString) {
        octets.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(_ text: String) { octets.append(contentsOf: text.utf8) }
}
