import type { SiteVisibility } from "../db/index.ts";
import { choosePreviewBase, type ComparableDeployment, type PreviewBase } from "./preview-base.ts";
import { getBranchLabel, getDeploymentLabel, getPullRequestLabel } from "./labels.ts";
import { formatOrigin, formatSiteOrigin, type SitesDomain } from "./sites-domain.ts";
import {
  compareRefs,
  describeVersion,
  findStableRef,
  shortenRef,
  latestSlug,
  stableSlug,
  type NamedVersion,
} from "./version-rules.ts";

/** A deployment that can be shown, as the database describes it. Times are RFC 3339 strings. */
interface DeploymentState {
  readonly id: string;
  readonly kind: "production" | "version" | "preview" | "upload";
  readonly ref: string | null;
  readonly pullRequest: number | null;
  readonly commit: string | null;
  readonly bundleKey: string;
  readonly bundleBytes: number;
  readonly endedAt: string;
  readonly publishedAt: string | null;
  readonly leftAt: string | null;
  /** The deployment of the commit at which this preview's pull request branched off; null until it is ready. */
  readonly base: ComparableDeployment | null;
}

/** A site at one moment, with the deployments that can be shown, newest first. */
export interface SiteState {
  readonly projectId: string;
  readonly name: string;
  readonly slug: string;
  readonly revision: number;
  readonly visibility: SiteVisibility;
  readonly passwordHash: string | null;
  readonly hasTrailingSlashes: boolean;
  /** The IDs of links that have not expired. */
  readonly links: readonly string[];
  /** The project's own domains that are proven. */
  readonly domains: readonly { readonly name: string; readonly isCanonical: boolean }[];
  /** The versions other than the project's own branch. */
  readonly versions: readonly VersionState[];
  readonly deployments: readonly DeploymentState[];
}

interface VersionState {
  readonly ref: string;
  readonly slug: string;
  readonly action: "publish" | "hide" | "default";
}

interface RoutedDeployment {
  readonly id: string;
  readonly archive: { readonly key: string; readonly format: "zip"; readonly bytes: number };
  readonly commit: string | undefined;
  readonly publishedAt: Date;
}

interface RoutedVersion {
  readonly slug: string;
  readonly title: string;
  readonly isDefault: boolean;
  readonly isHidden: boolean;
  readonly state: "current" | "old" | "unreleased";
  readonly deployment: RoutedDeployment;
}

/** The site that a host shows. It matches the port of `sites/`, where the fields are described. */
export interface LiveSite {
  readonly kind: "production" | "preview" | "deployment";
  readonly origin: string;
  readonly isRedirected: boolean;
  readonly versions: readonly RoutedVersion[];
  readonly recent: readonly RoutedDeployment[];
  readonly access:
    | { readonly kind: "public" }
    | {
        readonly kind: "closed";
        readonly secret: Uint8Array;
        readonly passwordHash: string | undefined;
        readonly signInUrl: string | undefined;
        readonly links: ReadonlySet<string>;
      };
  readonly note: { readonly text: string; readonly url: string | undefined } | undefined;
  readonly base: PreviewBase | undefined;
}

/** The time for which the theme files of a deployment stay available after it is no longer live. */
const recentPeriodMs = 7 * 24 * 60 * 60 * 1000;

export interface AliasOptions {
  readonly domain: SitesDomain;
  /** The secret that signs access to the site, if it is closed. */
  readonly secret: Uint8Array;
  /** The address of the dashboard's page where members sign in. */
  readonly signInUrl: string;
}

/** Returns what each of a site's hosts shows, keyed by the host's label under the sites domain or by its own name. */
export function findAliases(
  site: SiteState,
  { domain, ...signing }: AliasOptions,
): ReadonlyMap<string, LiveSite> {
  const { slug, deployments, domains } = site;
  const aliases = new Map<string, LiveSite>();
  const access = toAccess(site, signing);
  const canonical = domains.find(({ isCanonical }) => isCanonical)?.name;
  const live = deployments.find((one) => isLive(one) && one.kind !== "version");
  const addAlias = (
    host: string,
    kind: LiveSite["kind"],
    shown: DeploymentState,
    text?: string,
  ) => {
    // The newest deployment comes first.
    if (aliases.has(host)) return;
    const isCanonical = kind === "production" && canonical !== undefined;
    aliases.set(host, {
      kind,
      origin: isCanonical
        ? formatOrigin(domain, canonical)
        : formatSiteOrigin(domain, kind === "production" ? slug : host),
      isRedirected: isCanonical && host !== canonical,
      versions: kind === "production" ? listVersions(site, shown) : [toOnlyVersion(shown)],
      recent:
        kind === "production" ? findRecentDeployments(deployments).map(toRoutedDeployment) : [],
      access,
      note: text === undefined ? undefined : { text, url: undefined },
      base: kind === "production" ? undefined : findBase(shown, live),
    });
  };
  if (live) {
    for (const host of [slug, ...domains.map(({ name }) => name)])
      addAlias(host, "production", live);
  }
  for (const one of deployments) {
    const { kind, ref, pullRequest, bundleKey } = one;
    const contentName =
      one.commit === null ? "an uploaded folder" : `commit ${one.commit.slice(0, 7)}`;
    addAlias(
      getDeploymentLabel(slug, bundleKey),
      "deployment",
      one,
      `One deployment, of ${contentName}.`,
    );
    if (pullRequest !== null) {
      const text = `Preview of pull request ${pullRequest}, at ${contentName}.`;
      addAlias(getPullRequestLabel(slug, pullRequest), "preview", one, text);
    }
    if (kind === "preview" && ref !== null && pullRequest === null) {
      addAlias(getBranchLabel(slug, ref), "preview", one, `Preview of ${ref}, at ${contentName}.`);
    }
  }
  return aliases;
}

/** Finds the bundle to compare a preview with. Returns undefined if that bundle has the same bytes as the preview. */
function findBase(
  { bundleKey, pullRequest, base: left }: DeploymentState,
  live: DeploymentState | undefined,
): LiveSite["base"] {
  const base = choosePreviewBase({ live, forkBase: pullRequest === null ? undefined : left });
  return base?.archive.key === bundleKey ? undefined : base;
}

function isLive({ publishedAt, leftAt }: DeploymentState): boolean {
  return publishedAt !== null && leftAt === null;
}

/** Creates the only version of a host that shows one deployment. */
function toOnlyVersion(shown: DeploymentState): RoutedVersion {
  return {
    slug: latestSlug,
    title: latestSlug,
    isDefault: true,
    isHidden: false,
    state: "unreleased",
    deployment: toRoutedDeployment(shown),
  };
}

/**
 * Returns all versions that have a deployment: the project's own branch, the others, and `stable` for the newest
 * release.
 */
function listVersions(
  { versions, deployments }: SiteState,
  latest: DeploymentState,
): readonly RoutedVersion[] {
  const shownVersions = versions.flatMap((version) => {
    const { ref } = version;
    const live = deployments.find(
      (one) => isLive(one) && one.kind === "version" && one.ref === ref,
    );
    return live ? [{ ...version, live }] : [];
  });
  shownVersions.sort((one, other) => compareRefs(one.ref, other.ref));
  const defaultVersion = shownVersions.find(({ action }) => action === "default");
  const projectVersion = {
    ref: latestSlug,
    isHidden: false,
    isDefault: defaultVersion === undefined,
  };
  const namedVersions: readonly NamedVersion[] = [
    projectVersion,
    ...shownVersions.map((version) => ({
      ref: version.ref,
      isHidden: version.action === "hide",
      isDefault: version === defaultVersion,
    })),
  ];
  const toVersion = (version: NamedVersion, slug: string, deployment: DeploymentState) => ({
    slug,
    title: shortenRef(version.ref),
    isDefault: version.isDefault,
    isHidden: version.isHidden,
    state: describeVersion(version, namedVersions),
    deployment: toRoutedDeployment(deployment),
  });
  const routedVersions = [
    toVersion(projectVersion, latestSlug, latest),
    ...shownVersions.map(({ slug, live }, index) =>
      toVersion(namedVersions[index + 1] ?? projectVersion, slug, live),
    ),
  ];
  const stableRef = findStableRef(namedVersions);
  const stable = routedVersions[namedVersions.findIndex(({ ref }) => ref === stableRef)];
  if (!stable) return routedVersions;
  // `stable` is hidden, because lists already contain the same release under its number.
  const alias = { slug: stableSlug, title: stableSlug, isDefault: false, isHidden: true };
  return [...routedVersions, { ...stable, ...alias }];
}

/** Returns the deployments that were live until recently, newest first. */
function findRecentDeployments(
  deployments: readonly DeploymentState[],
): readonly DeploymentState[] {
  const since = Date.now() - recentPeriodMs;
  return deployments
    .filter(({ leftAt }) => leftAt !== null && Date.parse(leftAt) > since)
    .toSorted((one, other) => Date.parse(other.leftAt ?? "") - Date.parse(one.leftAt ?? ""));
}

function toRoutedDeployment(deployment: DeploymentState): RoutedDeployment {
  const { id, bundleKey: key, bundleBytes: bytes, commit, publishedAt, endedAt } = deployment;
  return {
    id,
    archive: { key, format: "zip", bytes },
    commit: commit ?? undefined,
    publishedAt: new Date(publishedAt ?? endedAt),
  };
}

function toAccess(
  { visibility, passwordHash, links }: SiteState,
  { secret, signInUrl }: Pick<AliasOptions, "secret" | "signInUrl">,
): LiveSite["access"] {
  if (visibility === "public") return { kind: "public" };
  const isForMembers = visibility === "members";
  return {
    kind: "closed",
    secret,
    passwordHash: isForMembers ? undefined : (passwordHash ?? undefined),
    signInUrl: isForMembers ? signInUrl : undefined,
    links: new Set(links),
  };
}
