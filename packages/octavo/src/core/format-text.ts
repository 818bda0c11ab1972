/**
 * The maximum length of a job's summary or error, which lists and webhooks contain, in characters. The longest reports
 * of the built-in model have about 15,000.
 */
export const maxSummaryLength = 20_000;

const shortenedEnd = /\n\n\(Cut here: the first [\d,]+ of ([\d,]+) characters are shown\.\)$/;
const maxShortenedEnd = 120;

/**
 * Shortens text for people to `maxLength` characters and appends a note with the shown and the original number of
 * characters. If the text was shortened before, the note keeps the original number.
 */
export function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const { body, written } = separateNote(text);
  if (body.length <= maxLength) return text;
  const shown = body.slice(0, maxLength).toWellFormed();
  return `${shown}\n\n(Cut here: the first ${shown.length.toLocaleString("en")} of ${written} characters are shown.)`;
}

/** Returns the original number of characters of a possibly shortened text, formatted for people. */
export function countWritten(text: string): string {
  return separateNote(text).written;
}

function separateNote(text: string): { readonly body: string; readonly written: string } {
  const [note, written] = shortenedEnd.exec(text.slice(-maxShortenedEnd)) ?? [];
  if (note === undefined || written === undefined) {
    return { body: text, written: text.length.toLocaleString("en") };
  }
  return { body: text.slice(0, -note.length), written };
}

/** Formats a whole number, e.g. `1,234`. Does not use `toLocaleString` because its first call takes 20 ms. */
export function formatNumber(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a count, e.g. `1 page`, `2,300 pages`. */
export function formatCount(amount: number, one: string, many = `${one}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? one : many}`;
}
