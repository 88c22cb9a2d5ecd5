// The words of `family/permission.js`.
export const WORDS = {
  whatParentsMayDoIs: (/** @type {number} */ value) => `From ${value} on, only the athlete decides what parents may do. Nothing was changed.`,
  onlyParentsManageMembers: "Only parents can manage members; you can change your own name. Nothing was changed.",
  howFarSomebodyHasRead: "Only members themselves can set their reading position. Nothing was changed.",
  onlyMembersSetTheirReminders: "Only members themselves can set when they are reminded. Nothing was changed.",
  guestsCanReadButNot: "Guests can read but not change anything. Nothing was changed.",
  onlyParentsChangeThe: "Only parents can change the family's settings. Nothing was changed.",
  aMessageIsEditedBy: "Only its author can change a message, and only its author or a parent can delete it. Nothing was changed.",
  thisAthleteHasSetThe: "This athlete has set the season to view-only for parents. Nothing was changed.",
  youCanViewAnother: "You can view another athlete's records but not change them. Nothing was changed.",
};
