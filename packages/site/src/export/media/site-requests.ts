import { readFile, stat } from "node:fs/promises";
import { isAllowedAddress, limits, resolveRealPath } from "../../core/index.ts";
import type { Problem } from "../../core/index.ts";
import type { RemoteRequest } from "../../outputs/index.ts";
import type { Site } from "../../site/index.ts";
import { findCssAddresses } from "../../text/index.ts";
import type { PageSettings } from "../export-settings.ts";

/** A remote address in one of the site's own files. */
export interface SiteRequest extends RemoteRequest {
  readonly line: number;
  readonly column: number;
  /** False for an address in a script if the script may only link to it. */
  readonly isLoaded: boolean;
}

/** Maximum number of addresses listed per file. */
const maxListedAddresses = 200;
/** Maximum number of problems reported per file. */
const maxReportedProblems = 20;

/**
 * Returns the remote addresses in the site's own style sheets and scripts, in order: the addresses that style sheets
 * import or show, then the addresses in scripts. Copies of the files keep these addresses. Never fails: a file that
 * cannot be read yields no addresses.
 */
export async function readSiteRequests(
  site: Pick<Site, "root" | "styles" | "scripts">,
  { remoteOrigins, remoteMedia }: Pick<PageSettings, "remoteOrigins" | "remoteMedia">,
): Promise<readonly SiteRequest[]> {
  const requests: SiteRequest[] = [];
  const isBlocked = ({ kind, address }: FoundAddress): boolean =>
    !(kind === "picture" && remoteMedia === "keep") && !isAllowedAddress(address, remoteOrigins);
  const readAll = async (files: readonly string[], find: FindAddresses): Promise<void> => {
    for (const file of files) {
      const text = await readOwnFile(site.root, file);
      const positionOf = createPositionFinder(text);
      for (const found of find(text).slice(0, maxListedAddresses)) {
        const { kind, address, at, isLoaded } = found;
        const blocked = isBlocked(found);
        requests.push({ kind, address, file, ...positionOf(at), blocked, isLoaded });
      }
    }
  };
  await readAll(site.styles, listStyleAddresses);
  await readAll(site.scripts, listScriptAddresses);
  return requests;
}

/** Returns problems for the addresses that these files load although pages are not allowed to load them. */
export function listSiteRequestProblems(requests: readonly SiteRequest[]): Problem[] {
  const counts = new Map<string, number>();
  return requests.flatMap(({ isLoaded, kind, ...request }) => {
    const { address, file, line, column } = request;
    const count = (counts.get(file) ?? 0) + 1;
    const isReported = kind === "picture" || request.blocked;
    if (!isReported || !isLoaded || count > maxReportedProblems) return [];
    counts.set(file, count);
    const position = { severity: "warning", file, line, column } as const;
    const code = kind === "script" ? "script_from_elsewhere" : "style_from_elsewhere";
    const name = kind === "script" ? "This script" : "This style sheet";
    const advice =
      kind === "picture"
        ? "put the file into the site."
        : `browsers block it. Put the file into the site, or export with --remote-scripts ${getHost(address)}.`;
    return [
      { ...position, code, message: `${name} loads ${address} from another host; ${advice}` },
    ];
  });
}

interface FoundAddress {
  readonly kind: RemoteRequest["kind"];
  readonly address: string;
  /** Offset in the text. */
  readonly at: number;
  readonly isLoaded: boolean;
}

type FindAddresses = (text: string) => readonly FoundAddress[];

function listStyleAddresses(css: string): FoundAddress[] {
  return findCssAddresses(css).flatMap(({ kind, target, start }) => {
    if (!/^\s*(?:https?:)?\/\//i.test(target)) return [];
    const requestKind = kind === "import" ? "style" : kind;
    return [{ kind: requestKind, address: target.trim(), at: start, isLoaded: true }];
  });
}

const scriptAddress =
  /(["'`])((?:(?:https?|wss?):)?\\?\/\\?\/[a-z\d][a-z\d-]*\.[^\s"'`<>\\]{1,200})/gi;
/** Matches the end of the code before an address that is loaded. */
const loadingCode =
  /(?:\bsrc\s*[=:]|\b(?:fetch|import|importScripts|sendBeacon|WebSocket|EventSource|Worker)\s*\(|\bfrom|\bimport|\.open\(\s*["'`]\w+["'`]\s*,)\s*$/;
/** XML namespaces, which are names rather than addresses. */
const namespace = /^(?:https?:)?\/\/(?:www\.)?w3\.org\//i;

function listScriptAddresses(text: string): FoundAddress[] {
  return Array.from(text.matchAll(scriptAddress), ({ 2: found = "", index }): FoundAddress => {
    const isLoaded = loadingCode.test(text.slice(Math.max(0, index - 60), index));
    return { kind: "script", address: found.replaceAll("\\", ""), at: index + 1, isLoaded };
  }).filter(({ address }) => !namespace.test(address));
}

/** Creates a function that converts offsets to positions. It must be called with ascending offsets. */
function createPositionFinder(text: string) {
  let [line, lineStart, end] = [1, 0, text.indexOf("\n")];
  return (at: number): { readonly line: number; readonly column: number } => {
    while (end !== -1 && end < at) {
      [line, lineStart] = [line + 1, end + 1];
      end = text.indexOf("\n", lineStart);
    }
    return { line, column: at - lineStart + 1 };
  };
}

function getHost(address: string): string {
  return URL.parse(address, "https://localhost")?.host ?? address;
}

/** Reads a file. Returns an empty string if it cannot be read; the failure is reported when the file is copied. */
async function readOwnFile(root: string, path: string): Promise<string> {
  try {
    const file = await resolveRealPath(root, path);
    const { size } = await stat(file);
    return size > limits.pageBytes ? "" : await readFile(file, "utf8");
  } catch {
    return "";
  }
}
