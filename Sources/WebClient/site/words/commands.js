// The commands of the palette and of single keys: names, summaries and keys are those of the terminal client, and a test in
// Swift compares them. Those of the mode `web` are the browser's own.

/**
 * @typedef {object} Command
 * @property {string} mode the terminal client's, whose key it has; `web` for the browser's own, `line` for a command with words alone
 * @property {string} name
 * @property {string} keys "" for none; two keys are pressed one after the other
 * @property {string} text
 */

/** @param {string} mode @param {string} name @param {string} keys @param {string} text @returns {Command} */
const command = (mode, name, keys, text) => ({ mode, name, keys, text });

export const COMMANDS = [
  command("web", "go-events", "g e", "go to the events"),
  command("web", "go-trips", "g t", "go to the trips"),
  command("web", "go-documents", "g d", "go to the documents"),
  command("web", "go-room", "g r", "go to the room"),
  command("web", "go-kept", "g k", "go to the outbox: waiting and refused changes"),
  command("web", "go-settings", "g s", "go to the settings"),
  command("web", "choose-season", "o", "choose the season"),
  command("web", "palette", "", "commands and names (Ctrl-K or ⌘-K)"),
  command("select", "help-keys", "?", "these keys"),
  command("trips", "undo-last", "u", "undo your last change"),
  command("trips", "redo-last", "U", "redo the change that you undid"),
  command("events", "event-add", "n", "a new event"),
  command("events", "event-next", "j", "the next event"),
  command("events", "event-previous", "k", "the event before"),
  command("events", "event-edit", "e", "change the event"),
  command("events", "event-attend", "a", "mark attended, with a log"),
  command("events", "event-delete", "x", "delete; u brings it back"),
  command("events", "event-interaction", "i", "log an interaction"),
  command("events", "event-metric", "p", "log a result"),
  command("events", "event-coaches", "+", "which coaches were there"),
  command("events", "event-export", "E", "export results or events"),
  command("events", "event-directions", "m", "a link to the directions"),
  command("events", "event-search", "/", "search while you type"),
  command("events", "filter-type", "t", "type: all, camps, showcases, visits, games"),
  command("events", "filter-status", "s", "status: all, registered, not registered, attended"),
  command("events", "filter-date", "d", "dates: all, upcoming, past, this month, next month"),
  command("events", "event-sort", "r", "order: newest, oldest, name, type"),
  command("events", "filter-clear", "c", "clear filters and search"),
  command("events", "month-next", "l", "the next month"),
  command("events", "month-previous", "h", "the month before"),
  command("events", "month-today", ".", "today's month"),
  command("trips", "trip-add", "n", "a new trip, or a new item on this day"),
  command("trips", "trip-edit", "e", "change it"),
  command("trips", "trip-delete", "x", "delete, which can be undone"),
  command("trips", "trip-shift", "s", "move it by days, a trip with all its items"),
  command("trips", "trip-copy", "c", "the same trip once more, days later"),
  command("trips", "trip-today", ".", "today"),
  command("web", "trip-board", "b", "the board of days, or the itinerary"),
  command("web", "trip-print", "", "print the itinerary"),
  command("documents", "document-upload", "n", "upload a document"),
  command("documents", "document-search", "/", "search while you type"),
  command("documents", "document-view", "v", "grid or list"),
  command("web", "message-write", "w", "write to the family"),
  command("line", "history", "", "changes with their authors, of the family or of one record"),
  command("line", "audit", "", "sign-ins, invites, roles, consents, exports, and what the host did"),
  command("line", "access", "", "looks at an athlete's season by others"),
  command("line", "consents", "", "the sign-in of each member, athletes who need a consent, and last days of guests"),
  command("line", "calendar", "", "your plans in the calendar of a phone or computer: make an address to subscribe to, or end one"),
  command("line", "family", "", "the deletion of the family: its state, a request, or its withdrawal"),
  command("line", "drafts", "", "refused changes, kept as drafts"),
  command("line", "sessions", "", "your sessions; name or end one"),
  command("line", "invites", "", "invites that nobody has accepted; a new code for one, or withdraw one"),
  command("line", "reconnect", "", "try the server now, instead of waiting for the next attempt"),
  command("line", "logout", "", "end the sign-in here, on the server too"),
];
