import type { RedirectRules } from "@octavo/site/core";
import {
  matchRedirect,
  type BundleEntry,
  type OpenBundle,
  type RedirectMatch,
} from "../bundles/index.ts";
import { formatPath, parseRequestTarget, type RequestPath } from "./request-path.ts";

/** The result of routing a path of a bundle: a file, or a redirect to an address in the bundle or on another host. */
type RoutedPath =
  | { readonly kind: "file"; readonly entry: BundleEntry }
  | {
      readonly kind: "redirect";
      readonly status: 301 | 302 | 303 | 307 | 308;
      /** An absolute URL, or a path in the bundle that begins with a single slash. */
      readonly target: string;
    };

/** The maximum length of a chain of redirects. A longer chain is treated as a loop. */
const maxHops = 10;
/** The path of a file by which bundles rendered by Octavo are recognized. */
const reportFile = "_octavo/report.json";

/**
 * Routes a path according to a bundle's files and the author's redirects. Returns undefined if nothing matches, and for
 * redirects that lead back to themselves.
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
  if (match && hasPrecedence(bundle, rules, match)) return followRule(bundle, match);
  const found = findFile(bundle, path);
  if (found) return toRoutedPath(found);
  return match && followRule(bundle, match);
}

/**
 * Reports whether a rule takes precedence over a file. In a bundle that Octavo rendered, the source of a rule without
 * placeholders is never a page, but a redirect page may exist there for hosts that do not support the rules.
 */
function hasPrecedence(
  { entries }: OpenBundle,
  { exact }: RedirectRules,
  { rule }: RedirectMatch,
): boolean {
  return rule.isForced || (entries.has(reportFile) && exact.get(rule.source.join("/")) === rule);
}

function toRoutedPath(found: FoundFile): RoutedPath {
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

/** Parses a redirect's target. Returns undefined for an address on another host. */
function parseTarget(target: string): RequestPath | undefined {
  if (!target.startsWith("/")) return undefined;
  const [path = ""] = target.split("#", 1);
  return parseRequestTarget(path).path;
}

/** The file at a path, or the path in the same version to which it redirects. */
type FoundFile =
  | { readonly kind: "file"; readonly entry: BundleEntry }
  | { readonly kind: "moved"; readonly names: readonly string[]; readonly isFolder: boolean };

/** Files of a bundle that hosts read but do not serve. */
const hiddenFiles: ReadonlySet<string> = new Set(["404.html", "_redirects", "_headers"]);

/**
 * Finds the file at a path. A page has one address: `x` for `x.html`, and `x/` for `x/index.html`. Its other addresses
 * redirect to that address.
 */
export function findFile({ entries }: OpenBundle, path: RequestPath): FoundFile | undefined {
  const { names, isFolder, hasEmptyNames } = path;
  const found = findByNames(entries, names, isFolder);
  return found?.kind === "file" && hasEmptyNames ? { kind: "moved", names, isFolder } : found;
}

function findByNames(
  entries: OpenBundle["entries"],
  names: readonly string[],
  isFolder: boolean,
): FoundFile | undefined {
  const name = names.join("/");
  if (isFolder || name === "") return findFolder(entries, names);
  if (hiddenFiles.has(name) || hiddenFiles.has(`${name}.html`)) return undefined;
  const entry = entries.get(name);
  if (entry) return findPageAddress(entries, names) ?? { kind: "file", entry };
  const page = entries.get(`${name}.html`);
  if (page && names.at(-1) === "index") {
    return { kind: "moved", names: names.slice(0, -1), isFolder: true };
  }
  if (page) return { kind: "file", entry: page };
  return entries.has(`${name}/index.html`) ? { kind: "moved", names, isFolder: true } : undefined;
}

function findFolder(
  entries: OpenBundle["entries"],
  names: readonly string[],
): FoundFile | undefined {
  const name = names.join("/");
  const index = entries.get(name === "" ? "index.html" : `${name}/index.html`);
  if (index) return { kind: "file", entry: index };
  const isFile = name !== "" && (entries.has(`${name}.html`) || entries.has(name));
  return isFile && !hiddenFiles.has(name) ? { kind: "moved", names, isFolder: false } : undefined;
}

/**
 * Finds the address of a page that was requested by its file name. Returns undefined for files that have no address
 * other than their path.
 */
function findPageAddress(
  entries: OpenBundle["entries"],
  names: readonly string[],
): FoundFile | undefined {
  const last = names.at(-1) ?? "";
  const folder = names.slice(0, -1);
  if (last === "index.html") return { kind: "moved", names: folder, isFolder: true };
  const name = /^(.+)\.html$/.exec(last)?.[1];
  if (name === undefined || entries.has([...folder, name].join("/"))) return undefined;
  return { kind: "moved", names: [...folder, name], isFolder: false };
}

/** Returns the decoded path at which a page is shown, without a leading slash. */
export function getPagePath(file: string): string {
  return file.replace(/(^|\/)index\.html$|\.html$/, "$1");
}
