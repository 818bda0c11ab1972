/** A redirect of a `_redirects` file. */
export interface RedirectRule {
  /** The decoded segments of the source. `*` matches the rest, and `:name` matches one segment. */
  readonly source: readonly string[];
  /** A path that begins with a slash, or an absolute URL. It may contain `:splat` and `:name`. */
  readonly target: string;
  /** 200 shows the target without changing the address. */
  readonly status: 200 | 301 | 302 | 303 | 307 | 308;
  /** Whether the rule also applies where there is a page. */
  readonly isForced: boolean;
}

export interface RedirectRules {
  /** Rules without placeholders by their source, as a path without slashes at its ends. */
  readonly exact: ReadonlyMap<string, RedirectRule>;
  readonly patterns: readonly RedirectRule[];
  /** Lines that were ignored, with the reason, at most `maxReported` of them. */
  readonly ignored: readonly IgnoredRule[];
  readonly ignoredCount: number;
}

export interface IgnoredRule {
  readonly line: number;
  readonly reason: string;
}

const maxExact = 2_000;
const maxPatterns = 100;
const maxReported = 100;
/** The maximum size of the file, in characters. */
const maxLength = 1024 * 1024;
const maxLineLength = 2_000;
const statuses: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308]);

/** Reads the content of a `_redirects` file. The first of several rules with the same source counts. */
export function parseRedirectRules(text: string): RedirectRules {
  const exact = new Map<string, RedirectRule>();
  const patterns: RedirectRule[] = [];
  const ignored: IgnoredRule[] = [];
  let ignoredCount = 0;
  const ignore = (line: number, reason: string) => {
    ignoredCount += 1;
    if (ignored.length < maxReported) ignored.push({ line, reason });
  };
  for (const [index, line] of text.slice(0, maxLength).split("\n").entries()) {
    const rule = parseRule(line);
    if (rule === undefined) continue;
    if (typeof rule === "string") ignore(index + 1, rule);
    else if (rule.source.some(isPlaceholder)) {
      if (patterns.length < maxPatterns) patterns.push(rule);
      else ignore(index + 1, `Only ${maxPatterns} rules may have placeholders.`);
    } else if (exact.size < maxExact) {
      const path = rule.source.join("/");
      if (!exact.has(path)) exact.set(path, rule);
    } else ignore(index + 1, `Only ${maxExact} rules may have no placeholders.`);
  }
  if (text.length > maxLength) ignore(0, "The file is too long, and its end was ignored.");
  return { exact, patterns, ignored, ignoredCount };
}

/** Returns the reason if the line cannot be used, and undefined if it has no rule. */
function parseRule(line: string): RedirectRule | string | undefined {
  if (line.length > maxLineLength) return "The line is too long.";
  const [from, to, status = "301", ...conditions] = line
    .replace(/(?:^|\s)#.*$/, "")
    .trim()
    .split(/\s+/);
  if (from === undefined || from === "") return undefined;
  if (to === undefined) return "The rule has no target.";
  if (conditions.length > 0) return "Conditions are not supported.";
  const [, code = "", force] = /^(\d{3})(!?)$/.exec(status) ?? [];
  if (!isStatus(Number(code))) return `The status ${JSON.stringify(status)} is not supported.`;
  const source = parseSource(from);
  if (typeof source === "string") return source;
  const isPath = /^\/(?![/\\])/.test(to);
  if (!isPath && !/^https?:\/\/[^/:*?#\s]+(?::\d+)?(?:[/?#]|$)/i.test(to)) {
    return "The target is neither a path nor an address of the web.";
  }
  if (Number(code) === 200 && !isPath) return "Only a path can be shown with status 200.";
  return {
    source,
    target: to,
    status: Number(code) as RedirectRule["status"],
    isForced: force === "!",
  };
}

function isStatus(code: number): boolean {
  return statuses.has(code);
}

function parseSource(from: string): readonly string[] | string {
  if (!from.startsWith("/")) return "The source is not a path.";
  const source = from
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodeSegment);
  const star = source.findIndex((segment) => segment.includes("*"));
  if (star >= 0 && (star !== source.length - 1 || source[star] !== "*")) {
    return "A * is supported only as the last part of the source.";
  }
  return source;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function isPlaceholder(segment: string): boolean {
  return segment === "*" || /^:[A-Za-z_]\w*$/.test(segment);
}

/** A rule that applies to a path, with the target that it leads to. */
export interface RedirectMatch {
  readonly rule: RedirectRule;
  /** An absolute URL, or a path with a single slash at its beginning. May have a query and a fragment. */
  readonly target: string;
}

/** Finds the first rule for a decoded path without slashes at its ends. Exact rules come before patterns. */
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
  const isOpen = source.at(-1) === "*";
  if (isOpen ? segments.length < source.length - 1 : segments.length !== source.length) {
    return undefined;
  }
  for (const [at, part] of source.entries()) {
    const segment = segments[at] ?? "";
    if (part === "*") values.set("splat", segments.slice(at).map(encodeURIComponent).join("/"));
    else if (isPlaceholder(part)) values.set(part.slice(1), encodeURIComponent(segment));
    else if (part !== segment) return undefined;
  }
  return values;
}

/** Fills the placeholders. A path never begins with two slashes, which browsers would read as another host. */
function fillTarget(target: string, values: ReadonlyMap<string, string>): string {
  const filled = target.replace(
    /:([A-Za-z_]\w*)/g,
    (text, name: string) => values.get(name) ?? text,
  );
  return filled.startsWith("/") ? filled.replace(/^[/\\]+/, "/") : filled;
}
