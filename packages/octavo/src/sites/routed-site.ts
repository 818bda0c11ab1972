import { randomUUID } from "node:crypto";
import { sha256 } from "@octavo/site/core";
import type { StoredArchive } from "../bundles/index.ts";
import type { ServedDeployment, ServedSite, ServedVersion } from "./live-sites.ts";
import type { PageEdits } from "./page-edits.ts";

/** A version with the data that every request for it needs. */
export interface RoutedVersion {
  readonly version: ServedVersion;
  /** The path of the version, such as `/v1`, including the site's own path; usually empty for the default version. */
  readonly prefix: string;
  readonly edits: PageEdits;
  /**
   * A key for everything besides the page itself on which its response depends. As long as the key is the same, a page
   * is sent with the same bytes and headers.
   */
  readonly editsKey: string;
}

/** A site with the data that every request for it needs. */
export interface RoutedSite {
  readonly site: ServedSite;
  /** A random key that differs for each object, for use in cache keys. */
  readonly key: string;
  /** The version at the root; undefined if nothing has been published yet. */
  readonly defaultVersion: RoutedVersion | undefined;
  /** The other versions, keyed by slug. */
  readonly otherVersions: ReadonlyMap<string, RoutedVersion>;
  /** The versions that readers may choose. */
  readonly listedVersions: readonly RoutedVersion[];
  /** All deployments whose files are reachable, keyed by tag, newest first. */
  readonly deployments: ReadonlyMap<string, ServedDeployment>;
}

/** The path of the list of versions, which pages load if there are several versions. */
export const versionsPath = "/_octavo/versions.json";

/** Returns the name of the folder below `_octavo/` for a deployment's files: a hash of all its bytes. */
export function getFilesTag(archive: StoredArchive): string {
  return `@${sha256(archive.key).slice(0, 16)}`;
}

/** Creates a function that prepares sites. It prepares a site again only after the site has changed in the table. */
export function createRoutedSites(): (site: ServedSite) => RoutedSite {
  const views = new WeakMap<ServedSite, RoutedSite>();
  return (site) => {
    let view = views.get(site);
    if (!view) {
      view = createView(site);
      views.set(site, view);
    }
    return view;
  };
}

function createView(site: ServedSite): RoutedSite {
  const listedCount = site.versions.filter(({ isHidden }) => !isHidden).length;
  const versions = site.versions.map((version) => createRoutedVersion(site, version, listedCount));
  const deployments = [...site.versions.map(({ deployment }) => deployment), ...site.recent];
  return {
    site,
    key: randomUUID(),
    defaultVersion: versions.find(({ version }) => version.isDefault),
    otherVersions: new Map(
      versions
        .filter(({ version }) => !version.isDefault)
        .map((view) => [view.version.slug, view] as const),
    ),
    listedVersions: versions.filter(({ version }) => !version.isHidden),
    deployments: new Map(deployments.map((each) => [getFilesTag(each.archive), each])),
  };
}

function createRoutedVersion(
  { kind, origin, basePath = "", access, note, base, versions }: ServedSite,
  version: ServedVersion,
  listedCount: number,
): RoutedVersion {
  const { slug, state, isDefault } = version;
  const prefix = isDefault ? basePath : `${basePath}/${encodeURIComponent(slug)}`;
  const hasVersionChoice = listedCount > 1 || state !== "current";
  const attributes: Readonly<Record<string, string>> = hasVersionChoice
    ? { versions: basePath + versionsPath, version: slug, "version-state": state }
    : {};
  const filesTag = getFilesTag(version.deployment.archive);
  const edits = { filesTag, prefix, attributes, note, hasDifference: base !== undefined };
  // A page of an old or unreleased version refers to its counterpart in the default version, so the default deployment
  // is part of the key.
  const main = versions.find((each) => each.isDefault)?.deployment.archive.key;
  const keyParts = [edits, kind, origin, access.kind, state === "current" ? "" : main];
  return { version, prefix, edits, editsKey: sha256(JSON.stringify(keyParts)) };
}
