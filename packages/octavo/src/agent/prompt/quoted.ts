const maxWords = 80;
const maxPath = 300;

/** What is quoted from the repository in the system prompt ends where the service ends it. Signs without width count as none. */
const quotationTag = /<(?=[\s\p{Cf}]*(?:\/[\s\p{Cf}]*)?(?:guide|site|template)\b)/giu;

/** A text of the repository that cannot end its quotation. Taken out, the rest could form a tag again. */
export function quoted(text: string): string {
  return text.replaceAll(quotationTag, "(");
}

/** Words of the repository on one line: a label, a title. */
export function words(text: string, max = maxWords): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

export function pathWords(path: string): string {
  return words(path, maxPath);
}
