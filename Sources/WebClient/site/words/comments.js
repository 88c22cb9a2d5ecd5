// The words of `views/comments.js`.
export const WORDS = {
  writeAComment: "Write a comment",
  comment: "Comment",
  send: "Send",
  comments: "Comments",
  commentsOf: (/** @type {number} */ count) => `Comments (${count})`,
  waiting: " · waiting",
};
