import Glibc

/// A bounded queue for a thread that sleeps until there is work: the writer, the pool.
///
/// Sendable although the compiler cannot see it: `items` and `isClosed` are touched only while `mutex` is held.
package final class BlockingQueue<Item: Sendable>: @unchecked Sendable {
    /// Most items that may wait.
    package let limit: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var items: [Item] = []
    private var isClosed = false

    package init(limit: Int) {
        self.limit = limit
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    deinit {
        pthread_cond_destroy(arrived)
        pthread_mutex_destroy(mutex)
        arrived.deallocate()
        mutex.deallocate()
    }

    /// Items that wait.
    package var count: Int { locked { items.count } }

    /// Adds one; false, with nothing added, when the queue is full or closed.
    package func put(_ item: Item) -> Bool {
        locked {
            guard !isClosed, items.count < limit else { return false }
            items.append(item)
            pthread_cond_signal(arrived)
            return true
        }
    }

    /// Adds all of `batch`, next to each other, or nothing: false when they do not fit or the queue is closed.
    package func put(contentsOf batch: [Item]) -> Bool {
        locked {
            guard !isClosed, batch.count <= limit - items.count else { return false }
            guard !batch.isEmpty else { return true }
            items.append(contentsOf: batch)
            // Items may be shared out between several threads that wait.
            pthread_cond_broadcast(arrived)
            return true
        }
    }

    /// Waits until something is there and takes it, oldest first, at most `maximum`. Empty only when the queue is
    /// closed and everything has been taken.
    package func take(maximum: Int = .max) -> [Item] {
        precondition(maximum > 0, "taking nothing would look like the end")
        return locked {
            while items.isEmpty && !isClosed { pthread_cond_wait(arrived, mutex) }
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

    /// Takes what is there, oldest first, and does not wait.
    package func takeNow() -> [Item] {
        locked {
            defer { items = [] }
            return items
        }
    }

    /// Takes nothing more in; what waits may still be taken.
    package func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(arrived)
        }
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
