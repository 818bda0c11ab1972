/** What stands between an article and its noun: blanks, a line end, emphasis, a bracket, a quotation mark. */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

/** `an Anchor` becomes `a Boat`: the article before a term, as it is to be, where one is changed. */
export function articleBefore(
  before: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [old, now] = [soundOf(from), soundOf(to)];
  const isRight = word.length === (old === "vowel" ? 2 : 1);
  if (match === null || !isRight || old === undefined || now === undefined || old === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/** How a word begins when it is spoken; undefined where its letters do not say, as of `hour`, `user` and `SQL`. */
function soundOf(word: string): "vowel" | "consonant" | undefined {
  if (/^[aeio]/i.test(word)) return /^(?:eu|one(?![a-z])|once)/i.test(word) ? undefined : "vowel";
  return /^[bcdfgjklmnpqrstvwxyzBCDFGJKLMNPQRSTVWXYZ]\p{Ll}/u.test(word) ? "consonant" : undefined;
}
