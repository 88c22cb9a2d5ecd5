import CLinux
import Glibc
import Synchronization

/// One thread of the process. If the object is released without `join`, the thread continues by itself.
package final class Thread: Sendable {
    private let handle: pthread_t
    private let joined = Atomic<Bool>(false)

    private init(_ handle: pthread_t) {
        self.handle = handle
    }

    deinit {
        if !joined.load(ordering: .acquiring) { pthread_detach(handle) }
    }

    /// Starts a thread that runs `body`, and transfers to it the values that `body` captured.
    ///
    /// A process that cannot start its few threads cannot serve, so a failure ends it.
    /// - Parameters:
    ///   - name: shown by tools; Linux keeps its first 15 octets.
    ///   - nice: how far the thread yields to others when cores are scarce, 0...19.
    package static func start(name: String, nice: Int32 = 0, _ body: sending @escaping () -> Void) -> Thread {
        let start = Unmanaged.passRetained(Start(name: name, nice: nice, body: body))
        var handle = pthread_t()
        let code = pthread_create(&handle, nil, { argument in
            guard let argument else { return nil }
            Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, start.toOpaque())
        precondition(code == 0, "the machine refused a thread: \(Errno(code, "pthread_create"))")
        return Thread(handle)
    }

    /// Waits until the thread has ended. At most once, and not from the thread itself.
    package func join() {
        precondition(!joined.exchange(true, ordering: .acquiringAndReleasing), "a thread is joined once")
        let code = pthread_join(handle, nil)
        precondition(code == 0, "a thread that was not joined yet can be: \(Errno(code, "pthread_join"))")
    }

    /// The values that are passed to the new thread.
    private final class Start {
        private let name: String
        private let nice: Int32
        private let body: () -> Void

        init(name: String, nice: Int32, body: sending @escaping () -> Void) {
            self.name = name
            self.nice = nice
            self.body = body
        }

        func run() {
            var short = Array(name.utf8.prefix(15)).map { CChar(bitPattern: $0) }
            short.append(0)
            linux_name_thread(short)
            if nice > 0 { linux_let_others_first(nice) }
            body()
        }
    }
}
