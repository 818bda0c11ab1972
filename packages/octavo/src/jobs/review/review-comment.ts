import type { BundleComparison, ChangedPage, NewProblem } from "../ports.ts";

/** The numbers of entries that a comment lists. */
const [maxPages, maxProblems, maxFiles] = [50, 20, 10];
/** The maximum length of a text of authors in a comment. */
const maxText = 200;

interface ShownReview {
  readonly origin: string;
  readonly commit: string;
  readonly base: string;
  /** The commit where the head leaves its base; null if there is none. */
  readonly baseCommit: string | null;
}

/**
 * Formats the comment about a preview, as Markdown. Everything that authors wrote stands in code, so that it neither
 * mentions anybody nor becomes a link, a picture or a command.
 */
export function formatReviewComment(
  { origin, commit, base, baseCommit }: ShownReview,
  found: BundleComparison | { readonly uncompared: string },
): string {
  const intro = `[Preview](${origin}/) of commit ${formatCommit(commit)}.`;
  if ("uncompared" in found) {
    return `${intro}\n\nIt was not compared with ${formatCode(base)}, because ${found.uncompared}.`;
  }
  const at = baseCommit === null ? "" : ` at ${formatCommit(baseCommit)}`;
  const blocks = [
    intro,
    `Compared with ${formatCode(base)}${at}, ${countPages(found.pages)}`,
    listSome(found.pages, maxPages, (page) => `- ${formatPage(origin, page)}`),
    formatFrame(found.framed),
    found.files.length > 0 ? "Other files that changed:" : "",
    listSome(found.files, maxFiles, (file) => `- ${formatCode(file)}`),
    found.problems.length > 0 ? "New problems:" : "",
    listSome(found.problems, maxProblems, (problem) => `- ${formatProblem(problem)}`),
    found.notChecked.length > 0
      ? `Not checked: ${found.notChecked.map((one) => one.replaceAll("_", " ")).join(", ")}.`
      : "",
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function countPages(pages: readonly ChangedPage[]): string {
  const counts = (["changed", "added", "removed"] as const).flatMap((kind) => {
    const count = pages.filter((page) => page.kind === kind).length;
    return count > 0 ? [`${count.toLocaleString("en")} ${kind}`] : [];
  });
  if (counts.length === 0) return "no page reads differently.";
  return `${pages.length === 1 ? "1 page differs" : `${pages.length.toLocaleString("en")} pages differ`} (${counts.join(", ")}):`;
}

function formatCommit(commit: string): string {
  return `\`${commit.slice(0, 7)}\``;
}

function formatFrame(count: number): string {
  if (count === 0) return "";
  const pages = count === 1 ? "1 page" : `${count.toLocaleString("en")} pages`;
  return `Around the text of ${pages}, something else changed, such as the navigation.`;
}

/** Formats a page with the addresses of itself and of its difference. A page that is new is its own difference. */
function formatPage(origin: string, { path, kind }: ChangedPage): string {
  const name = formatCode(path);
  const address = `${origin}/${encodePath(path)}`;
  if (kind === "removed") return `removed: ${name} ([difference](${address}?diff))`;
  const page = `${kind}: [${name}](${address})`;
  return kind === "added" ? page : `${page} ([difference](${address}?diff))`;
}

function formatProblem({ severity, file, line, message }: NewProblem): string {
  const place = line === undefined ? formatCode(file) : `${formatCode(file)}, line ${line}`;
  return `${severity} in ${place}: ${formatCode(message)}`;
}

/** Lists the first entries, and says how many are left out. */
function listSome<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string,
): string {
  const lines = items.slice(0, max).map((item) => format(item));
  const more = items.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more.toLocaleString("en")} more`] : [])].join("\n");
}

/** Formats a text as code, which it cannot leave. */
function formatCode(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .replaceAll("`", "'")
    .trim();
  const cut = line.length > maxText ? `${line.slice(0, maxText)}…` : line;
  return cut === "" ? "`-`" : `\`${cut}\``;
}

/** Encodes a page's path, including characters that would end a Markdown link. */
function encodePath(path: string): string {
  const address = path === "index" ? "" : path.replace(/\/index$/, "/");
  return address
    .toWellFormed()
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, toPercent))
    .join("/");
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
