const maxLength = 255;
/** What no branch or tag name can contain (git-check-ref-format), and what git would read as a revision expression. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const forbiddenParts = /^[-/.]|[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/[/.]|\.lock(?:\/|$)|[/.]$/;

/** Whether `text` can name a branch, a tag or a commit, and cannot be read as an option. */
export function isRefName(text: string): boolean {
  const isUsable = text.length > 0 && text.length <= maxLength && text !== "@";
  return isUsable && !forbiddenParts.test(text);
}
