import Terminal
import Views

/// The open buffers: the five pages that are always open, records and forms; the buffer on the screen, and the layout
/// state of each.
struct OpenViews {
    let room: RoomBuffer
    let season: SeasonBuffer
    let trips: TripsBuffer
    let documents: DocumentsBuffer
    let kept: OutboxBuffer
    /// The order of the buffers, and the one on the screen.
    var list = BufferList()
    /// The buffers that have been on the screen.
    var views: [BufferKey: any Buffer]
    /// The number of forms that were opened; each form has a number of its own.
    private var lastForm = 0
    /// The number of times that records or facts were read again, and the number that each buffer has laid out.
    private var generation = 0
    private var laidOut: [BufferKey: Int] = [:]

    init(_ room: RoomBuffer, _ season: SeasonBuffer, _ trips: TripsBuffer, _ documents: DocumentsBuffer, _ kept: OutboxBuffer) {
        (self.room, self.season, self.trips, self.documents, self.kept) = (room, season, trips, documents, kept)
        views = [.room: room, .season: season, .trips: trips, .documents: documents, .kept: kept]
    }

    /// The buffer on the screen.
    var shown: (any Buffer)? { views[list.current] }

    /// Marks every layout as outdated, because records or facts have changed.
    mutating func outdate() { generation += 1 }

    /// - Returns: whether the caller has to lay the buffer out now.
    mutating func needsLayout(_ key: BufferKey) -> Bool {
        guard laidOut[key] != generation, views[key] != nil else { return false }
        laidOut[key] = generation
        return true
    }

    /// Closes a buffer.
    mutating func forget(_ key: BufferKey) {
        views[key] = nil
        laidOut[key] = nil
    }

    var forms: [FormBuffer] { views.values.compactMap { $0 as? FormBuffer } }

    var formCount: Int { forms.count }

    /// - Returns: `nil` if too many forms are open.
    mutating func addForm(_ make: (BufferKey) -> FormBuffer) -> BufferKey? {
        guard formCount < Typing.mostForms else { return nil }
        lastForm += 1
        let key = BufferKey.form(lastForm)
        views[key] = make(key)
        return key
    }
}
