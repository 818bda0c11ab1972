import type { Scope } from "../instruction/forms.ts";
import type { Listing } from "../site-tools.ts";

/** The maximum number of items in a list. */
const maxItems = 40;
/** The maximum number of files that are named in one sentence. */
const maxNamedFiles = 12;

/** A line or file that a recipe did not change, and the reason. */
export interface SkippedLine {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
}

/** The maximum number of lines that are named for one file. */
const maxNamedLines = 5;

/** Formats a paragraph with a list, or an empty string if there are no items. */
export function formatList(heading: string, items: readonly string[], max = maxItems): string {
  if (items.length === 0) return "";
  const shown = items.slice(0, max).map((item) => `- ${item}`);
  const rest = items.length - max;
  return [heading, "", ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}

export function joinParagraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Formats an amount, such as `1 page` or `2 pages`. */
export function formatAmount(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Joins parts as `a`, `a and b` or `a, b and c`. */
export function joinWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

export function quote(text: string): string {
  return `“${text.length > 120 ? `${text.slice(0, 120)}…` : text}”`;
}

export function formatCode(text: string): string {
  const cut = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  return cut.includes("`") ? `\`\` ${cut} \`\`` : `\`${cut}\``;
}

/** Formats files as `` `a.mdx` and `b.mdx` ``. If there are many files, names only the first ones. */
export function formatFileList(files: readonly string[]): string {
  const shown = files.slice(0, maxNamedFiles).map(formatCode);
  const rest = files.length - shown.length;
  return joinWords(rest > 0 ? [...shown, formatAmount(rest, "other file")] : shown);
}

/**
 * Formats the scope for the end of a sentence, such as `` in `guides/` ``. Returns an empty string for the whole site.
 */
export function formatScope(scope: Scope | undefined): string {
  if (scope === undefined) return "";
  const parts = scope.parts.map(({ kind, name }) => (kind === "path" ? formatCode(name) : `the ${kind} ${quote(name)}`)); // prettier-ignore
  return ` in ${joinWords(parts)}`;
}

/**
 * Formats a note that `list` did not return all pages of a large site. Returns an empty string if it returned all of
 * them.
 */
export function formatUnlisted({ files, total }: Listing): string {
  if (total <= files.length) return "";
  return `The site has ${total} pages and snippets, but I could list only ${files.length}. The rest were not checked.`;
}

/** Lists lines and files that were not changed, one item for each file and reason. */
export function formatSkipped(skipped: readonly SkippedLine[]): string {
  const groups = Map.groupBy(skipped, ({ path, reason }) => `${path}\0${reason}`);
  const items = [...groups.values()].map((places) => {
    const [first] = places;
    const lines = [...new Set(places.flatMap(({ line }) => line ?? []))];
    const shown = lines.slice(0, maxNamedLines).join(", ");
    const rest =
      lines.length > maxNamedLines
        ? ` and ${formatAmount(lines.length - maxNamedLines, "other line")}`
        : "";
    const place = formatCode(`${first?.path}${lines.length > 0 ? `:${shown}` : ""}`);
    return `${place}${rest}: ${first?.reason}`;
  });
  return formatList("Left unchanged, because they may mean something else:", items);
}
