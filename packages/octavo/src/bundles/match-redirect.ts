import { isPlaceholder, type RedirectRule, type RedirectRules } from "@octavo/site/core";

/** A rule that applies to a path, with the target that it leads to. */
export interface RedirectMatch {
  readonly rule: RedirectRule;
  /** An absolute URL, or a path with a single leading slash. May have a query and a fragment. */
  readonly target: string;
}

/**
 * Finds the first rule for a decoded path without leading and trailing slashes. Exact rules take precedence over
 * patterns.
 */
export function matchRedirect(
  { exact, patterns }: RedirectRules,
  path: string,
): RedirectMatch | undefined {
  const rule = exact.get(path);
  if (rule) return { rule, target: fillTarget(rule.target, new Map()) };
  const segments = path === "" ? [] : path.split("/");
  for (const pattern of patterns) {
    const values = matchSource(pattern.source, segments);
    if (values) return { rule: pattern, target: fillTarget(pattern.target, values) };
  }
  return undefined;
}

function matchSource(
  source: readonly string[],
  segments: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  const hasWildcard = source.at(-1) === "*";
  if (hasWildcard ? segments.length < source.length - 1 : segments.length !== source.length) {
    return undefined;
  }
  for (const [index, part] of source.entries()) {
    const segment = segments[index] ?? "";
    if (part === "*") values.set("splat", segments.slice(index).map(encodeURIComponent).join("/"));
    else if (isPlaceholder(part)) values.set(part.slice(1), encodeURIComponent(segment));
    else if (part !== segment) return undefined;
  }
  return values;
}

/** Fills in the placeholders. A path never begins with two slashes, which browsers would interpret as another host. */
function fillTarget(target: string, values: ReadonlyMap<string, string>): string {
  const filled = target.replace(
    /:([A-Za-z_]\w*)/g,
    (text, name: string) => values.get(name) ?? text,
  );
  return filled.startsWith("/") ? filled.replace(/^[/\\]+/, "/") : filled;
}
