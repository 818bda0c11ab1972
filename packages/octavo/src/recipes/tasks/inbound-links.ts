import { folderOf, lastPart } from "../pages.ts";
import { errorOf } from "../plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "../plan.ts";
import { matchesOf } from "../site-tools.ts";
import type { SearchMatch } from "../site-tools.ts";
import { joinPath, plainAddress } from "./page-path.ts";

/** One search looks for so many names. */
const batchSize = 20;
const maxPages = 400;
const searchLimit = 500;

const opening = String.raw`(?:\]\(|\bhref=\{?["'])`;

/** By page, whether a link of another file leads to it; a page is missing where that is not known. */
export function* findInbound(pages: readonly string[]): Plan<ReadonlyMap<string, boolean>> {
  const asked = [...new Set(pages)].filter((page) => nameOf(page) !== "").slice(0, maxPages);
  const batches = Array.from({ length: Math.ceil(asked.length / batchSize) }, (_, index) =>
    asked.slice(index * batchSize, (index + 1) * batchSize),
  );
  if (batches.length === 0) return new Map();
  const answers = yield batches.map(searchCall);
  return new Map(batches.flatMap((batch, index) => inboundOf(batch, answers[index] ?? {})));
}

function searchCall(pages: readonly string[]): ToolCall {
  const names = [...new Set(pages.map(nameOf))].map(escaped);
  const query = `${opening}[^)\\s"']*\\b(?:${names.join("|")})\\b`;
  return { tool: "search", input: { query, isRegex: true, limit: searchLimit } };
}

function inboundOf(pages: readonly string[], answer: ToolAnswer): [string, boolean][] {
  if (errorOf(answer) !== undefined) return [];
  const matches = matchesOf(answer);
  const named = addressesIn(matches);
  const isWhole = matches.length >= Number(answer.total);
  return pages.flatMap((page): [string, boolean][] => {
    const isLinked = named.get(plainAddress(page))?.some((file) => !isOf(file, page)) ?? false;
    return isLinked || isWhole ? [[page, isLinked]] : [];
  });
}

function nameOf(page: string): string {
  return lastPart(plainAddress(page));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** By address: the files whose links lead there. */
function addressesIn(matches: readonly SearchMatch[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  const links = new RegExp(`${opening}([^)\\s"'#?]+)`, "g");
  for (const { file, text } of matches) {
    for (const [, target = ""] of text.matchAll(links)) {
      const folder = target.startsWith(".") ? folderOf(file) : "";
      const address = plainAddress(joinPath(folder, target));
      named.set(address, [...(named.get(address) ?? []), file]);
    }
  }
  return named;
}

function isOf(file: string, page: string): boolean {
  return file.replace(/\.mdx?$/i, "") === page;
}
