import Synchronization

/// A number that only grows, for `/metrics`: one thread adds to it without a lock, and any thread reads it.
///
/// If two threads add at the same time, additions are lost. Each part of the server therefore owns its counters, and
/// the counts of several threads are added up when they are read; `addShared` is for rare events of several threads.
struct Counter: ~Copyable, Sendable {
    private let number = Atomic<Int>(0)

    /// Adds from the one thread that owns the counter: a load and a store.
    func add(_ count: Int = 1) { number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed) }

    /// Adds from any thread.
    func addShared(_ count: Int) { number.wrappingAdd(count, ordering: .relaxed) }

    var value: Int { number.load(ordering: .relaxed) }
}

/// A counter for each of a fixed set of labels. A label outside the set counts as the last one.
final class CounterTable<Label: Hashable & Sendable>: Sendable {
    private final class Cell: Sendable {
        let counter = Counter()
    }

    private let labels: [Label]
    private let cells: [Label: Cell]
    private let last: Cell

    /// - Parameter labels: at least one; each once.
    init(_ labels: [Label]) {
        precondition(!labels.isEmpty, "a table of counters has labels")
        self.labels = labels
        let cells = Dictionary(uniqueKeysWithValues: labels.map { ($0, Cell()) })
        self.cells = cells
        last = cells[labels[labels.count - 1]] ?? Cell()
    }

    /// As `Counter.add`.
    func add(_ label: Label, _ count: Int = 1) { (cells[label] ?? last).counter.add(count) }

    /// All labels in their order.
    var values: [(label: Label, count: Int)] { labels.map { ($0, cells[$0]?.counter.value ?? 0) } }
}

/// The number of values up to each of some fixed bounds.
final class Histogram: Sendable {
    private final class Cell: Sendable {
        let counter = Counter()
    }

    /// The bounds, and the factor by which a value is divided for the output: nanoseconds become seconds.
    struct Scale: Equatable, Sendable {
        var bounds: [Int64]
        var divisor: Double

        /// From a millisecond to ten seconds, in nanoseconds.
        static let time = Scale(milliseconds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000])
        /// From ten milliseconds on, in nanoseconds: for clocks that are not finer.
        static let lag = Scale(milliseconds: [10, 20, 50, 100, 250, 500, 1_000, 5_000])
        /// Sizes up to that of a full batch.
        static let batch = Scale(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256], divisor: 1)

        init(bounds: [Int64], divisor: Double) {
            self.bounds = bounds
            self.divisor = divisor
        }

        private init(milliseconds: [Int64]) { self.init(bounds: milliseconds.map { $0 * 1_000_000 }, divisor: 1e9) }
    }

    /// The values so far.
    struct Reading: Equatable, Sendable {
        let scale: Scale
        /// The number of values up to each bound and above the one before it, and of those above the last bound.
        fileprivate(set) var counts: [Int]
        fileprivate(set) var sum: Int

        var count: Int { counts.reduce(0, +) }

        /// The sum of two histograms with the same bounds.
        static func + (one: Reading, other: Reading) -> Reading {
            precondition(one.scale == other.scale, "only values of one scale are added up")
            return Reading(scale: one.scale, counts: zip(one.counts, other.counts).map { $0 + $1 }, sum: one.sum + other.sum)
        }
    }

    private let scale: Scale
    private let cells: [Cell]
    private let sum = Counter()

    init(_ scale: Scale) {
        self.scale = scale
        cells = (0...scale.bounds.count).map { _ in Cell() }
    }

    /// Counts a value, from the one thread that owns the histogram.
    func record(_ value: Int64) {
        cells[place(value)].counter.add()
        sum.add(Int(value))
    }

    /// Counts a value, from any thread.
    func recordShared(_ value: Int64) {
        cells[place(value)].counter.addShared(1)
        sum.addShared(Int(value))
    }

    private func place(_ value: Int64) -> Int {
        var index = 0
        while index < scale.bounds.count, value > scale.bounds[index] { index += 1 }
        return index
    }

    var reading: Reading { Reading(scale: scale, counts: cells.map { $0.counter.value }, sum: sum.value) }
}
