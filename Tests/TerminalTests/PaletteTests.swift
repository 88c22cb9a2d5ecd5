import Terminal
import Testing

@Suite("The product's colours in the themes")
struct PaletteTests {
    @Test("R055 Attended is green, registered blue, amber is only for warnings, deletion is red, today blue", arguments: [
        (StyleRole.accent, "#3B82F6"), (.attended, "#10B981"), (.success, "#10B981"), (.registered, "#3B82F6"), (.warning, "#F59E0B"), (.failure, "#EF4444"), (.draft, "#EF4444"),
    ])
    func dark(role: StyleRole, colour: String) throws {
        #expect(Theme.dark[role].foreground == (try #require(Colour(colour))))
    }

    @Test("R055 Today has a blue background with the contrast of WCAG AA, in both themes; other months' days and unregistered events are grey")
    func grounds() throws {
        for theme in [Theme.dark, .light] {
            guard case .rgb(let red, let green, let blue) = theme[.today].background.kind else {
                Issue.record("today has no ground in \(theme.name)")
                continue
            }
            #expect(blue > red && blue > green && theme[.today].foreground == .indexed(231))
            for role in [StyleRole.outside, .notRegistered] {
                guard case .indexed(let number) = theme[role].foreground.kind else {
                    Issue.record("\(role) is not grey")
                    continue
                }
                #expect((232...255).contains(number), "\(role)")
            }
            #expect(Set([StyleRole.attended, .registered, .notRegistered].map { theme[$0] }).count == 3)
        }
    }

    @Test("R016 Each type has its own badge, in every theme with colours")
    func badges() {
        for theme in [Theme.dark, .light] { #expect(Set([StyleRole.camp, .showcase, .officialVisit, .unofficialVisit, .game].map { theme[$0] }).count == 5) }
    }
}
