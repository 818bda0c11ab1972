import { encodePath } from "../core/index.ts";
import { hasWildcard, wildcardPattern, type Site, type SiteRedirect } from "../site/index.ts";
import type { FindTarget, RedirectTarget } from "./redirect-target.ts";

export interface HostRedirectContext {
  /** Paths of the site's pages. */
  readonly pages: ReadonlySet<string>;
  readonly find: FindTarget;
  readonly addresses: Site["addresses"];
  readonly baseUrl: string | undefined;
}

/**
 * A line of `_redirects`, in the format of Netlify and others: a placeholder is a whole segment of the path, and one
 * `*` is allowed at the end. A comment if the format cannot express the redirect; undefined if its source is a page.
 */
export function hostRedirect(
  redirect: SiteRedirect,
  { pages, find, addresses, baseUrl }: HostRedirectContext,
): string | undefined {
  const source = redirect.source.replace(/^\/+|\/+$/g, "");
  if (pages.has(source)) return undefined;
  const from = `/${source}`.replace(restPattern, "*");
  const authored = encodeSpaces(redirect.source);
  if (!isExpressible(from)) return `# ${authored} cannot be written in this format`;
  const prefix = basePath(baseUrl);
  const target = hasWildcard(from) ? redirect.destination : find(redirect.destination);
  if (target === undefined) return `# ${authored} leads back to where it began`;
  const to =
    typeof target === "string"
      ? wildcardTarget(target, prefix)
      : exactTarget(target, { addresses, prefix });
  const status = redirect.permanent ? 301 : 302;
  return `${prefix}${encodeSpaces(from)} ${encodeSpaces(to)} ${status}`;
}

const restPattern = /:[A-Za-z_]\w*\*/g;

function isExpressible(from: string): boolean {
  const star = from.indexOf("*");
  const parts = new Set(from.split("/"));
  return (
    (star === -1 || star === from.length - 1) &&
    (from.match(wildcardPattern) ?? []).every((wildcard) => wildcard === "*" || parts.has(wildcard))
  );
}

function wildcardTarget(destination: string, prefix: string): string {
  const to = destination.replace(restPattern, "*").replaceAll("*", ":splat");
  const isOutside = /^[a-z][a-z\d+.-]*:|^\/\//i.test(to);
  return isOutside ? to : `${prefix}/${to.replace(/^\/+/, "")}`;
}

function exactTarget(
  target: RedirectTarget,
  { addresses, prefix }: Pick<Site, "addresses"> & { readonly prefix: string },
): string {
  if (target.type === "outside") return target.href;
  const { file, suffix } = target;
  const path = addresses === "folder" ? file.replace(/(^|\/)index\.html$/, "$1") : file;
  return `${prefix}/${encodePath(path)}${suffix}`;
}

/** The path of the base URL: every path of the bundle begins with it on its host. */
function basePath(baseUrl: string | undefined): string {
  const path = baseUrl === undefined ? undefined : URL.parse(baseUrl)?.pathname;
  return (path ?? "").replace(/\/+$/, "");
}

/** Spaces separate the fields of a line. */
function encodeSpaces(text: string): string {
  return text.toWellFormed().replace(/\s/g, encodeURIComponent);
}
