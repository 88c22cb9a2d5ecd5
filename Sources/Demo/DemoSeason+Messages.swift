import Bytes
import Family

/// One message of the demo.
struct MessagePlan {
    let at: DemoMoment
    /// Position in parents + athletes: 0 Carmen, 1 David, 2 Elena, 3 Mateo.
    let author: Int
    let text: String
    /// The key of the event that it is about.
    let event: String?
    /// Positions like `author`'s.
    let mentions: [Int]

    init(_ at: DemoMoment, _ author: Int, _ text: String, about event: String? = nil, mentions: [Int] = []) {
        self.at = at
        self.author = author
        self.text = text
        self.event = event
        self.mentions = mentions
    }

    func create(_ id: Identifier, members: [Identifier], event eventID: (String) -> Identifier) -> Operation {
        let patch = FieldPatch.demo(.message, [
            "text": .text(text), "about": event.map { .link(.event, eventID($0)) },
            "mentions": mentions.isEmpty ? nil : .set(mentions.map { members[$0] }.sorted().map { SetElement(id: $0) }),
        ])
        return Operation(kind: .message, id: id, action: .create(athlete: nil, patch: patch))
    }
}

extension DemoSeason {
    /// The messages in the order of their moments.
    static let messages: [MessagePlan] = [
        .init(.init(-16, 20, 41), 0, "Welcome, everybody! All dates are in here now. Please mark what you attended, I cannot be everywhere."),
        .init(.init(-16, 20, 58), 2, "Mine are done up to the Sparks game 🥎"),
        .init(.init(-16, 21, 7), 3, "same, except the velocity evening, I forgot to write down the numbers"),
        .init(.init(-16, 21, 15), 1, "@Mateo they send the numbers by e-mail, I'll forward it.", mentions: [3]),
        .init(.init(-15, 17, 32), 2, "Coach Whitlock called. She wants to see me again soon.", about: "calder-showcase"),
        .init(.init(-15, 17, 40), 0, "That is great news, Elena! Did she say anything about aid?", about: "calder-showcase", mentions: [2]),
        .init(.init(-15, 17, 44), 2, "Only that the letter comes from the office, not from her.", about: "calder-showcase"),
        .init(.init(-14, 16, 20), 3, "6.98!!", about: "wexmoor-showcase"),
        .init(.init(-14, 16, 34), 1, "Told you. Send Coach Hollis the video while he remembers.", about: "wexmoor-showcase", mentions: [3]),
        .init(.init(-13, 8, 12), 3, "sent, he opened it the same evening", about: "wexmoor-showcase"),
        .init(.init(-13, 12, 30), 0, "Harrow Creek keeps the fee for the next date. I asked for a receipt.", about: "missed-clinic"),
        .init(.init(-12, 22, 5), 1, "Two coaches came to see Mateo under the lights. Put them under coaches present, please.", about: "eastgate-sound",
            mentions: [3]),
        .init(.init(-11, 7, 20), 3, "done", about: "eastgate-sound"),
        .init(.init(-9, 12, 15), 0, "Hotel for Asheville is booked, two rooms, free to cancel until the week before.", about: "calder-camp"),
        .init(.init(-9, 18, 30), 3, "Coach Ferrante wrote that I should bring both gloves", about: "calder-camp"),
        .init(.init(-7, 19, 0), 0, "Elena, did you print the transcript for Ashgrove?", about: "ashgrove-visit", mentions: [2]),
        .init(.init(-7, 19, 6), 2, "In the folder by the door. Two copies.", about: "ashgrove-visit"),
        .init(.init(-6, 21, 30), 2, "Can I stay for the scrimmage? It ends after midnight but everybody goes.", about: "late-scrimmage", mentions: [0, 1]),
        .init(.init(-6, 21, 41), 1, "Yes, if you are in bed by 01:00 and the game on Sunday still counts.", about: "late-scrimmage"),
        .init(.init(-6, 21, 42), 2, "Thank you!!", about: "late-scrimmage"),
        .init(.init(-4, 12, 50), 1, "Flights to Madison are cheaper on the Thursday. @Carmen can you take Friday off?", about: "lakemont-visit",
            mentions: [0]),
        .init(.init(-4, 13, 5), 0, "I'll ask on Monday.", about: "lakemont-visit"),
        .init(.init(-3, 17, 45), 0, "Reminder: Sunday dinner is phone-free. Coaches can call before six."),
        .init(.init(-2, 18, 10), 2, "Pool game moved to 08:30, check-in stays 07:45.", about: "hawks-tournament"),
        .init(.init(-2, 18, 22), 0, "Then we leave at 05:30. I'll pack the snacks tonight.", about: "hawks-tournament"),
        .init(.init(-2, 18, 40), 1, "I'll stay with Mateo. @Carmen take the blue cooler.", about: "hawks-tournament", mentions: [0]),
        .init(.init(0, 7, 5), 3, "white uniform tonight, it is in the dryer I hope", about: "tonight"),
        .init(.init(0, 7, 11), 1, "It is. We leave at 17:15.", about: "tonight", mentions: [3]),
    ]
}
