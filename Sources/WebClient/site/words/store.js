// The words of `sessions/store.js`.
export const WORDS = {
  thereIsNoConnectionTo: "There is no connection to the server. Try again when it is back.",
};
