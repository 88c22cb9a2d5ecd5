package import Family

extension StoreReader {
    /// The sessions and tokens of a person, last used first.
    ///
    /// - Parameter current: the key of the session that asks.
    package func sessions(ofPerson person: Int64, current: Int64) throws(StoreFailure) -> [AccountSession] {
        try reading { try engine.people.accounts(ofPerson: person, current: current, at: environment.now()) }
    }
}
