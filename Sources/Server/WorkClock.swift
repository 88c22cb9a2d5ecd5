import Posix

/// The clocks by which work is bounded and charged, scaled to the time of an optimized build.
///
/// A build without optimization takes about ten times as long for the same work. It counts a tenth, so that the limits
/// mean the same work in both.
enum WorkClock {
    #if DEBUG
        static let slowness: Int64 = 10
    #else
        static let slowness: Int64 = 1
    #endif

    static func monotonicNanoseconds() -> Int64 { Clock.monotonicNanoseconds() / slowness }

    /// The calling thread's processor time.
    static func threadNanoseconds() -> Int64 { Clock.threadNanoseconds() / slowness }
}
