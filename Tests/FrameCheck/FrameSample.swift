import Synchronization

/// Which frames a suite holds to the schemas that sees hundreds of thousands of them: the first ones, and then one in 64. In a debug build a
/// check takes longer than the test of the frame.
package enum FrameSample {
    private static let count = Atomic<Int>(0)

    package static var isDue: Bool {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < 4_096 || number % 64 == 0
    }
}
