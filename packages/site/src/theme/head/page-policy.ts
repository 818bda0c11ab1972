import { joinAttributes, buildVoidTag, type Html } from "../../markup/index.ts";
import type { PageContent } from "../../page/index.ts";
import { normalizeRemoteAddress, type Site } from "../../site/index.ts";
import type { LayoutOptions } from "../layout-options.ts";

/** Content on other hosts that a page shows because the bundle has no copy. */
export interface PageRemoteContent {
  readonly hasMedia: boolean;
  /** The origins of the frames that are loaded when the reader requests them. */
  readonly frameOrigins: readonly string[];
}

export function findRemoteContent({
  references,
  scripts,
}: Pick<PageContent, "references" | "scripts">): PageRemoteContent {
  const remoteReferences = references.flatMap(({ kind, target }) => {
    const address = kind === "link" ? undefined : normalizeRemoteAddress(target);
    return address === undefined ? [] : [{ kind, address }];
  });
  const frames = remoteReferences.filter(({ kind }) => kind === "frame");
  return {
    // The content that components show later is unknown, but their code may contain its addresses.
    hasMedia:
      remoteReferences.length > frames.length ||
      scripts.some(({ text }) => /https?:\/\//.test(text)),
    frameOrigins: [...new Set(frames.map(({ address }) => new URL(address).origin))].toSorted(),
  };
}

/**
 * The sources of the bundle itself. `file:` is the origin of a page opened with a double click. The last two sources
 * represent content that the page itself contains.
 */
const ownSources = "'self' file: data: blob:";

/**
 * Returns the policy that the browser enforces, which also applies to the site's own styles and scripts. Content is
 * loaded only from hosts that the bundle's owner named, except for images, audio and video if the page shows any media
 * from other hosts. These media may come from any host, because many hosts redirect readers to a different host. If the
 * site has no scripts of its own, only the bundle's scripts may run. Otherwise, scripts that the site's scripts write
 * into the page may also run.
 */
export function renderPolicy(
  { scripts }: Site,
  options: LayoutOptions,
  page: PageRemoteContent,
): Html {
  const keepsRemoteContent = options.findCopy === undefined;
  const allowedOrigins = (options.remoteOrigins ?? []).flatMap((origin) => [
    origin,
    // A source with the scheme `https` does not allow `wss`.
    origin.replace(/^http/, "ws"),
  ]);
  const showsMedia = keepsRemoteContent && (page.hasMedia || options.hasRemoteImages === true);
  const frames = keepsRemoteContent ? page.frameOrigins : [];
  const script =
    scripts.length === 0
      ? `'self' file: '${options.firstScript.hash}'`
      : `${ownSources} ${anyScript}`;
  const directives: readonly (readonly [name: string, ...sources: readonly string[]])[] = [
    ["default-src", ownSources, ...allowedOrigins],
    ["script-src", script, ...allowedOrigins],
    ["style-src", ownSources, "'unsafe-inline'", ...allowedOrigins],
    ...(showsMedia ? mediaDirectives : []),
    ...(frames.length > 0
      ? [["frame-src", ownSources, ...allowedOrigins, ...frames] as const]
      : []),
  ];
  const content = directives.map((parts) => parts.join(" ")).join("; ");
  return buildVoidTag("meta", joinAttributes({ "http-equiv": "Content-Security-Policy", content }));
}

const anyScript = "'unsafe-inline' 'unsafe-eval'";
const anyMedia = `${ownSources} https: http:`;
const mediaDirectives = [
  ["img-src", anyMedia],
  ["media-src", anyMedia],
] as const;
