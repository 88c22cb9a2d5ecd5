// The words of `sync/conflicts.js`.
export const WORDS = {
  sayForWhetherYoursTheirs: (/** @type {string} */ label) => `Say for ${label} whether yours, theirs or both is to be.`,
  bothTogetherAreLonger: (/** @type {number | undefined} */ max) => `Both together are longer than ${max} characters: shorten one of them, or choose.`,
  cannotBeBothChooseYours: (/** @type {string} */ label) => `${label} cannot be both: choose yours or theirs.`,
};
