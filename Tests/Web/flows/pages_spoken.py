"""What screen readers say: golden accessibility trees of the pages, and pages in forced colours, enlarged, and without motion."""
import re

from playwright.sync_api import expect

from harness import Person, violations
from pages_trips import add_item, add_trip

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


@flow
def spoken(browser, server):
    """R010 R054 R083 R111 R117 R148: the trees of the pages, with the labels of the requirements."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    expect(page.get_by_role("navigation", name="Pages")).to_match_aria_snapshot("""
      - navigation "Pages":
        - link "Events"
        - link "Trips"
        - link "Documents"
        - link "Room"
        - link "Outbox"
        - link "Settings"
    """)
    # R054: the month and its days.
    grid = page.get_by_role("grid")
    expect(grid).to_have_accessible_name(re.compile(r"^Calendar showing [A-Z][a-z]+ \d{4}\. \d+ events? this month\.$"))
    days = grid.get_by_role("gridcell").evaluate_all("(cells) => cells.map((cell) => cell.getAttribute('aria-label'))")
    assert len(days) == 42
    wrong = [day for day in days if not re.fullmatch(r"([A-Z][a-z]+ \d{4}, )?\d{1,2}, [A-Z][a-z]+day\. (Has event|Has \d+ events|No event)\.", day)]
    assert not wrong, wrong
    # R083: a form with its required fields, and its errors.
    page.goto(server.url + "/events/create")
    form = page.locator("form")
    expect(form).to_match_aria_snapshot("""
      - group "Event Info":
        - combobox "Whose event, Required field"
        - combobox "Event type, Required field"
        - textbox "Event name, Required field"
      - group "Date & Time":
        - textbox "Start date, Required field"
      - button "Cancel"
      - button "Create Event"
    """)
    page.get_by_role("button", name="Create Event").click()
    expect(page.get_by_label("Event name")).to_have_accessible_description("Error: Event name is required")
    expect(page.get_by_label("Event name")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Event name")).to_have_attribute("aria-required", "true")
    page.get_by_label("Whose event").select_option(label="Elena Rivera")
    page.get_by_label("Event type").select_option(label="Camp")
    page.get_by_label("Event name").fill("Golden camp")
    page.get_by_label("Start date").fill("2035-05-04")
    page.get_by_label("School").select_option(index=1)
    page.get_by_role("button", name="Create Event").click()
    expect(page.locator("#page h1")).to_be_focused()
    # R111 R117: an event with a result and a coach.
    page.get_by_role("button", name="Log Performance Metric").click()
    page.get_by_label("Value").fill("88.5")
    page.get_by_role("button", name="Log Metric").click()
    page.get_by_role("button", name="+ Add Coach").click()
    page.get_by_label("First name").fill("Ruth")
    page.get_by_label("Last name").fill("Gray")
    page.get_by_label("Role").fill("Head coach")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("listitem", name="Ruth Gray, Head coach")).to_be_visible()
    expect(page.locator("#page .event")).to_match_aria_snapshot("""
      - paragraph:
        - link "← Back to Events"
      - text: Camp Not Registered
      - heading "Golden camp, Camp, May 4, 2035, Not Registered" [level=1]
      - button "Mark as attended"
      - link "Edit event"
      - button "Delete event"
      - heading "Metrics Recorded at This Event" [level=2]
      - list:
        - listitem "Fastball Velocity, 88.5 mph, Not verified":
          - button "Delete Fastball Velocity"
      - heading "Coaches Present" [level=2]
      - list:
        - listitem "Ruth Gray, Head coach":
          - button "Remove Ruth Gray"
      - paragraph:
        - button "+ Add Coach"
      - heading "Interactions" [level=2]
      - button "Log Interaction"
      - button "Log Performance Metric"
      - button "History"
      - button "Export results"
    """)
    # R054: its card.
    ana.go("Events")
    page.get_by_role("searchbox", name="Search").fill("Golden")
    expect(page.get_by_role("feed")).to_match_aria_snapshot("""
      - feed "Events":
        - article:
          - text: Camp Not Registered
          - heading "Golden camp, Camp, May 4, 2035, Not Registered" [level=3]:
            - link "Golden camp, Camp, May 4, 2035, Not Registered"
          - list:
            - listitem: May 4, 2035
          - button "Delete Golden camp"
    """)
    # R148.
    ana.go("Documents")
    expect(page.get_by_role("button", name="Upload new document")).to_be_visible()
    expect(page.locator("summary")).to_have_attribute("aria-label", "Filter documents. 0 filters active.")
    # The board of days.
    add_trip(ana, "Golden trip", "2035-05-04", "2035-05-04")
    page.get_by_role("link", name="Board", exact=True).click()
    add_item(page, "Friday, May 4, 2035", "Tour", "2035-05-04T10:00", "2035-05-04T11:30")
    expect(page.locator("#page")).to_match_aria_snapshot("""
      - main:
        - paragraph:
          - link "← Back to Trips"
        - heading "Golden trip" [level=1]
        - navigation "Views of the trip":
          - link "Itinerary"
          - link "Board"
        - button "All hours"
        - group "Board of days":
          - region "Friday, May 4, 2035":
            - heading "Fri May 4, 2035" [level=2]
            - button "Add to Friday, May 4, 2035": +
            - list:
              - listitem:
                - button "Move Tour, Friday, May 4, 2035, 10:00 AM to 11:30 AM"
                - button "Edit Tour"
    """)
    ana.end()


@flow
def every_screen(browser, server):
    """R010 R011: the pages in forced colours, without motion, at 320 px and enlarged four times; axe finds nothing, and nothing is cut off."""
    found = []
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    ana.go("Trips")
    trip = page.locator("article.card a").first.get_attribute("href")
    logs = ["/settings/audit", "/settings/access", "/settings/consent", "/settings/calendars", "/settings/reminders", "/settings/family"]
    plain = {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "reduce"}
    looks = [
        ("320 px", (320, 640), {**plain, "color_scheme": "dark"}, [trip + "/board", *logs], True),
        ("forced colours", (1280, 844), {**plain, "forced_colors": "active"}, ["/events", trip + "/board"], True),
        ("400 %", (320, 256), plain, ["/events", trip + "/board"], False),
        # Texts twice as large, as browsers let people choose (WCAG 1.4.4).
        ("large text", (1280, 844), plain, ["/events", "/trips", trip, trip + "/board", *logs], False),
    ]
    # Each page is loaded once: what differs is the style.
    for path in ["/events", "/trips", trip, trip + "/board", *logs]:
        page.emulate_media(**plain)
        page.goto(server.url + path)
        ana.is_live()
        expect(page.locator("#page h1")).to_be_visible()
        expect(page.locator(".skeleton")).to_have_count(0)
        for look, (width, height), media, paths, has_axe in looks:
            if path not in paths:
                continue
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(**media)
            page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", "200%" if look == "large text" else "")
            if has_axe:
                found += [f"{path}, {look}: {one}" for one in violations(page)]
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                found.append(f"{path}, {look}: {wide} px too wide")
            small = page.evaluate("""() => [...document.querySelectorAll('#page button, #page a.button, #page select, #page input:not([type=checkbox]), header button, nav a')].filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
              .filter(([one, box]) => box.width > 0 && (box.height < 43.5 || box.width < 30)).map(([one, box]) => `${one.tagName} ${one.getAttribute('aria-label') ?? one.textContent} ${Math.round(box.width)} × ${Math.round(box.height)}`)""")
            found += [f"{path}, {look}: too small: {one}" for one in small[:5]]
            if look == "forced colours":
                moving = page.evaluate("document.getAnimations().filter((one) => one.playState === 'running' && Number(one.effect.getComputedTiming().duration) > 1).length")
                if moving:
                    found.append(f"{path}: {moving} animations run")
    ana.end()
    assert not found, "\n".join(found)
