/** A redirect in a `_redirects` file, in the format of Netlify and other hosts. */
export interface RedirectRule {
  readonly line: number;
  /** The source as authored: a path that begins with a slash. */
  readonly from: string;
  /** The decoded segments of the source. `*` matches all remaining segments, and `:name` matches one segment. */
  readonly source: readonly string[];
  /** The target: a path that begins with a slash, or an absolute URL. It may contain `:splat` and `:name`. */
  readonly target: string;
  /** The status of the response. 200 shows the target without changing the address. */
  readonly status: 200 | 301 | 302 | 303 | 307 | 308;
  /** Whether the rule also applies if there is a page at the source path. */
  readonly isForced: boolean;
}

export interface RedirectRules {
  /** Rules without placeholders, keyed by the source path without leading and trailing slashes. */
  readonly exact: ReadonlyMap<string, RedirectRule>;
  readonly patterns: readonly RedirectRule[];
  /** Lines that were ignored, with the reason, at most `maxReportedLines` of them. */
  readonly ignored: readonly IgnoredRule[];
  readonly ignoredCount: number;
}

interface IgnoredRule {
  readonly line: number;
  readonly reason: string;
}

/** The maximum number of rules that are used, as on Cloudflare Pages. */
export const redirectRuleLimits = { exact: 2_000, patterns: 100 } as const;
const maxReportedLines = 100;
/** The maximum size of the file, in characters. */
const maxLength = 1024 * 1024;
const maxLineLength = 2_000;
const statuses: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308]);

/** Parses the content of a `_redirects` file. If several rules have the same source, the first one applies. */
export function parseRedirectRules(text: string): RedirectRules {
  const exact = new Map<string, RedirectRule>();
  const patterns: RedirectRule[] = [];
  const ignored: IgnoredRule[] = [];
  let ignoredCount = 0;
  const ignore = (line: number, reason: string) => {
    ignoredCount += 1;
    if (ignored.length < maxReportedLines) ignored.push({ line, reason });
  };
  for (const [index, line] of text.slice(0, maxLength).split("\n").entries()) {
    const rule = parseRule(line, index + 1);
    if (rule === undefined) continue;
    const path = typeof rule === "string" ? "" : rule.source.join("/");
    if (typeof rule === "string") ignore(index + 1, rule);
    else if (rule.source.some(isPlaceholder)) {
      if (patterns.length < redirectRuleLimits.patterns) patterns.push(rule);
      else ignore(index + 1, `Only ${redirectRuleLimits.patterns} rules may have placeholders.`);
    } else if (exact.has(path)) {
      ignore(index + 1, "An earlier line has the same source.");
    } else if (exact.size < redirectRuleLimits.exact) exact.set(path, rule);
    else
      ignore(
        index + 1,
        `At most ${redirectRuleLimits.exact} rules without placeholders are allowed.`,
      );
  }
  if (text.length > maxLength) ignore(0, "The file is too long, and its end was ignored.");
  return { exact, patterns, ignored, ignoredCount };
}

/** Returns the rule in a line, the reason why the line cannot be used, or undefined if it contains no rule. */
function parseRule(line: string, number: number): RedirectRule | string | undefined {
  if (line.length > maxLineLength) return "The line is too long.";
  const [from, to, status = "301", ...conditions] = line
    .replace(/(?:^|\s)#.*$/, "")
    .trim()
    .split(/\s+/);
  if (from === undefined || from === "") return undefined;
  if (to === undefined) return "The rule has no target.";
  if (conditions.length > 0) return "Conditions are not supported.";
  const [, code = "", forceMark] = /^(\d{3})(!?)$/.exec(status) ?? [];
  if (!isStatus(Number(code))) return `The status ${JSON.stringify(status)} is not supported.`;
  const source = parseSource(from);
  if (typeof source === "string") return source;
  const isPath = /^\/(?![/\\])/.test(to);
  if (!isPath && !/^https?:\/\/[^/:*?#\s]+(?::\d+)?(?:[/?#]|$)/i.test(to)) {
    return "The target is neither a path nor a web address.";
  }
  if (Number(code) === 200 && !isPath)
    return "The target of a rule with status 200 must be a path.";
  return {
    line: number,
    from,
    source,
    target: to,
    status: Number(code) as RedirectRule["status"],
    isForced: forceMark === "!",
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
  const starIndex = source.findIndex((segment) => segment.includes("*"));
  if (starIndex >= 0 && (starIndex !== source.length - 1 || source[starIndex] !== "*")) {
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

/** Reports whether a segment of a source is a placeholder, which can match other segments. */
export function isPlaceholder(segment: string): boolean {
  return segment === "*" || /^:[A-Za-z_]\w*$/.test(segment);
}
