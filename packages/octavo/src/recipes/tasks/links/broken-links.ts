import { splitAddress } from "@octavo/site/text";
import { pagePath } from "../../pages.ts";
import type { Problem } from "../../site-tools.ts";
import { plainAddress } from "../page-path.ts";

/** A link that the check found to lead nowhere, as far as its message tells. */
export interface BrokenLink {
  /** The same at the next check, wherever in its line it then stands. */
  readonly key: string;
  readonly kind: "link" | "anchor" | "redirect";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** As it is written in the file. */
  readonly target: string;
  /** Of an anchor: the page that is there and does not have it. */
  readonly anchorPage?: string;
  /** The one place that the check itself says was meant. */
  readonly suggested?: string;
  /** Of a redirect: the address that it leads away from. */
  readonly source?: string;
}

/** The kinds of problems that broken links are, by their codes. */
export const brokenLinkCodes = ["link_broken", "redirect_broken", "anchor_broken"] as const;

const text = String.raw`("(?:[^"\\]|\\.){0,400}")`;
const linkMessage = new RegExp(`^The link ${text} (?:leads|names|in the configuration)`);
const redirectMessage = new RegExp(`^The redirect from ${text} to ${text} leads to no`);
const pageInMessage = /that the page \/(.*?) does not have\./;
const suggestion = /does not have\. Did you mean "#([^"]*)"\?$/;

/** What the problems' messages tell; without those that have another form or show the link cut. */
export function brokenLinksOf(problems: readonly Problem[]): BrokenLink[] {
  const seen = new Map<string, number>();
  return problems.flatMap((problem) => {
    const link = readMessage(problem);
    if (link === undefined || link.target.endsWith("…")) return [];
    // The same link twice in a line is two.
    const same = JSON.stringify([link.file, link.line, link.source, link.target]);
    const index = seen.get(same) ?? 0;
    seen.set(same, index + 1);
    return [{ ...link, key: `${same} ${index}` }];
  });
}

function readMessage(problem: Problem): Omit<BrokenLink, "key"> | undefined {
  const { file, line, column, message, code } = problem;
  const place = { file, ...(line && { line }), ...(column && { column }) };
  const redirect = redirectMessage.exec(message);
  if (redirect !== null) {
    const [source, target] = [parse(redirect[1]), parse(redirect[2])];
    return { kind: "redirect", ...place, source, target };
  }
  const link = linkMessage.exec(message);
  if (link === null) return undefined;
  const target = parse(link[1]);
  if (code !== "anchor_broken") return { kind: "link", ...place, target };
  const anchorPage = pageInMessage.exec(message)?.[1] ?? pagePath(file);
  // The page at the address may be gone, which the first page of its folder now stands for.
  if (isBelowAddress(anchorPage, target)) return { kind: "link", ...place, target };
  const suggested = suggestion.exec(message)?.[1];
  return { kind: "anchor", ...place, target, anchorPage, ...(suggested && { suggested }) };
}

/** Whether a page lies in the folder that a link from the root names. */
function isBelowAddress(page: string, target: string): boolean {
  const { path } = splitAddress(target);
  return path.startsWith("/") && plainAddress(page).startsWith(`${plainAddress(path)}/`);
}

/** The messages write addresses as JSON. */
function parse(quoted: string | undefined): string {
  return JSON.parse(quoted ?? '""') as string;
}
