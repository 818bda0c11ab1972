import type { Redirect } from "../../site/site.ts";

/** A source with more wildcards is left to the server: matching must stay linear. */
const maxWildcards = 3;

interface Pattern {
  readonly source: RegExp;
  readonly names: readonly string[];
  readonly destination: string;
}

/**
 * Gives for a path (without leading slash) the destination of the redirect that takes it: an exact one
 * first, then the first whose `:name`, `:name*` or `*` fit. Sources with a query or fragment never match.
 */
export function redirectMatcher(
  redirects: readonly Redirect[],
): (path: string) => string | undefined {
  const exact = new Map<string, string>();
  const patterns: Pattern[] = [];
  for (const { source, destination } of redirects) {
    const path = trimSlashes(source);
    if (/[?#]/.test(path)) continue;
    if (!/[:*]/.test(path)) {
      if (!exact.has(path)) exact.set(path, destination);
      continue;
    }
    const pattern = readPattern(path, destination);
    if (pattern !== undefined) patterns.push(pattern);
  }
  return (path) => exact.get(path) ?? matchPattern(path, patterns);
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, "").replace(/\/$/, "");
}

const wildcard = /:([A-Za-z_]\w*)(\*?)|\*/g;

function readPattern(path: string, destination: string): Pattern | undefined {
  const names: string[] = [];
  let source = "";
  let end = 0;
  for (const match of path.matchAll(wildcard)) {
    const [text, name = "*", star = "*"] = match;
    const before = escapePattern(path.slice(end, match.index));
    end = match.index + text.length;
    source += placeholder(before, { isLong: star === "*", isLast: end === path.length });
    names.push(name);
  }
  if (names.length === 0 || names.length > maxWildcards) return undefined;
  source += escapePattern(path.slice(end));
  return { source: new RegExp(`^${source}$`), names, destination };
}

/** `docs/:slug*` takes `docs` itself too: the format's `*` means none or more segments. */
function placeholder(before: string, at: { isLong: boolean; isLast: boolean }): string {
  if (!at.isLong) return `${before}([^/]+)`;
  if (at.isLast && before.endsWith("/")) return `${before.slice(0, -1)}(?:/(.*))?`;
  return `${before}(.*)`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.+^$(){}|[\]\\?*]/g, String.raw`\$&`);
}

function matchPattern(path: string, patterns: readonly Pattern[]): string | undefined {
  for (const { source, names, destination } of patterns) {
    const match = source.exec(path);
    if (match === null) continue;
    const values = new Map(names.map((name, index) => [name, match[index + 1] ?? ""]));
    return destination.replaceAll(wildcard, (text, name: string = "*") => values.get(name) ?? text);
  }
  return undefined;
}
