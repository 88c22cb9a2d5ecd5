// The words of `views/answers.js`.
export const WORDS = {
  theServersAnswerCouldNot: "The server's answer could not be read. Load the page again, then try once more.",
  loading: "Loading …",
  earlierEntries: "Earlier entries",
  thisListComesFromThe: "This list comes from the server. It is shown when the connection is back.",
  tryAgain: "Try again",
};
