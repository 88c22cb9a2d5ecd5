// The words of `views/handover.js`.
export const WORDS = {
  link: "Link",
  code: "Code",
  forTheTerminalClient: "For the terminal client: huddle join CODE",
  copyTheLink: "Copy the link",
  theLinkIsCopied: "The link is copied",
  done: "Done",
  anotherDevice: "Sign in on another device",
  openThisLink: (/** @type {string} */ time) => `Open this link on your other device. It is good once, until ${time}, and signs you in there in all your families. Do not share it.`,
};
