import Terminal
import Views

/// The buffers that are open: the five pages that always are, records and forms; which of them is on the screen, and what each has laid out.
struct OpenViews {
    let room: RoomBuffer
    let season: SeasonBuffer
    let trips: TripsBuffer
    let documents: DocumentsBuffer
    let kept: KeptBuffer
    /// Their order, and which one is on the screen.
    var list = BufferList()
    /// Those that have been on the screen.
    var views: [BufferKey: any Buffer]
    /// Forms that were opened; each has a number of its own.
    private var lastForm = 0
    /// Counts the times that records or facts were looked at again, and which of these each buffer shows.
    private var generation = 0
    private var laidOut: [BufferKey: Int] = [:]

    init(_ room: RoomBuffer, _ season: SeasonBuffer, _ trips: TripsBuffer, _ documents: DocumentsBuffer, _ kept: KeptBuffer) {
        (self.room, self.season, self.trips, self.documents, self.kept) = (room, season, trips, documents, kept)
        views = [.room: room, .season: season, .trips: trips, .documents: documents, .kept: kept]
    }

    /// What is on the screen.
    var shown: (any Buffer)? { views[list.current] }

    /// Records or facts have changed: nothing is laid out any more.
    mutating func outdate() { generation += 1 }

    /// - Returns: whether it has to be laid out now; the caller does so.
    mutating func needsLayout(_ key: BufferKey) -> Bool {
        guard laidOut[key] != generation, views[key] != nil else { return false }
        laidOut[key] = generation
        return true
    }

    /// A buffer is closed.
    mutating func forget(_ key: BufferKey) {
        views[key] = nil
        laidOut[key] = nil
    }

    var forms: [FormBuffer] { views.values.compactMap { $0 as? FormBuffer } }

    var formCount: Int { forms.count }

    /// - Returns: `nil` when too many are open.
    mutating func addForm(_ make: (BufferKey) -> FormBuffer) -> BufferKey? {
        guard formCount < Typing.mostForms else { return nil }
        lastForm += 1
        let key = BufferKey.form(lastForm)
        views[key] = make(key)
        return key
    }
}
