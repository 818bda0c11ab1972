/** Endings of English words, by which forms such as `version`, `versions` and `versioning` differ. */
const endings = [
  ..."ations ation ating ated ates ate ions ion ings ing ments ment ers er ors or ies ied ed es y e s".split(
    " ",
  ),
  "",
] as const;
const ending = new RegExp(`^(?:${endings.join("|")})$`);
/** The minimum length of a stem. Shorter stems are common to words with different meanings. */
const minStemLength = 4;

/** Returns the part that the forms of a word share, or undefined for words that are short or not in Latin script. */
export function findStem(word: string): string | undefined {
  if (!/^[a-z]+$/.test(word)) return undefined;
  const found = endings.find(
    (end) => word.endsWith(end) && word.length - end.length >= minStemLength,
  );
  return found === undefined ? undefined : word.slice(0, word.length - found.length);
}

/** Reports whether text is the ending of an English word. */
export function isEnding(text: string): boolean {
  return ending.test(text);
}

/** Reports whether a longer word is another form of a word that it begins with, e.g. `logs` or `logging` for `log`. */
export function isLongerForm(longer: string, word: string): boolean {
  const rest = longer.slice(word.length);
  return isEnding(rest) || (rest[0] === word.at(-1) && isEnding(rest.slice(1)));
}

/** Reports whether a word equals another one or is another form of it. */
export function isFormOf(other: string, word: string): boolean {
  if (other === word) return true;
  const stem = findStem(word);
  if (stem !== undefined) return other.startsWith(stem) && isEnding(other.slice(stem.length));
  return word.length > 2 && other.startsWith(word) && isLongerForm(other, word);
}
