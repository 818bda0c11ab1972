import { cleanRelativePath } from "../../core/index.ts";
import { hasWildcard } from "./schemas/redirect.ts";
import type { Redirect } from "./site.ts";

/** A source with wildcards: literal text around and between them. */
interface Pattern {
  /** One more than there are wildcards; the first and the last may be empty. */
  readonly literals: readonly string[];
  readonly wildcards: readonly Wildcard[];
  readonly destination: string;
}

interface Wildcard {
  /** `*` for one without a name. */
  readonly name: string;
  /** Takes any text, slashes and nothing included; else one whole segment. */
  readonly isLong: boolean;
}

/**
 * Gives for a path (without leading slash) the destination of the redirect that takes it: an exact one
 * first, then the first whose `:name`, `:name*` or `*` fit. Sources with a query or fragment never match.
 */
export function redirectMatcher(
  redirects: readonly Redirect[],
): (path: string) => string | undefined {
  const exact = exactRedirects(redirects);
  const patterns = redirects
    .filter(({ source }) => hasWildcard(source) && !/[?#]/.test(source))
    .map(({ source, destination }) => readPattern(trimSlashes(source), destination));
  return (path) => exact.get(path)?.destination ?? matchPatterns(path, patterns);
}

/** The redirects that stand for one address, the first of each, by its path: decoded, without slashes around. */
export function exactRedirects(redirects: readonly Redirect[]): ReadonlyMap<string, Redirect> {
  const exact = new Map<string, Redirect>();
  for (const redirect of redirects) {
    const path = hasWildcard(redirect.source) ? undefined : pathOf(redirect.source);
    if (path !== undefined && !exact.has(path)) exact.set(path, redirect);
  }
  return exact;
}

/** Undefined for a source that is no path of a site. */
function pathOf(source: string): string | undefined {
  if (/[?#]/.test(source)) return undefined;
  try {
    return cleanRelativePath(decodeURIComponent(source));
  } catch {
    // Not percent-encoded after all: the text is the path.
    return cleanRelativePath(source);
  }
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, "").replace(/\/$/, "");
}

const wildcard = /:([A-Za-z_]\w*)(\*?)|\*/g;

function readPattern(path: string, destination: string): Pattern {
  const literals: string[] = [];
  const wildcards: Wildcard[] = [];
  let end = 0;
  for (const match of path.matchAll(wildcard)) {
    const [text, name = "*", star = "*"] = match;
    literals.push(path.slice(end, match.index));
    wildcards.push({ name, isLong: star === "*" });
    end = match.index + text.length;
  }
  return { literals: [...literals, path.slice(end)], wildcards, destination };
}

function matchPatterns(path: string, patterns: readonly Pattern[]): string | undefined {
  for (const pattern of patterns) {
    // `docs/:slug*` takes `docs` itself too: its `*` means none or more segments.
    const values = matchPattern(path, pattern) ?? matchPattern(`${path}/`, pattern);
    if (values === undefined) continue;
    return pattern.destination.replaceAll(
      wildcard,
      (text, name: string = "*") => values.get(name) ?? text,
    );
  }
  return undefined;
}

/**
 * What each wildcard stands for. Each ends at the first place where the literal after it stands, without
 * trying others: linear, where a regular expression could be made to try for minutes.
 */
function matchPattern(path: string, pattern: Pattern): Map<string, string> | undefined {
  const { literals, wildcards } = pattern;
  const [first = ""] = literals;
  if (!path.startsWith(first)) return undefined;
  const values = new Map<string, string>();
  let at = first.length;
  for (const [index, { name, isLong }] of wildcards.entries()) {
    const next = literals[index + 1] ?? "";
    const isLast = index === wildcards.length - 1;
    const end = isLast ? path.length - next.length : path.indexOf(next, at);
    if (end < at || !path.startsWith(next, end)) return undefined;
    const value = path.slice(at, end);
    if (!isLong && (value === "" || value.includes("/"))) return undefined;
    values.set(name, value);
    at = end + next.length;
  }
  return values;
}
