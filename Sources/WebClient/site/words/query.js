// The words of `queries/refusal.js`.
export const WORDS = {
  recordsOfThisKindHave: "Records of this kind have no list: all of them are in the snapshot.",
  byNothing: "by nothing",
  onlyBy: (/** @type {string} */ list) => `only by ${list}`,
  listsOfThisKindAre: (/** @type {string} */ known, /** @type {string} */ key) => `Lists of this kind can be filtered ${known}, not by ${key}.`,
  thereIsNoTypeOf: (/** @type {string} */ short, /** @type {string} */ list) => `There is no type "${short}" of this kind: choose one of ${list}.`,
  listsOfThisKindAreOf: (/** @type {string} */ sort, /** @type {string} */ list) => `Lists of this kind cannot be sorted by ${sort}: choose one of ${list}.`,
  aSearchIsAtMost: (/** @type {number} */ value) => `A search is at most ${value} characters long: search for less.`,
};
