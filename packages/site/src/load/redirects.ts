import {
  isOctavoError,
  limits,
  parseRedirectRules,
  redirectRuleLimits,
  type ProblemLocation,
  type ProblemLog,
} from "../core/index.ts";
import { hasWildcard, stripBasePaths, type SiteRedirect } from "../site/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  findJsonText,
  locateJsonNode,
  splitAddress,
  type JsonNode,
} from "../text/index.ts";
import type { TextReader } from "./read-text.ts";

/**
 * The file in which some hosts, and published sites, look for redirects. Its rules come after the rules of `docs.json`.
 */
export const redirectsFile = "_redirects";

/** Reads the redirects of the site's own `_redirects`. Reports the lines that cannot be used. */
export async function readRedirectsFile(
  read: TextReader,
  problems: ProblemLog,
): Promise<readonly SiteRedirect[]> {
  let text: string;
  try {
    text = await read(redirectsFile, limits.configBytes);
  } catch (error) {
    if (isOctavoError(error, "not_found")) return [];
    const reason = error instanceof Error ? error.message : String(error);
    problems.warn("redirect_unused", `The redirects are ignored: ${reason}`, { file: redirectsFile }); // prettier-ignore
    return [];
  }
  const { exact, patterns, ignored, ignoredCount } = parseRedirectRules(text);
  for (const { line, reason } of ignored) {
    const message = `This redirect is ignored: ${reason}`;
    problems.warn("redirect_unused", message, { file: redirectsFile, line, column: 1 });
  }
  if (ignoredCount > ignored.length) {
    const message = `${ignoredCount - ignored.length} more redirects are ignored.`;
    problems.warn("redirect_unused", message, { file: redirectsFile });
  }
  return [...exact.values(), ...patterns]
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, from, target, status, isForced }) => ({
      source: from,
      destination: target.replaceAll(":splat", "*"),
      permanent: status === 301 || status === 308,
      rule: { line, status, isForced },
    }));
}

interface RedirectOptions {
  /** The configuration, which lists redirects. */
  readonly node: JsonNode | undefined;
  readonly problems: ProblemLog;
  readonly isPage: (path: string) => boolean;
  /** The base paths (`Site.basePaths`) that are not also folders of the site. */
  readonly basePaths: readonly string[];
}

/**
 * Selects the usable redirects: the first redirect for each source, except a redirect to itself or from an existing
 * page, which the redirect would hide. Reports the others. Removes base paths from the addresses of redirects. Omits a
 * redirect that only adds or removes a base path, because it has no effect in the bundle.
 */
export function selectRedirects(
  redirects: readonly SiteRedirect[],
  { node, problems, isPage, basePaths }: RedirectOptions,
): SiteRedirect[] {
  const list = findJsonMembers(node)?.get("redirects");
  const file = list?.source.file ?? redirectsFile;
  const locate = createLocator(list, file);
  const sources = new Set<string>();
  const usable: SiteRedirect[] = [];
  let wildcards = 0;
  for (const [index, authored] of redirects.entries()) {
    if (index >= limits.redirects) {
      const message = `Only the first ${limits.redirects} redirects are used; there are ${redirects.length}.`;
      problems.fail("redirect_limit", message, { file });
      break;
    }
    const redirect = removeBasePath(authored, basePaths);
    const source = trimOuterSlashes(redirect.source);
    const position = locate(authored);
    if (redirect.authored && source === trimOuterSlashes(redirect.destination)) continue;
    if (hasWildcard(source)) wildcards += 1;
    const fault = findRedirectFault(redirect, {
      isRepeated: sources.has(source),
      isPage: isPage(source) && authored.rule?.isForced !== true,
      wildcards,
    });
    sources.add(source);
    if (fault === undefined) usable.push(redirect);
    else {
      const message = `The redirect from ${authored.source} ${fault}.`;
      problems.warn("redirect_unused", message, position);
    }
  }
  warnOfHostLimits(usable, { file, problems });
  return usable;
}

/** Creates a function that locates redirects. The function must be called once for each redirect, in order. */
function createLocator(
  list: JsonNode | undefined,
  file: string,
): (redirect: SiteRedirect) => ProblemLocation {
  const nodes = Map.groupBy(
    (findJsonItems(list) ?? []).map((item) => findJsonMembers(item)?.get("source")),
    (item) => findJsonText(item)?.trim(),
  );
  return (redirect) => {
    const node = redirect.rule ? undefined : nodes.get(redirect.source.trim())?.shift();
    return node ? locateJsonNode(node) : locateRedirect(redirect, file);
  };
}

/** Returns the location of a redirect whose node in the configuration is not known. */
export function locateRedirect({ rule }: SiteRedirect, configFile: string): ProblemLocation {
  return rule ? { file: redirectsFile, line: rule.line, column: 1 } : { file: configFile };
}

/** Reports redirects beyond the maximum number that hosts and published sites apply themselves. */
function warnOfHostLimits(
  redirects: readonly SiteRedirect[],
  { file, problems }: { readonly file: string; readonly problems: ProblemLog },
): void {
  const patterns = redirects.filter(({ source }) => hasWildcard(source)).length;
  const counts = [
    { count: redirects.length - patterns, limit: redirectRuleLimits.exact, kind: "without", way: "through a page at the old address" },
    { count: patterns, limit: redirectRuleLimits.patterns, kind: "with", way: "only in browsers that run scripts" },
  ] as const; // prettier-ignore
  for (const { count, limit, kind, way } of counts) {
    if (count <= limit) continue;
    const message = `Published sites and many hosts use the first ${limit} redirects ${kind} wildcards. The other ${count - limit} work ${way}.`;
    problems.warn("redirect_limit", message, { file });
  }
}

function removeBasePath(redirect: SiteRedirect, basePaths: readonly string[]): SiteRedirect {
  if (basePaths.length === 0) return redirect;
  const strip = (address: string) => {
    const { path, suffix } = splitAddress(address);
    const [stripped] = path.startsWith("/")
      ? stripBasePaths(trimOuterSlashes(path), basePaths)
      : [];
    return stripped === undefined ? address : `/${stripped}${suffix}`;
  };
  const { source, destination } = redirect;
  const relocated = { ...redirect, source: strip(source), destination: strip(destination) };
  const isSame = relocated.source === source && relocated.destination === destination;
  return isSame ? redirect : { ...relocated, authored: { source, destination } };
}

function findRedirectFault(
  redirect: SiteRedirect,
  context: { readonly isRepeated: boolean; readonly isPage: boolean; readonly wildcards: number },
): string | undefined {
  const source = trimOuterSlashes(redirect.source);
  if (source === trimOuterSlashes(redirect.destination)) return "points to itself";
  if (context.isPage) return "is ignored: there is a page at that address";
  if (context.isRepeated) return "is repeated; only the first is used";
  if (context.wildcards > limits.wildcardRedirects && hasWildcard(source)) {
    return `exceeds the limit of ${limits.wildcardRedirects} redirects with wildcards and is ignored`;
  }
  return undefined;
}

function trimOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}
