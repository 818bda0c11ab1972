import type { ToolAnswer } from "../plan.ts";
import type { Scope } from "../instruction/task.ts";
import { objectsOf } from "../site-tools.ts";
import type { FileEdits, Listing } from "../site-tools.ts";

/** Longer lists are told by their beginning. */
const maxItems = 40;
/** Files named in one sentence. */
const maxNamed = 12;

/** What a recipe did not change, and why: file by file. */
export interface LeftPlaces {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
}

/** Lines of one file that are named. */
const maxLines = 5;

/** A paragraph and the items under it, or nothing where there are none. */
export function tellList(head: string, items: readonly string[], max = maxItems): string {
  if (items.length === 0) return "";
  const shown = items.slice(0, max).map((item) => `- ${item}`);
  const rest = items.length - max;
  return [head, "", ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}

export function tellParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** `1 page`, `2 pages`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function inWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

export function code(text: string): string {
  const cut = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  return cut.includes("`") ? `\`\` ${cut} \`\`` : `\`${cut}\``;
}

/** `` `a.mdx` and `b.mdx` ``; of many the first. */
export function tellFiles(files: readonly string[]): string {
  const shown = files.slice(0, maxNamed).map(code);
  const rest = files.length - shown.length;
  return inWords(rest > 0 ? [...shown, count(rest, "other file")] : shown);
}

/** `` in `guides/` ``, behind a sentence; nothing where the whole site was meant. */
export function tellScope(scope: Scope | undefined): string {
  return scope === undefined ? "" : ` in ${code(scope.name)}`;
}

/** How many places of each file were changed. */
export function tellChanged(files: readonly FileEdits[]): string {
  const items = files.map(({ path, edits }) => `${code(path)}: ${count(edits.length, "place")}`);
  return tellList("Changed:", items);
}

/** What could not be seen of a site with more files than `list` gives. */
export function tellUnseen({ files, total }: Listing): string {
  if (total <= files.length) return "";
  return `The site has ${total} pages and snippets, of which I could list ${files.length}; the others were not looked at.`;
}

export function tellFailures(failures: ReadonlyMap<string, string>): string {
  return tellList(
    "These files could not be changed:",
    [...failures].map(([path, reason]) => `${code(path)}: ${reason}`),
  );
}

/** The links that `move` and `delete` could not change. */
export function linksLeft(answer: ToolAnswer): string[] {
  return objectsOf(answer.linksLeft).map(
    ({ file, line, target }) => `\`${String(file)}:${String(line)}\`: ${code(String(target))}`,
  );
}

/** `Left as they are:`, one item for each file and reason, the fewest places first: they are looked at. */
export function tellLeft(left: readonly LeftPlaces[]): string {
  const groups = Map.groupBy(left, ({ path, reason }) => `${path}\0${reason}`);
  const items = [...groups.values()].map((places) => {
    const [first] = places;
    const lines = [...new Set(places.flatMap(({ line }) => line ?? []))];
    const shown = lines.slice(0, maxLines).join(", ");
    const rest =
      lines.length > maxLines ? ` and ${count(lines.length - maxLines, "other line")}` : "";
    const place = code(`${first?.path}${lines.length > 0 ? `:${shown}` : ""}`);
    return `${place}${rest}: ${first?.reason}`;
  });
  return tellList("Left as they are, since they may mean something else:", items);
}
