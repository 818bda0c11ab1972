/**
 * Matches redirect sources with wildcards. This module runs both in the exporter and in the bundle's 404 page, so it
 * must not import anything.
 */

/** A parsed source with wildcards and its destination. */
interface RedirectPattern {
  /**
   * The literal text before, between and after the wildcards, which may be empty. There is one more literal than there
   * are wildcards.
   */
  readonly literals: readonly string[];
  readonly wildcards: readonly Wildcard[];
  readonly destination: string;
}

interface Wildcard {
  /** The wildcard's name, or `*` if it has none. */
  readonly name: string;
  /**
   * Whether the wildcard matches any text, including empty text and slashes. Otherwise, it matches exactly one segment.
   */
  readonly isLong: boolean;
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, "").replace(/\/$/, "");
}

/** Matches a wildcard in a source. `:slug*` and `*` match any text; `:name` matches one segment of the path. */
export const wildcardPattern = /:([A-Za-z_]\w*)(\*?)|\*/g;

/** Reports whether the source has a wildcard. */
export function hasWildcard(source: string): boolean {
  return source.search(wildcardPattern) !== -1;
}

/** Parses a source with `:name`, `:name*` or `*`. Leading and trailing slashes are ignored. */
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

/**
 * Returns the destination of the first pattern that matches the path (without a leading slash), with the values of the
 * wildcards inserted. Returns undefined if no pattern matches.
 */
export function matchPatterns(
  path: string,
  patterns: readonly RedirectPattern[],
): string | undefined {
  for (const pattern of patterns) {
    // `docs/:slug*` also matches `docs`, because its `*` means zero or more segments.
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
 * Returns the values of the wildcards, keyed by name, or undefined if the path does not match. A wildcard ends at the
 * first occurrence of the literal after it. Because there is no backtracking, the time is linear, unlike that of a
 * regular expression.
 */
function matchPattern(path: string, pattern: RedirectPattern): Map<string, string> | undefined {
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
