// The words of `views/audit.js`.
export const WORDS = {
  onlyWhatIDidAnd: "Only what I did, and what concerns me",
  auditLog: "Audit log",
  theAuditLogHasNo: "The audit log has no entries for you.",
  backToSettings: "← Back to Settings",
  signInsInvitesRoles: "Sign-ins, invites, roles, consents, exports, and what the host did. Entries are kept for two years.",
};
