import { joinAttributes, buildVoidTag, type Html } from "../../markup/index.ts";
import type { PageContent } from "../../page/index.ts";
import { normalizeRemoteAddress, type Site } from "../../site/index.ts";
import type { LayoutOptions } from "../layout-options.ts";

/** Content of other hosts that a page shows because the bundle has no copy. */
export interface PageRemoteContent {
  readonly hasMedia: boolean;
  /** The origins of the frames that load on the reader's request. */
  readonly frameOrigins: readonly string[];
}

export function findRemoteContent({
  references,
  scripts,
}: Pick<PageContent, "references" | "scripts">): PageRemoteContent {
  const found = references.flatMap(({ kind, target }) => {
    const address = kind === "link" ? undefined : normalizeRemoteAddress(target);
    return address === undefined ? [] : [{ kind, address }];
  });
  const frames = found.filter(({ kind }) => kind === "frame");
  return {
    // The content that components show later is known only to their code.
    hasMedia: found.length > frames.length || scripts.some(({ text }) => /https?:\/\//.test(text)),
    frameOrigins: [...new Set(frames.map(({ address }) => new URL(address).origin))].toSorted(),
  };
}

/** The bundle's sources: `file:` is the origin of a page opened by double click; the last two are within the page. */
const own = "'self' file: data: blob:";

/**
 * Returns the policy that the browser enforces, also against the site's own styles and scripts: nothing is loaded from
 * other hosts except those that the bundle's owner named, and pictures, sounds and videos where the page shows some
 * from there. Those may come from any host, since many hosts send readers on to another. Unless the site has scripts of
 * its own, only the bundle's may run; otherwise, scripts that they write into the page may also run.
 */
export function renderPolicy(
  { scripts }: Site,
  options: LayoutOptions,
  page: PageRemoteContent,
): Html {
  const isKept = options.copyOf === undefined;
  const named = (options.remoteOrigins ?? []).flatMap((origin) => [
    origin,
    toWebSocketOrigin(origin),
  ]);
  const showsMedia = isKept && (page.hasMedia || options.hasRemotePictures === true);
  const frames = isKept ? page.frameOrigins : [];
  const script =
    scripts.length === 0 ? `'self' file: '${options.firstScript.hash}'` : `${own} ${anyScript}`;
  const directives: readonly (readonly [name: string, ...sources: readonly string[]])[] = [
    ["default-src", own, ...named],
    ["script-src", script, ...named],
    ["style-src", own, "'unsafe-inline'", ...named],
    ...(showsMedia ? mediaDirectives : []),
    ...(frames.length > 0 ? [["frame-src", own, ...named, ...frames] as const] : []),
  ];
  const content = directives.map((parts) => parts.join(" ")).join("; ");
  return buildVoidTag("meta", joinAttributes({ "http-equiv": "Content-Security-Policy", content }));
}

const anyScript = "'unsafe-inline' 'unsafe-eval'";
const anyMedia = `${own} https: http:`;
const mediaDirectives = [
  ["img-src", anyMedia],
  ["media-src", anyMedia],
] as const;

/** Returns the WebSocket source of an origin: a source with the scheme `https` does not allow `wss`. */
function toWebSocketOrigin(origin: string): string {
  return origin.replace(/^http/, "ws");
}
