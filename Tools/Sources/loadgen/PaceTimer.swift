import CLinux
import Glibc
import Posix
import EventLoop

/// Calls at moments given in nanoseconds: the reactor's own timers have steps of 10 ms, which a schedule of messages must not show.
final class PaceTimer: Channel {
    private let descriptor: FileDescriptor
    private let fired: () -> Void

    init(reactor: Reactor, fired: @escaping () -> Void) throws(Errno) {
        let raw = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard raw >= 0 else { throw Errno.last("timerfd_create") }
        descriptor = FileDescriptor(owning: raw)
        self.fired = fired
        super.init()
        _ = try reactor.add(fd: raw, interest: .readable, channel: self)
    }

    /// Fires once at `time`, monotonic nanoseconds; immediately if that has passed; never for `nil`.
    func arm(_ time: Int64?) {
        var setting = itimerspec()
        if let time {
            setting.it_value.tv_sec = Int(time / 1_000_000_000)
            // All zero would disarm it.
            setting.it_value.tv_nsec = max(1, Int(time % 1_000_000_000))
        }
        timerfd_settime(descriptor.raw, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    override func ready(_ events: ReadyEvents) {
        var count: UInt64 = 0
        _ = withUnsafeMutableBytes(of: &count) { read(descriptor.raw, $0.baseAddress, $0.count) }
        fired()
    }
}
