package import Bytes
import Crypto
import Dates

/// Moving and copying records by whole days. Local times stay what the clocks show, also where a zone changes its clocks in between:
/// what does not exist or exists twice on the new day is read by the one rule of `ZoneRules`.
package enum DateShift {
    /// The fields of a record, with all its dates this many days later (earlier below zero).
    ///
    /// - Returns: `nil` if a date would leave the calendar.
    package static func moved(_ fields: Fields, days: Int) -> Fields? {
        var moved = fields
        for (index, field) in fields.kind.declaration.fields.enumerated() {
            guard case .text(let text)? = fields[index] else { continue }
            switch field.type {
            case .date:
                guard let date = CalendarDate(text) else { continue }
                guard let later = date.adding(days: days) else { return nil }
                moved[index] = .text(later.description)
            case .localDateTime:
                guard let local = LocalDateTime(text) else { continue }
                guard let later = local.date.adding(days: days) else { return nil }
                moved[index] = .text(LocalDateTime(date: later, time: local.time).description)
            default: continue
            }
        }
        return moved
    }

    /// The fields of a copy, this many days later: all except those about what happened at the original. Of an event
    /// these are `registered`, `attended`, `coaches_present`, `performance_notes` and `stats_recorded`.
    ///
    /// - Returns: `nil` if a date would leave the calendar.
    package static func copied(_ fields: Fields, days: Int) -> Fields? {
        guard var copy = moved(fields, days: days) else { return nil }
        if fields.kind == .event {
            for name in ["coaches_present", "performance_notes", "stats_recorded"] { copy[name] = nil }
            for name in ["registered", "attended"] { copy[name] = .flag(false) }
        }
        return copy
    }

    /// The id of the item that a copied trip has for an item of the original: made of both (SHA-256, as a UUID of version 8), so that a
    /// copy that is asked for twice names the same items, and a client can foretell them.
    package static func itemID(trip: Identifier, item: Identifier) -> Identifier {
        var octets: [UInt8] = []
        for half in [trip.high, trip.low, item.high, item.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: half >> shift)) }
        }
        let digest = Digest.sha256(octets)
        var halves: [UInt64] = [0, 0]
        for (index, octet) in digest.prefix(16).enumerated() { halves[index / 8] = halves[index / 8] << 8 | UInt64(octet) }
        // RFC 9562 §5.8: version 8, variant 10.
        return Identifier(high: halves[0] & ~0xF000 | 0x8000, low: halves[1] & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}
