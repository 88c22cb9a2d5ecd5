import CLinux
import Glibc
import Locks
package import Posix

/// Wakes one reactor from any thread.
package final class Waker: Sendable {
    private let descriptor: FileDescriptor

    package init() throws(Errno) {
        let raw = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard raw >= 0 else { throw Errno.last("eventfd") }
        descriptor = FileDescriptor(owning: raw)
    }

    /// The descriptor that is readable after `ring`.
    package var raw: Int32 { descriptor.raw }

    /// Makes the reactor's next wait return immediately. Several rings before that count as one.
    package func ring() {
        while eventfd_write(raw, 1) != 0 {
            // Full only after 2^64 unread rings, but then it has to be emptied before it can ring.
            var counter: eventfd_t = 0
            guard errno == EINTR || eventfd_read(raw, &counter) == 0 || errno == EAGAIN else {
                preconditionFailure("an event descriptor takes rings: \(Errno(errno, "eventfd_write"))")
            }
        }
    }
}

/// Values from other threads for one reactor, in the order of their arrival.
///
/// The senders keep the bound: receipts belong to admitted mutations, so there are no more receipts than those.
package final class Mailbox<Item: Sendable>: Sendable {
    private let items = Lock<[Item]>([])
    private let waker: Waker

    /// A mailbox that rings `waker`, usually its reactor's; several mailboxes may share one.
    package init(waker: Waker) {
        self.waker = waker
    }

    /// Adds one item; rings only if the box was empty, so that a batch costs one wake-up.
    package func put(_ item: Item) {
        let wasEmpty = items.withLock { items in
            items.append(item)
            return items.count == 1
        }
        if wasEmpty { waker.ring() }
    }

    /// Adds several items together.
    package func put(contentsOf batch: [Item]) {
        guard !batch.isEmpty else { return }
        let wasEmpty = items.withLock { items in
            items.append(contentsOf: batch)
            return items.count == batch.count
        }
        if wasEmpty { waker.ring() }
    }

    /// Takes all items, oldest first.
    package func drain() -> [Item] {
        items.withLock { items in
            let all = items
            items = []
            return all
        }
    }

    /// Takes all items into `batch`, which has to be empty and whose memory the box uses from now on: two arrays that
    /// are swapped allocate nothing.
    package func drain(into batch: inout [Item]) {
        precondition(batch.isEmpty, "what is in the batch would be put back into the box")
        items.withLock { items in
            if !items.isEmpty { swap(&items, &batch) }
        }
    }
}
