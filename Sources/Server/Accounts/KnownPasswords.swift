import CCracklib
import Locks

/// The list of passwords that guessers try first: cracklib's, where the machine has it (Debian's libcrack2 and cracklib-runtime).
enum KnownPasswords {
    /// Whether there is a list, after the first look. cracklib is not made for threads.
    private static let library = Lock<Bool?>(nil)

    /// Whether the machine has a list.
    static var isInstalled: Bool { library.withLock { isInstalled(&$0) } }

    /// Whether the list has a password; false without a list. Reads files: not for the reactor's thread.
    static func contain(_ password: [UInt8]) -> Bool {
        // The library reads a C string: octets from a zero on are not seen, so such a password is not judged by its beginning.
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
