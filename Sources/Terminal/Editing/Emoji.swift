/// The emoji that a family types by name; the names are those of chat programs (gemoji's).
package enum Emoji {
    /// The names with their emoji, in the order of frequency.
    package static let table: [(name: String, emoji: String)] = words.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ")
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    /// Replaces `:thumbsup:` and the like in a sent text with emoji; an unknown name stays.
    package static func replacingNames(in text: String) -> String {
        guard text.contains(":") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: ":") {
            result += rest[..<start]
            rest = rest[rest.index(after: start)...]
            if let end = rest.firstIndex(of: ":"), let emoji = byName[String(rest[..<end])] {
                result += emoji
                rest = rest[rest.index(after: end)...]
            } else {
                result += ":"
            }
        }
        return result + rest
    }

    private static let byName = Dictionary(table.map { ($0.name, $0.emoji) }, uniquingKeysWith: { first, _ in first })

    private static let words = """
        thumbsup 👍
        heart ❤️
        joy 😂
        smile 😄
        tada 🎉
        clap 👏
        pray 🙏
        ok_hand 👌
        muscle 💪
        fire 🔥
        thumbsdown 👎
        wave 👋
        baseball ⚾
        softball 🥎
        basketball 🏀
        football 🏈
        soccer ⚽
        volleyball 🏐
        tennis 🎾
        golf ⛳
        hockey 🏒
        lacrosse 🥍
        swimmer 🏊
        runner 🏃
        cyclist 🚴
        trophy 🏆
        medal 🏅
        first 🥇
        second 🥈
        third 🥉
        stadium 🏟️
        goal 🥅
        stopwatch ⏱️
        school 🏫
        mortar_board 🎓
        books 📚
        memo 📝
        clipboard 📋
        calendar 📅
        video 🎥
        camera 📷
        chart 📊
        email 📧
        phone 📞
        bell 🔔
        pushpin 📌
        paperclip 📎
        link 🔗
        car 🚗
        bus 🚌
        train 🚆
        airplane ✈️
        hotel 🏨
        bed 🛏️
        map 🗺️
        round_pushpin 📍
        fuel ⛽
        suitcase 🧳
        hamburger 🍔
        pizza 🍕
        coffee ☕
        banana 🍌
        apple 🍎
        salad 🥗
        water 💧
        cake 🎂
        grin 😁
        laughing 😆
        wink 😉
        blush 😊
        sunglasses 😎
        thinking 🤔
        neutral 😐
        cry 😢
        sob 😭
        scream 😱
        sleeping 😴
        sick 🤒
        hug 🤗
        shrug 🤷
        facepalm 🤦
        raised_hands 🙌
        handshake 🤝
        crossed_fingers 🤞
        point_right 👉
        eyes 👀
        star ⭐
        sparkles ✨
        sunny ☀️
        cloud ☁️
        rain 🌧️
        snow ❄️
        zap ⚡
        rainbow 🌈
        check ✅
        x ❌
        warning ⚠️
        question ❓
        exclamation ❗
        hundred 💯
        money 💰
        ticket 🎫
        clock 🕐
        hourglass ⏳
        house 🏠
        family 👨‍👩‍👧‍👦
        dog 🐶
        cat 🐱
        blue_heart 💙
        green_heart 💚
        broken_heart 💔
        sparkling_heart 💖
        rocket 🚀
        balloon 🎈
        gift 🎁
        bandage 🩹
        ice 🧊
        """
}
