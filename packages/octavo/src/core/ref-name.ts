const maximumLength = 255;
/** What no name of a branch or tag can hold (git-check-ref-format), and what git would read as an expression. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const neverInNames = /^[-/.]|[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/[/.]|\.lock(?:\/|$)|[/.]$/;

/** Whether `text` can name a branch, a tag or a commit at all, and is no option. */
export function isRefName(text: string): boolean {
  const isUsable = text.length > 0 && text.length <= maximumLength && text !== "@";
  return isUsable && !neverInNames.test(text);
}
