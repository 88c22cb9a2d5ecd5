// The words of `views/keys.js`.
export const WORDS = {
  singleKeysAreCommands: "Single keys are commands. Switch this off if you speak to your computer, or press keys by accident.",
  keys: "Keys",
  commandsAndNames: "commands and names",
  closeWhatIsOpen: "close what is open",
  close: "Close",
};
