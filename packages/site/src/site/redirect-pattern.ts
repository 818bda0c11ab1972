/**
 * Sources of redirects with wildcards, as the exporter and the bundle's own 404 page match them: this module
 * runs in both, and imports nothing.
 */

/** Literal text around and between the wildcards of a source. */
export interface RedirectPattern {
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

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, "").replace(/\/$/, "");
}

/** What stands for a part of an address: `:slug*` and `*` for the rest, `:name` for one part of the path. */
export const wildcardPattern = /:([A-Za-z_]\w*)(\*?)|\*/g;

/** Whether the source stands for more than one address. */
export function hasWildcard(source: string): boolean {
  return source.search(wildcardPattern) !== -1;
}

/** A source with `:name`, `:name*` or `*`; slashes around it mean nothing. */
export function readPattern(source: string, destination: string): RedirectPattern {
  const path = trimSlashes(source);
  const literals: string[] = [];
  const wildcards: Wildcard[] = [];
  let end = 0;
  for (const match of path.matchAll(wildcardPattern)) {
    const [text, name = "*", star = "*"] = match;
    literals.push(path.slice(end, match.index));
    wildcards.push({ name, isLong: star === "*" });
    end = match.index + text.length;
  }
  return { literals: [...literals, path.slice(end)], wildcards, destination };
}

/** The destination, filled in, of the first that takes the path (without leading slash). */
export function matchPatterns(
  path: string,
  patterns: readonly RedirectPattern[],
): string | undefined {
  for (const pattern of patterns) {
    // `docs/:slug*` takes `docs` itself too: its `*` means none or more segments.
    const values = matchPattern(path, pattern) ?? matchPattern(`${path}/`, pattern);
    if (values === undefined) continue;
    return pattern.destination.replaceAll(
      wildcardPattern,
      (text, name: string = "*") => values.get(name) ?? text,
    );
  }
  return undefined;
}

/**
 * What each wildcard stands for. Each ends at the first place where the literal after it stands, without
 * trying others: linear, where a regular expression could be made to try for minutes.
 */
function matchPattern(
  path: string,
  pattern: RedirectPattern,
): Map<string, string> | undefined {
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
