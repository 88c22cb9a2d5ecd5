// The words of `views/palette.js`.
export const WORDS = {
  allAthletes: "all athletes",
  seasonOf: (/** @type {string} */ name) => `Season of ${name}`,
  seasonOfContext: (/** @type {string} */ name) => `season of ${name} /context ${name}`,
  commandOrName: "Command or name",
  commandEventTripDocument: "Command, event, trip, document …",
  matches: "Matches",
  nothingHasTheseLetters: "Nothing has these letters. Try fewer.",
  match: "match",
  matches2: "matches",
  typeToFindEventsTrips: (/** @type {string} */ count) => `${count}. Type to find events, trips and documents, too.`,
  commands: "Commands",
};
