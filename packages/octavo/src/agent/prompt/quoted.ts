const maxLabelLength = 80;
const maxPathLength = 300;

/**
 * Matches tags that would end a quotation from the repository in the system prompt. Zero-width characters are ignored.
 */
export const quotationTag =
  /<(?=[\s\p{Cf}]*(?:\/[\s\p{Cf}]*)?(?:guide|site|template|refused)\b)/giu;

/** Formats a label or title from the repository on one line. */
export function formatLabel(text: string, maxLength = maxLabelLength): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line;
}

export function formatPathLabel(path: string): string {
  return formatLabel(path, maxPathLength);
}
