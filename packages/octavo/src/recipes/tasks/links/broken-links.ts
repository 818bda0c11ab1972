import { splitAddress } from "@octavo/site/text";
import { toPagePath } from "../../pages.ts";
import type { Problem } from "../../site-tools.ts";
import { normalizeAddress } from "../page-path.ts";

/** A link that the check reported as broken, parsed from the message. */
export interface BrokenLink {
  /** A key that stays the same in the next check, even if the link moves within its line. */
  readonly key: string;
  readonly kind: "link" | "anchor" | "redirect";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The original address in the file. */
  readonly target: string;
  /** For an anchor, the existing page that does not contain it. */
  readonly anchorPage?: string;
  /** The ID that the check itself suggests: the same except for case and punctuation, or the nearest one. */
  readonly suggested?: string;
  /** For a redirect, the address from which it redirects. */
  readonly source?: string;
}

/** The codes of problems that are broken links. */
export const brokenLinkCodes = ["link_broken", "redirect_broken", "anchor_broken"] as const;

const text = String.raw`("(?:[^"\\]|\\.){0,400}")`;
const linkMessage = new RegExp(`^The link ${text} (?:does not lead|points|in the configuration)`);
const redirectMessage = new RegExp(`^The redirect from ${text} to ${text} does not lead to`);
const pageInMessage = /that the page \/(.*?) does not have\./;
const suggestion = /does not have\. Did you mean "#([^"]*)"\?$/;

/** Parses the messages of problems. Skips messages in other forms and messages that shorten the link. */
export function parseBrokenLinks(problems: readonly Problem[]): BrokenLink[] {
  const seen = new Map<string, number>();
  return problems.flatMap((problem) => {
    const link = readMessage(problem);
    if (link === undefined || link.target.endsWith("…")) return [];
    // The same link may occur twice in a line.
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
  const anchorPage = pageInMessage.exec(message)?.[1] ?? toPagePath(file);
  // The page at the address may have been removed, so that the first page of its folder has replaced it.
  if (isBelowAddress(anchorPage, target)) return { kind: "link", ...place, target };
  const suggested = suggestion.exec(message)?.[1];
  return { kind: "anchor", ...place, target, anchorPage, ...(suggested && { suggested }) };
}

/** Reports whether a page is in the folder that a link from the root names. */
function isBelowAddress(page: string, target: string): boolean {
  const { path } = splitAddress(target);
  return path.startsWith("/") && normalizeAddress(page).startsWith(`${normalizeAddress(path)}/`);
}

/** Parses an address, which messages quote as JSON. */
function parse(quoted: string | undefined): string {
  return JSON.parse(quoted ?? '""') as string;
}
