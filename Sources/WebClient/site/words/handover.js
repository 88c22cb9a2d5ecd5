// The words of `views/handover.js`.
export const WORDS = {
  link: "Link",
  picture: "For the camera of the other device",
  onThisComputerOnly: (/** @type {string} */ host) => `This link opens on this computer only, because you have opened Huddle at ${host}. For another device, open Huddle at the address of the server in your network, and make a link there.`,
  code: "Code",
  forTheTerminalClient: "For the terminal client: huddle join CODE",
  copyTheLink: "Copy the link",
  theLinkIsCopied: "The link is copied",
  done: "Done",
  anotherDevice: "Sign in on another device",
  openThisLink: (/** @type {string} */ time) => `Open this link on your other device. It is good once, until ${time}, and signs you in there in all your families. Do not share it.`,
};
