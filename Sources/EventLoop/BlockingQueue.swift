import Glibc

/// A bounded queue for a thread that sleeps until there is work: the writer, the pool.
///
/// Threads wait on a semaphore: a condition variable of glibc before 2.41 may lose the signal for one of several
/// waiters (its bug 25847), and then work waits until more arrives.
///
/// Sendable although the compiler cannot prove it: each `var` is accessed only while `mutex` is held.
package final class BlockingQueue<Item: Sendable>: @unchecked Sendable {
    /// The largest number of waiting items.
    package let limit: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    /// The number of threads that wait for an item, and the number of those that have been woken and do not run yet.
    private var waiting = 0
    private var woken = 0
    private var items: [Item] = []
    private var isClosed = false

    package init(limit: Int) {
        self.limit = limit
        pthread_mutex_init(mutex, nil)
        sem_init(arrived, 0, 0)
    }

    deinit {
        sem_destroy(arrived)
        pthread_mutex_destroy(mutex)
        arrived.deallocate()
        mutex.deallocate()
    }

    /// The number of waiting items.
    package var count: Int { locked { items.count } }

    /// Adds one item; false, with nothing added, if the queue is full or closed.
    package func put(_ item: Item) -> Bool {
        let waking: Int? = locked {
            guard !isClosed, items.count < limit else { return nil }
            items.append(item)
            return toWake(1)
        }
        wake(waking ?? 0)
        return waking != nil
    }

    /// Adds all of `batch`, next to each other, or nothing: false if they do not fit or the queue is closed.
    package func put(contentsOf batch: [Item]) -> Bool {
        let waking: Int? = locked {
            guard !isClosed, batch.count <= limit - items.count else { return nil }
            items.append(contentsOf: batch)
            // Several waiting threads may share the items.
            return toWake(batch.count)
        }
        wake(waking ?? 0)
        return waking != nil
    }

    /// Waits for items and takes at most `maximum` of them, oldest first. The result is empty only if the queue is
    /// closed and all items have been taken.
    package func take(maximum: Int = .max) -> [Item] {
        precondition(maximum > 0, "taking nothing would look like the end")
        return locked {
            while items.isEmpty && !isClosed { wait() }
            guard items.count > maximum else {
                let all = items
                items = []
                return all
            }
            let first = Array(items[..<maximum])
            items.removeFirst(maximum)
            return first
        }
    }

    /// Closes the queue to new items; the waiting items may still be taken.
    package func close() {
        wake(
            locked {
                isClosed = true
                return toWake(waiting)
            })
    }

    /// The number of waiting threads to wake for that many items: threads that were woken already do not count. A
    /// running thread looks for items before it waits.
    private func toWake(_ count: Int) -> Int {
        let number = min(count, waiting - woken)
        woken += number
        return number
    }

    /// Wakes threads that `toWake` has counted. The mutex is free by then: a woken thread takes it first, and would wait
    /// for the waking thread otherwise, two more changes of threads for each item where both share a core.
    private func wake(_ number: Int) {
        for _ in 0..<number { sem_post(arrived) }
    }

    /// Releases the queue until another thread wakes this one.
    private func wait() {
        waiting += 1
        pthread_mutex_unlock(mutex)
        // Only a signal ends the call early.
        while sem_wait(arrived) != 0 {}
        pthread_mutex_lock(mutex)
        waiting -= 1
        woken -= 1
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
