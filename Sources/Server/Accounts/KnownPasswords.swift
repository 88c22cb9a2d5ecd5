import CCracklib
import Locks

/// The list of passwords that guessers try first: cracklib's list, if the machine has it (Debian's libcrack2 and
/// cracklib-runtime).
enum KnownPasswords {
    /// Whether there is a list, after the first check. cracklib is not thread-safe.
    private static let library = Lock<Bool?>(nil)

    /// Whether the machine has a list.
    static var isInstalled: Bool { library.withLock { isInstalled(&$0) } }

    /// Whether the list contains a password; false without a list. This reads files, so do not call it on the reactor's
    /// thread.
    static func contain(_ password: [UInt8]) -> Bool {
        // The library reads a C string and ignores the octets from a zero on, so such a password must not be judged by
        // its beginning.
        guard !password.contains(0) else { return false }
        let text = password.map { CChar(bitPattern: $0) } + [0]
        return library.withLock { isInstalled(&$0) && ccracklib_knows(text) }
    }

    private static func isInstalled(_ answer: inout Bool?) -> Bool {
        if let answer { return answer }
        let found = ccracklib_load()
        answer = found
        return found
    }
}
