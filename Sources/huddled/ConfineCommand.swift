import Arguments
import Posix

/// `huddled confine PARENT SECONDS OCTETS READABLE… -- PROGRAM ARGUMENT…`: the server starts this command to run a
/// program on a file from strangers. Nobody else needs it, so help does not list it.
///
/// The limits are set in a process of their own and then inherited, because a server with threads cannot set them in
/// its child between fork and exec.
func confine(_ words: [String]) throws(CommandError) {
    guard let end = words.firstIndex(of: "--"), end >= 3, end + 1 < words.count, let parent = Int32(words[0]), let seconds = UInt(words[1]),
        let octets = UInt(words[2])
    else { throw .usage(UsageError("Only the server runs 'confine'.")) }
    let confinement = Confinement(processorSeconds: seconds, memoryOctets: octets, readable: Array(words[3..<end]))
    do throws(Errno) {
        try Confinement.dieWithParent(parent)
        // The program inherits nothing from the server's environment.
        try confinement.become(Array(words[(end + 1)...]), environment: ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"])
    } catch { throw .failed("\(words[end + 1]) cannot be confined: \(error).") }
}
