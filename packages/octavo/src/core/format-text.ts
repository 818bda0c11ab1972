/**
 * The maximum length of a job's summary or error in lists and webhooks, in characters. The longest reports of the
 * built-in model have about 15,000 characters.
 */
export const maxSummaryLength = 20_000;

const shorteningNotePattern =
  /\n\n\(Cut here: the first [\d,]+ of ([\d,]+) characters are shown\.\)$/;
const maxNoteLength = 120;

/**
 * Shortens text for people to `maxLength` characters and appends a note with the shown and the original number of
 * characters. If the text was shortened before, the note keeps the original number.
 */
export function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const { body, originalLength } = separateNote(text);
  if (body.length <= maxLength) return text;
  const shown = body.slice(0, maxLength).toWellFormed();
  return `${shown}\n\n(Cut here: the first ${shown.length.toLocaleString("en")} of ${originalLength} characters are shown.)`;
}

/** Returns the number of characters that a text had before `shortenText` shortened it, e.g. `35,000`. */
export function formatOriginalLength(text: string): string {
  return separateNote(text).originalLength;
}

function separateNote(text: string): { readonly body: string; readonly originalLength: string } {
  const [note, originalLength] = shorteningNotePattern.exec(text.slice(-maxNoteLength)) ?? [];
  if (note === undefined || originalLength === undefined) {
    return { body: text, originalLength: text.length.toLocaleString("en") };
  }
  return { body: text.slice(0, -note.length), originalLength };
}

/** Formats a whole number, e.g. `1,234`. Does not use `toLocaleString` because its first call takes 20 ms. */
export function formatNumber(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a count, e.g. `1 page`, `2,300 pages`. */
export function formatCount(amount: number, one: string, many = `${one}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? one : many}`;
}
