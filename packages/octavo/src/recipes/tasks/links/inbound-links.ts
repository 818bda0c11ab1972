import { folderOf, lastPart } from "../../pages.ts";
import { callAll, errorOf, inBatches } from "../../plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "../../plan.ts";
import { matchesOf } from "../../site-tools.ts";
import type { SearchMatch } from "../../site-tools.ts";
import { joinPath, plainAddress } from "../page-path.ts";

/** One search looks for so many names, the next for fewer. */
const batchSizes = [20, 4, 1];
const maxPages = 400;
const searchLimit = 500;

const opening = String.raw`(?:\]\(|\bhref=\{?["'])`;

/**
 * By page, whether a link of another file leads to it; a page is missing where that is not known. What one search does
 * not show whole is asked again in smaller parts.
 */
export function* findInbound(pages: readonly string[]): Plan<ReadonlyMap<string, boolean>> {
  const inbound = new Map<string, boolean>();
  let open = [...new Set(pages)].filter((page) => nameOf(page) !== "").slice(0, maxPages);
  for (const size of batchSizes) {
    // Pages of one name stay together, so that one search tells of all of them.
    const named = [...Map.groupBy(open, nameOf).values()];
    const batches = inBatches(named, size).map((some) => some.flat());
    const answers = yield* callAll(batches.map(searchCall));
    for (const [index, batch] of batches.entries()) {
      for (const [page, isLinked] of inboundOf(batch, answers[index] ?? {})) {
        inbound.set(page, isLinked);
      }
    }
    open = open.filter((page) => !inbound.has(page));
  }
  return inbound;
}

function searchCall(pages: readonly string[]): ToolCall {
  const names = [...new Set(pages.map(nameOf))].map(escaped);
  const query = `${opening}(?:[^)\\s"'#?]*/)?(?:${names.join("|")})(?:/?index)?/?(?:\\.mdx?)?[)\\s"'#?]`;
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
