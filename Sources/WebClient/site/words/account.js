// The words of `sessions/account.js`.
export const WORDS = {
  thereIsNoConnectionTo: "There is no connection to the server. Check the network, then try again.",
  theServerAnsweredTry: (/** @type {number} */ status) => `The server answered ${status}. Try again in a moment.`,
};
