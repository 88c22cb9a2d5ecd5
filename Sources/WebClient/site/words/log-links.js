// The words of `views/log-links.js`.
export const WORDS = {
  whoMayDoWhatAnd: "Permissions, and acts by members",
  signInsOfMembers: "Sign-ins of members",
  consentsForAthletesOf13: "Consents for athletes of 13 to 17, lost sign-ins, birth dates, last days of guests",
  accessLog: "Access log",
  whoOpenedAnAthletes: "Views of an athlete's season and documents by others",
  auditLog: "Audit log",
  signInsInvitesRoles: "Sign-ins, invites, roles, consents, exports, and what the host did",
  calendarsAndTheWhole: "Calendars and the whole family",
};
