// The words of `family/permission.js`.
export const WORDS = {
  whatParentsMayDoIs: (/** @type {number} */ value) => `What parents may do is decided by the athlete alone, from ${value} on. Nothing was changed.`,
  onlyParentsManageMembers: "Only parents manage members; your own name is yours to change. Nothing was changed.",
  howFarSomebodyHasRead: "How far somebody has read is theirs alone to say. Nothing was changed.",
  guestsCanReadButNot: "Guests can read but not change anything. Nothing was changed.",
  onlyParentsChangeThe: "Only parents change the family's settings. Nothing was changed.",
  aMessageIsEditedBy: "A message is edited by its author only, and deleted by its author or a parent. Nothing was changed.",
  thisAthleteHasSetThe: "This athlete has set the season to view-only for parents. Nothing was changed.",
  youCanViewAnother: "You can view another athlete's records but not change them. Nothing was changed.",
};
