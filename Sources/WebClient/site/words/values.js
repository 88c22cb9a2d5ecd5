// The words of `views/values.js`.
export const WORDS = {
  yes: "Yes",
  no: "No",
};
