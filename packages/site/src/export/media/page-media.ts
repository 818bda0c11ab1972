import { describeMissingFile, locateInFrontmatter } from "../../load/index.ts";
import {
  createSiteLinks,
  normalizeRemoteAddress,
  resolveMedia,
  type Site,
} from "../../site/index.ts";
import { isPictureTag } from "../../theme/index.ts";
import type { RemoteMedia } from "./remote-media.ts";
import type { RemoteFile } from "../../outputs/index.ts";
import type { Reference } from "../../page/index.ts";
import type { Problem, ProblemLocation } from "../../core/index.ts";

/** Returns the addresses of the remote files that a page shows, without duplicates, in the page's order. */
export function listRemoteTargets(references: readonly Reference[]): string[] {
  const addresses = new Set<string>();
  for (const { kind, target } of references) {
    const address = kind === "media" ? normalizeRemoteAddress(target) : undefined;
    if (address !== undefined) addresses.add(address);
  }
  return [...addresses];
}

interface SharedMedia {
  /** Undefined if files on other hosts are not copied. */
  readonly media: Pick<RemoteMedia, "failures"> | undefined;
  readonly remoteFonts: readonly string[];
  readonly layoutMedia: readonly string[];
}

/** Returns problems for remote files that the bundle should contain but does not. */
export function listRemoteMediaProblems(
  site: Site,
  pages: readonly { readonly rendered: { readonly references: readonly Reference[] } }[],
  { media, remoteFonts, layoutMedia }: SharedMedia,
): Problem[] {
  if (media === undefined) return listFontProblems(remoteFonts, site);
  const { failures } = media;
  return [
    ...listConfiguredMediaProblems(layoutMedia, { failures, site }),
    ...pages.flatMap(({ rendered }) => listMediaProblems(rendered.references, failures)),
  ];
}

/**
 * Returns a problem for each file that could not be copied and is therefore shown as a link, at its first position in
 * the page.
 */
function listMediaProblems(
  references: readonly Reference[],
  failures: ReadonlyMap<string, string>,
): Problem[] {
  const reported = new Set<string>();
  return references.flatMap(({ kind, target, file, line, column }): Problem[] => {
    const address = kind === "media" ? normalizeRemoteAddress(target) : undefined;
    const reason = address === undefined ? undefined : failures.get(address);
    if (address === undefined || reason === undefined || reported.has(address)) return [];
    reported.add(address);
    return [{ ...buildUnavailableProblem(address, reason), file, line, column }];
  });
}

/** Returns problems for files that the configuration names and that could not be copied. */
function listConfiguredMediaProblems(
  addresses: readonly string[],
  { failures, site }: { readonly failures: ReadonlyMap<string, string>; readonly site: Site },
): Problem[] {
  return addresses.flatMap((address) => {
    const reason = failures.get(address);
    if (reason === undefined) return [];
    return [{ ...buildUnavailableProblem(address, reason), ...locateInConfig(address, site) }];
  });
}

/** Returns problems for remote fonts that are not copied into the bundle, because pages never load remote fonts. */
function listFontProblems(addresses: readonly string[], site: Site): Problem[] {
  return addresses.map((address) => ({
    severity: "warning",
    code: "font_not_included",
    message: `The font ${shortenAddress(address)} is used only if readers have it installed, because a bundle does not load fonts from other hosts. Put the file into the site, or export with --remote-media vendor.`,
    ...locateInConfig(address, site),
  }));
}

/** Returns the location of an address in the configuration. A font is found by its `source`, like a redirect. */
function locateInConfig(
  address: string,
  { configFile, configPositions }: Pick<Site, "configFile" | "configPositions">,
): ProblemLocation {
  const { addresses, redirects } = configPositions ?? {};
  return addresses?.get(address) ?? redirects?.get(address) ?? { file: configFile };
}

/** Returns problems for link preview pictures that the site does not have. */
export function listPreviewPictureProblems(site: Site): Problem[] {
  const { root, config, configFile, configPositions, pages } = site;
  const pictures = listPictureTags(config.seo.metatags).map(([, target]) => ({
    target,
    locate: (): ProblemLocation => configPositions?.addresses.get(target) ?? { file: configFile },
  }));
  for (const { file, frontmatter } of pages) {
    for (const [name, target] of listPictureTags(frontmatter.extra))
      pictures.push({ target, locate: () => locateInFrontmatter(root, file, name) });
  }
  if (pictures.length === 0) return [];
  const links = createSiteLinks(site);
  return pictures.flatMap(({ target, locate }) => {
    const resolution = resolveMedia(target, { page: "", file: "" }, links);
    if (resolution.kind !== "unknown") return [];
    const message = `The link preview picture ${JSON.stringify(shortenAddress(target))} ${describeMissingFile(site, resolution.path)}.`;
    return [{ severity: "warning", code: "media_missing", message, ...locate() } as const];
  });
}

function listPictureTags(
  tags: Readonly<Record<string, unknown>>,
): [name: string, target: string][] {
  return Object.entries(tags).flatMap(([name, target]): [string, string][] =>
    isPictureTag(name) && typeof target === "string" && target.trim() !== ""
      ? [[name, target]]
      : [],
  );
}

/** Lists every remote file that the site shows, sorted, for the report. */
export function listRemoteMedia(input: {
  readonly pages: readonly { readonly rendered: { readonly remoteFiles: readonly string[] } }[];
  readonly layoutMedia: readonly string[];
  readonly media: Pick<RemoteMedia, "copiesOf" | "failures"> | undefined;
}): RemoteFile[] {
  const { pages, layoutMedia, media } = input;
  const shownFiles = pages.flatMap(({ rendered }) => rendered.remoteFiles);
  const addresses = [...new Set([...layoutMedia, ...shownFiles])].toSorted();
  const copies = media?.copiesOf(addresses) ?? {};
  return addresses.map((address) => {
    const [copy, reason] = [copies[address], media?.failures.get(address)];
    return {
      address,
      ...(copy === undefined ? {} : { copy }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

function buildUnavailableProblem(
  address: string,
  reason: string,
): Pick<Problem, "severity" | "code" | "message"> {
  return {
    severity: "warning",
    code: "remote_media_unavailable",
    message: `${shortenAddress(address)} is not in the bundle: ${reason}. Readers see a link to it.`,
  };
}

function shortenAddress(address: string): string {
  return address.length > 200 ? `${address.slice(0, 199).toWellFormed()}…` : address;
}
