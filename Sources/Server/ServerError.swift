/// The reason why the server did not start, or had to stop: one sentence for the person who started it.
package struct ServerError: Error {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}

extension ServerError {
    static func unfinishedRestore(_ path: String) -> ServerError {
        ServerError("A restore into \(path) was interrupted. Run huddled restore again, or empty the folder.")
    }
}
