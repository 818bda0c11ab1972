import { cleanRelativePath } from "../../core/index.ts";
import { hasWildcard, wildcardPattern } from "../site/schemas/redirect.ts";
import type { Redirect, Site } from "../site/site.ts";

/**
 * A redirect with wildcards, for `String.replace`: `pattern` is the source of a RegExp that matches a
 * whole path with its leading slash and without a slash at the end, `destination` the replacement
 * with `$1`, `$2`.
 */
export interface RedirectRule {
  readonly pattern: string;
  readonly destination: string;
}

/** The site's redirects with wildcards, in the order in which they are tried. The page for 404 applies them. */
export function redirectRules(site: Site): RedirectRule[] {
  return site.redirects.filter(({ source }) => hasWildcard(source)).map(ruleOf);
}

/** Path to destination of the redirects that stand for one address; the path is clean and without slashes around. */
export function exactRedirects(site: Site): ReadonlyMap<string, Redirect> {
  const exact = new Map<string, Redirect>();
  for (const redirect of site.redirects) {
    const path = hasWildcard(redirect.source) ? undefined : sourcePath(redirect.source);
    if (path !== undefined && !exact.has(path)) exact.set(path, redirect);
  }
  return exact;
}

/**
 * A function from a path of the site (`guides/old`, clean) to where the site's redirects send its
 * reader: the destination as authored, wildcards filled in; undefined where no redirect applies.
 */
export function createRedirectResolver(site: Site): (path: string) => string | undefined {
  const exact = exactRedirects(site);
  const rules = redirectRules(site).map((rule) => ({ ...rule, regexp: new RegExp(rule.pattern) }));
  return (path) => {
    const redirect = exact.get(path);
    if (redirect) return redirect.destination;
    const address = `/${path}`;
    const rule = rules.find(({ regexp }) => regexp.test(address));
    return rule && address.replace(rule.regexp, rule.destination);
  };
}

/** The path that a source without wildcards stands for, decoded; undefined where it is none. */
function sourcePath(source: string): string | undefined {
  try {
    return cleanRelativePath(decodeURIComponent(source));
  } catch {
    return cleanRelativePath(source);
  }
}

function ruleOf({ source, destination }: Redirect): RedirectRule {
  const groups = new Map<string, number>();
  const stars: number[] = [];
  let count = 0;
  const path = `/${source.replace(/^\/+|\/+$/g, "")}`;
  const pattern = replaceWildcards(path, escapePattern, (wildcard) => {
    count += 1;
    if (wildcard === "*") stars.push(count);
    else groups.set(nameOf(wildcard), count);
    return wildcard.endsWith("*") ? "(.*)" : "([^/]+)";
  });
  const filled = replaceWildcards(destination, escapeReplacement, (wildcard) => {
    const group = wildcard === "*" ? stars.shift() : groups.get(nameOf(wildcard));
    return group === undefined ? escapeReplacement(wildcard) : `$${group}`;
  });
  // `/docs/:slug*` also stands for `/docs`.
  return { pattern: `^${pattern.replace(/\/\(\.\*\)$/, "(?:/(.*))?")}$`, destination: filled };
}

function nameOf(wildcard: string): string {
  return wildcard.replace(/\*$/, "");
}

function replaceWildcards(
  text: string,
  escape: (literal: string) => string,
  replace: (wildcard: string) => string,
): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(wildcardPattern)) {
    parts.push(escape(text.slice(end, match.index)), replace(match[0]));
    end = match.index + match[0].length;
  }
  parts.push(escape(text.slice(end)));
  return parts.join("");
}

function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function escapeReplacement(literal: string): string {
  return literal.replaceAll("$", "$$$$");
}
