// The words of `views/season.js`.
export const WORDS = {
  somebody: "Somebody",
  aFormerMember: "A former member",
  attended: "Attended",
  registered: "Registered",
  notRegistered: "Not Registered",
  unknownEvent: "Unknown event",
  unknown: "Unknown",
};
