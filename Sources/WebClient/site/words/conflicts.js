// The words of `sync/conflicts.js`.
export const WORDS = {
  sayForWhetherYoursTheirs: (/** @type {string} */ label) => `Choose yours, theirs or both for ${label}.`,
  bothTogetherAreLonger: (/** @type {number | undefined} */ max) => `Both together are longer than ${max} characters: shorten one of them, or choose.`,
  cannotBeBothChooseYours: (/** @type {string} */ label) => `${label} cannot be both: choose yours or theirs.`,
};
