// The words of `sync/engine.js`.
export const WORDS = {
  theServerWasPutBack: "The server was put back to an earlier day, so nothing was undone: look at what stands there now, then undo it.",
  thereIsNothingToDo: "There is nothing to do in this change.",
  tooManyChangesWait: "Too many changes wait already. Go online, or drop drafts, then try again.",
  thisDraftIsGoneAlready: "This draft is gone already.",
  sayWhetherYoursOrTheirs: "Say whether yours or theirs is to be.",
  atMostRecordsCanBe: (/** @type {number} */ operationsPerMutation) => `At most ${operationsPerMutation} records can be changed at once.`,
  thisChangeIsTooLarge: "This change is too large to send. Shorten the longest text, then try again.",
  theServerEndedThe: (/** @type {number} */ code) => `The server ended the connection twice over this change (${code}). It is kept as a draft.`,
};
