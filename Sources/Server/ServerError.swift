/// Why the server did not start, or had to stop: one sentence for the person who started it.
package struct ServerError: Error {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}
