// The words of `views/add-family.js`.
export const WORDS = {
  title: "Add a family",
  youAreSignedIn: (/** @type {string} */ names) => `You are signed in here (${names}). The code of an invite adds its family to your sign-in.`,
  between: ", ",
  code: "Code",
  codeHint: "The code of your invite.",
  name: "Your name",
  nameHint: "As the person who invited you wrote it.",
  add: "Add the family",
  other: "Sign in as another person",
  back: "Cancel",
  added: (/** @type {string} */ name) => `The family ${name} is added to your sign-in.`,
};
