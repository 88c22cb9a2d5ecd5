import Bytes

/// The ids and tokens of families that `loadgen seed` makes.
///
/// THEY CAN BE GUESSED BY ANYBODY, which is what they are for: a load generator that knows nothing of Huddle prints them from the numbers
/// of a connection (`Tools/bench/huddle.conf`). A data folder with such families must never serve people.
enum SeedNames {
    /// The number of families that fits in the last group of a UUID, and in the digits of a token, with room to spare.
    static let maxFamilies = 100_000
    /// The member's digits in a token.
    static let maxMembers = 1_000

    /// The id of family `number`, from 0: the number in decimal digits, in the last group of a version 4 UUID.
    static func family(_ number: Int) -> Identifier {
        precondition(number >= 0 && number < maxFamilies, "families are numbered from 0")
        guard let id = Identifier("00000000-0000-4000-8000-" + padded(number, 12)) else {
            preconditionFailure("decimal digits are hex digits")
        }
        return id
    }

    /// The token of member `member` of family `family`, both from 0: 39 digits and 4, as long as a real one.
    static func token(family: Int, member: Int) -> String {
        padded(family, 39) + padded(member, 4)
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
