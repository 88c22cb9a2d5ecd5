// The cursors of the consumers of the log. A cursor is in the same database as the log, so a backup has both from one
// moment.
extension FamilyStore {
    /// The largest number of consumers of one database. They are parts of the server, so more than this is a fault in
    /// the program.
    package static let maxConsumers = 64

    /// Makes sure that a consumer has a cursor.
    ///
    /// - Parameter start: the beginning for a consumer that has no cursor yet.
    /// - Returns: its current position.
    package func register(_ consumer: ConsumerName, from start: ConsumerStart) throws(StoreFailure) -> Result<Int64, ConsumerRefusal> {
        let outcome = try transaction { _ throws -> Result<Int64, ConsumerRefusal> in
            if let known = try consumers.find(consumer.text) { return .success(known.position) }
            guard try consumers.all().count < Self.maxConsumers else { return .failure(.tooMany) }
            let position =
                switch start {
                case .beginning: Int64(0)
                case .end: try log.newestPosition()
                }
            try consumers.insert(ConsumerRow(name: consumer.text, position: position, movedAt: environment.now()))
            return .success(position)
        }
        guard case .done(let result) = outcome else { return .failure(.tryLater) }
        return result
    }

    /// Stores that a consumer has handled everything up to a position. A cursor never goes back.
    ///
    /// - Returns: the reason why it is not stored; `nil` if it is. If it is not, the consumer reads the same changes
    ///   again after a restart.
    package func move(_ consumer: ConsumerName, to position: Int64) throws(StoreFailure) -> ConsumerRefusal? {
        let outcome = try transaction { _ throws -> ConsumerRefusal? in
            guard let known = try consumers.find(consumer.text) else { return .unknown }
            guard try position <= log.newestPosition() else { return .ahead }
            if position > known.position {
                try consumers.move(ConsumerRow(name: consumer.text, position: position, movedAt: environment.now()))
            }
            return nil
        }
        guard case .done(let refusal) = outcome else { return .tryLater }
        return refusal
    }

    /// Removes a consumer. If it is registered again, it begins at the start that it gives then.
    ///
    /// - Returns: the reason why it is not removed; `nil` if it is.
    package func forget(_ consumer: ConsumerName) throws(StoreFailure) -> ConsumerRefusal? {
        guard case .done = try transaction({ _ in try consumers.remove(consumer.text) }) else { return .tryLater }
        return nil
    }

    /// The positions of all consumers of the log; `nil` if the database can answer only later.
    package func logStatus() throws(StoreFailure) -> LogStatus? {
        let outcome = try transaction { _ in LogStatus(newest: try log.newestPosition(), consumers: try consumers.all()) }
        guard case .done(let status) = outcome else { return nil }
        return status
    }

    /// Resets a cursor that is ahead of the log. Its consumer reads everything again, because the changes that it
    /// missed are not known.
    func restart(consumer name: String) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in try consumers.move(ConsumerRow(name: name, position: 0, movedAt: environment.now())) }
        if case .done = outcome { return true }
        return false
    }
}

extension LogStatus {
    init(newest: Int64, consumers: [ConsumerRow]) {
        self.init(newest: newest, consumers: consumers.map { Consumer(name: $0.name, position: $0.position, movedAt: $0.movedAt) })
    }
}
