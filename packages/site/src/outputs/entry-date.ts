/** Finds the first date in some texts, at midnight UTC; undefined if there is none. */
type DateFinder = (texts: readonly string[]) => Date | undefined;

/**
 * Reads `2025-03-05`, `March 5, 2025`, `5 mars 2025` and `2025年3月5日`; a month alone is its first day.
 * Months are read in English and in `language` (a primary subtag such as `fr`). Ambiguous numbers (`03/05/2025`) are
 * not dates, nor are texts that are too long for a label.
 */
export function createDateFinder(language: string): DateFinder {
  const names = [...monthNames("en"), ...(language === "en" ? [] : monthNames(language))];
  return (texts) => {
    for (const text of texts) {
      if (text.length > maxLabelLength) continue;
      const date = numericDate(text) ?? namedDate(text, names);
      if (date !== undefined) return date;
    }
    return undefined;
  };
}

const maxLabelLength = 80;
const yearFirst = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const eastAsian = /(?<!\d)(\d{4}) ?[年년] ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?/;

function numericDate(text: string): Date | undefined {
  const [, year, month, day = "1"] = yearFirst.exec(text) ?? eastAsian.exec(text) ?? [];
  return year === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
}

const year = /(?<!\d)(?:19|20)\d{2}(?!\d)/;
const words = /[\p{L}\p{M}]{3,20}/gu;
const dayBefore = /(?<![\d.])(\d{1,2})(?:st|nd|rd|th|er|º|\.)?(?: of| de)? $/;
const dayAfter = /^\.? (\d{1,2})(?:st|nd|rd|th)?(?![\d.])/;

function namedDate(text: string, names: readonly string[]): Date | undefined {
  const [found] = year.exec(text) ?? [];
  if (found === undefined) return undefined;
  for (const { 0: word, index } of text.matchAll(words)) {
    const at = names.findIndex((name) => isMonth(word.toLowerCase(), name));
    if (at === -1) continue;
    const after = dayAfter.exec(text.slice(index + word.length));
    const day = (after ?? dayBefore.exec(text.slice(0, index)))?.[1] ?? 1;
    return dayOf(Number(found), (at % 12) + 1, Number(day));
  }
  return undefined;
}

/** A month is named in full, or by its first three or four letters. */
function isMonth(word: string, name: string): boolean {
  return word === name || (word.length <= 4 && name.startsWith(word));
}

function monthNames(language: string): readonly string[] {
  const format = new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return Array.from({ length: 12 }, (_, month) => {
    const parts = format.formatToParts(new Date(Date.UTC(2024, month, 1)));
    return (parts.find(({ type }) => type === "month")?.value ?? "").toLowerCase();
  });
}

function dayOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date : undefined;
}
