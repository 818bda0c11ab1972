/** What stands between an article and its noun: blanks, a line end, emphasis, a bracket, a quotation mark. */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

/** `an Anchor` becomes `a Boat`: the article before a term, as it is to be, where one is changed. */
export function articleBefore(
  before: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [written, now] = [word.length === 2 ? "vowel" : "consonant", soundOf(to)];
  // An article that does not fit the old term may be none, or a slip that is not ours.
  const isRight = (soundOf(from) ?? written) === written;
  if (match === null || !isRight || now === undefined || written === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/** How a term begins when it is spoken; undefined where its letters do not say, as of `SQL`, `HDMI` and `umask`. */
function soundOf(term: string): "vowel" | "consonant" | undefined {
  const [word = ""] = /^\p{L}+/u.exec(term.normalize("NFD")) ?? [];
  if (word === "" || /^sql/i.test(word)) return undefined;
  // Spelled out: `an MCP host`, `an npm package`, `a JWT`.
  if (!/[aeiouy]/i.test(word)) return /^[fhlmnrsx]/i.test(word) ? "vowel" : "consonant";
  if (/^[aeio]/i.test(word)) return /^(?:eu|one$|once$)/i.test(word) ? undefined : "vowel";
  if (/^u/i.test(word)) return isYou(word) ? "consonant" : undefined;
  if (/^[bcdgjkpqtvwyz]/i.test(word)) return "consonant";
  // `SEP` is a word or letters; `hour` and `nginx` begin with a vowel, `Xbox` with another one than `Xerox`.
  const isClear = /^.\p{Ll}/u.test(word) && !/^(?:x|ng|h(?:eir|erb|on(?:est|o)|our))/i.test(word);
  return isClear ? "consonant" : undefined;
}

/** `URL`, `user` and `unit` begin as `you` does. */
function isYou(word: string): boolean {
  return /^U\p{Lu}/u.test(word) || /^(?:us[aeu]|util|uni(?:co|f|on|qu|t|v))/i.test(word);
}
