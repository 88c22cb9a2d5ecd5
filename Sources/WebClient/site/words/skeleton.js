// The words of `screen/skeleton.js`.
export const WORDS = {
  loading: "Loading",
};
