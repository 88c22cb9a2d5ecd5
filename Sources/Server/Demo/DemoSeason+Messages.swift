import Bytes
import Family

/// One message of the demo.
struct MessagePlan {
    /// Position in parents + athletes: 0 Carmen, 1 David, 2 Elena, 3 Mateo.
    let author: Int
    let text: String
    /// Key of the event that it is about.
    let event: String?
    /// Positions like `author`'s.
    let mentions: [Int]

    init(_ author: Int, _ text: String, about event: String? = nil, mentions: [Int] = []) {
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
    static let messages: [MessagePlan] = [
        .init(0, "Welcome, everybody! All dates are in here now. Please mark what you attended, I cannot be everywhere."),
        .init(2, "Mine are done up to the Sparks game 🥎"),
        .init(3, "same, except the velocity evening, I forgot to write down the numbers"),
        .init(1, "@Mateo they send the numbers by e-mail, I forward it.", mentions: [3]),
        .init(2, "Coach Whitlock called. She wants to see me again soon.", about: "calder-showcase"),
        .init(0, "That is great news, Elena! Did she say anything about aid?", about: "calder-showcase", mentions: [2]),
        .init(2, "Only that the letter comes from the office, not from her.", about: "calder-showcase"),
        .init(3, "6.98!!", about: "wexmoor-showcase"),
        .init(1, "Told you. Send Coach Hollis the video while he remembers.", about: "wexmoor-showcase", mentions: [3]),
        .init(3, "sent, he opened it the same evening", about: "wexmoor-showcase"),
        .init(0, "Harrow Creek keeps the fee for the next date. I asked for a receipt.", about: "missed-clinic"),
        .init(1, "Two coaches came to see Mateo under the lights. Put them under coaches present, please.", about: "eastgate-sound",
            mentions: [3]),
        .init(3, "done", about: "eastgate-sound"),
        .init(2, "Pool game moved to 08:30, check-in stays 07:45.", about: "hawks-tournament"),
        .init(0, "Then we leave at 05:30. I pack the snacks tonight.", about: "hawks-tournament"),
        .init(1, "I stay with Mateo. @Carmen take the blue cooler.", about: "hawks-tournament", mentions: [0]),
        .init(3, "white uniform tonight, it is in the dryer I hope", about: "tonight"),
        .init(1, "It is. We leave at 17:15.", about: "tonight", mentions: [3]),
        .init(0, "Hotel for Asheville is booked, two rooms, free to cancel until the week before.", about: "calder-camp"),
        .init(3, "Coach Ferrante wrote that I should bring both gloves", about: "calder-camp"),
        .init(0, "Elena, did you print the transcript for Ashgrove?", about: "ashgrove-visit", mentions: [2]),
        .init(2, "In the folder by the door. Two copies.", about: "ashgrove-visit"),
        .init(2, "Can I stay for the scrimmage? It ends after midnight but everybody goes.", about: "late-scrimmage", mentions: [0, 1]),
        .init(1, "Yes, if you are in bed by 01:00 and the game on Sunday still counts.", about: "late-scrimmage"),
        .init(2, "Thank you!!", about: "late-scrimmage"),
        .init(1, "Flights to Madison are cheaper on the Thursday. @Carmen can you take Friday off?", about: "lakemont-visit",
            mentions: [0]),
        .init(0, "I ask on Monday.", about: "lakemont-visit"),
        .init(0, "Reminder: Sunday dinner is phone-free. Coaches can call before six."),
    ]
}
