#if HUDDLE_VISIBLE_LOCKS
    import Glibc
#else
    package import Synchronization
#endif

/// A value that one thread at a time may access.
///
/// It is `Synchronization.Mutex`, which no other source names (`.ci/layers`): the thread sanitizer does not see that
/// mutex, because the kernel hands it over (FUTEX_LOCK_PI), and reports races that do not exist. `Tools/sanitize.sh
/// thread` builds with `HUDDLE_VISIBLE_LOCKS`; then it is a pthread mutex.
#if HUDDLE_VISIBLE_LOCKS
    package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Only the thread that holds the mutex accesses both, and the initializer and the end.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Runs `body` while no other thread does so with this value. Do not call it from within `body`.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#else
    package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<Value>

        @inlinable package init(_ initial: consuming sending Value) { mutex = Mutex(initial) }

        /// Runs `body` while no other thread does so with this value. Do not call it from within `body`.
        @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
