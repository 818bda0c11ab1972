import type { RedirectRules } from "@octavo/site/core";
import {
  matchRedirect,
  type BundleEntry,
  type OpenBundle,
  type RedirectMatch,
} from "../bundles/index.ts";
import { findFile, type FoundFile } from "./find-file.ts";
import { formatPath, parseRequestTarget, type RequestPath } from "./request-path.ts";

/** The answer to a path of a bundle: a file, or a redirect to an address of the bundle or of another host. */
export type RoutedPath =
  | { readonly kind: "file"; readonly entry: BundleEntry }
  | {
      readonly kind: "redirect";
      readonly status: 301 | 302 | 303 | 307 | 308;
      /** An absolute URL, or a path in the bundle that begins with a single slash. */
      readonly target: string;
    };

/** The maximum length of a chain of redirects. A longer one is a loop, or ends in one. */
const maxHops = 10;
/** A file in every bundle that we render. */
const reportFile = "_octavo/report.json";

/**
 * Finds the answer to a path by the files of a bundle and the author's redirects. Returns undefined if there is none,
 * and for redirects that lead back to themselves.
 */
export function routePath(
  bundle: OpenBundle,
  rules: RedirectRules,
  path: RequestPath,
): RoutedPath | undefined {
  const routed = routeOnce(bundle, rules, path);
  return routed?.kind === "redirect" && isLoop(bundle, rules, routed.target) ? undefined : routed;
}

function routeOnce(
  bundle: OpenBundle,
  rules: RedirectRules,
  path: RequestPath,
): RoutedPath | undefined {
  const match = matchRedirect(rules, path.names.join("/"));
  if (match && isFirst(bundle, rules, match)) return followRule(bundle, match);
  const found = findFile(bundle, path);
  if (found) return toRoute(found);
  return match && followRule(bundle, match);
}

/**
 * Reports whether a rule comes before a file. In a bundle of ours the source of a rule without placeholders is never a
 * page, but there may be a file for hosts that do not read the rules.
 */
function isFirst(
  { entries }: OpenBundle,
  { exact }: RedirectRules,
  { rule }: RedirectMatch,
): boolean {
  return rule.isForced || (entries.has(reportFile) && exact.get(rule.source.join("/")) === rule);
}

function toRoute(found: FoundFile): RoutedPath {
  if (found.kind === "file") return found;
  return { kind: "redirect", status: 308, target: formatPath(found.names, found.isFolder) };
}

function followRule(bundle: OpenBundle, { rule, target }: RedirectMatch): RoutedPath | undefined {
  if (rule.status !== 200) return { kind: "redirect", status: rule.status, target };
  const path = parseTarget(target);
  const found = path && findFile(bundle, path);
  if (found?.kind !== "moved") return found;
  const moved = findFile(bundle, { ...found, hasEmptyNames: false });
  return moved?.kind === "file" ? moved : undefined;
}

function isLoop(bundle: OpenBundle, rules: RedirectRules, first: string): boolean {
  let target = first;
  for (let hops = 0; hops < maxHops; hops += 1) {
    const path = parseTarget(target);
    const routed = path && routeOnce(bundle, rules, path);
    if (routed?.kind !== "redirect") return false;
    target = routed.target;
  }
  return true;
}

/** Returns undefined for an address of another host. */
function parseTarget(target: string): RequestPath | undefined {
  if (!target.startsWith("/")) return undefined;
  const [path = ""] = target.split("#", 1);
  return parseRequestTarget(path).path;
}

/** Returns the address of a redirect with the query of the request, unless the target has its own. */
export function formatLocation(target: string, prefix: string, query: string): string {
  const hash = target.indexOf("#");
  const [address, fragment] = hash < 0 ? [target, ""] : [target.slice(0, hash), target.slice(hash)];
  const kept = address.includes("?") ? "" : query;
  const start = address.startsWith("/") ? prefix : "";
  // Characters that a header cannot have are encoded.
  return `${start}${address}${kept}${fragment}`.replace(/[^\x21-\x7e]/gu, (text) =>
    encodeURIComponent(text.toWellFormed()),
  );
}
