import { coerce, gt, parse, prerelease, rcompare, satisfies, validRange } from "semver";
import { createInputError } from "@octavo/site/core";

/** Decides what happens to the branches or tags that it matches. The first rule that matches a ref decides. */
export interface VersionRule {
  readonly type: "branch" | "tag";
  /** A name in which `*` stands for any characters. Exactly one of `pattern` and `range` is set. */
  readonly pattern?: string | undefined;
  /** A SemVer range, which names without a version do not match. */
  readonly range?: string | undefined;
  /** `hide` publishes a version but omits it from lists; `remove` does not publish the ref. */
  readonly action: "publish" | "hide" | "default" | "remove";
}

/** A branch or tag of a repository. */
export interface RepositoryRef {
  /** The full name, such as `refs/tags/v1.2.0`. */
  readonly name: string;
  /** The hash of the commit or annotated tag that it points to. */
  readonly target: string;
}

/** A ref that the rules turn into a version. */
export interface PlannedVersion {
  readonly ref: string;
  readonly target: string;
  /** The version's path; null if it has a problem. */
  readonly slug: string | null;
  readonly action: "publish" | "hide" | "default";
  /** A sentence that explains why the version is not published. */
  readonly problem: string | null;
}

export interface VersionPlan {
  readonly refs: readonly RepositoryRef[];
  readonly rules: readonly VersionRule[];
  /** The full name of the branch that the project publishes, whose version is always `latest`. */
  readonly branch: string;
  /** The slugs that versions have now, keyed by ref. Versions keep these slugs. */
  readonly knownSlugs: ReadonlyMap<string, string>;
  /** The first path segments of the default version's pages. A new version must not hide these pages. */
  readonly takenNames: ReadonlySet<string>;
}

export const maxRules = 50;
export const maxPreviewPatterns = 20;
export const maxVersions = 200;
/** Slugs that the service itself assigns. */
export const latestSlug = "latest";
export const stableSlug = "stable";
const maxSlugLength = 60;
/** The first path segments that are reserved on every site. */
const reservedNames = new Set([latestSlug, stableSlug, "_octavo"]);

/** Throws `invalid_input` for a rule that can match nothing. */
export function checkVersionRules(rules: readonly VersionRule[]): void {
  if (rules.length > maxRules) throw createInputError(`A site has at most ${maxRules} rules.`);
  for (const [index, { pattern, range }] of rules.entries()) {
    const field = `versionRules[${index}]`;
    if ((pattern === undefined) === (range === undefined)) {
      throw createInputError(`${field} needs either a pattern or a range.`);
    }
    if (range !== undefined && validRange(range) === null) {
      throw createInputError(
        `${field}.range ${JSON.stringify(range)} must be a SemVer range, such as ">=2" or "1.x".`,
      );
    }
  }
}

/** Plans the versions of a site, the newest SemVer first, then the other names in alphabetical order. */
export function planVersions({
  refs,
  rules,
  branch,
  knownSlugs,
  takenNames,
}: VersionPlan): readonly PlannedVersion[] {
  const matchedRefs = refs.flatMap((ref) => {
    if (ref.name === branch) return [];
    const action = rules.find((rule) => matchRule(rule, ref.name))?.action ?? "remove";
    return action === "remove" ? [] : [{ ...ref, action }];
  });
  const sorted = matchedRefs.toSorted((one, other) => compareRefs(one.name, other.name));
  // If rules make several versions the default, the first one applies.
  const defaultRef = sorted.find(({ action }) => action === "default")?.name;
  const slugs = new Set(reservedNames);
  for (const { name } of sorted) {
    const slug = knownSlugs.get(name);
    if (slug !== undefined) slugs.add(slug);
  }
  return sorted.map(({ name: ref, target, action: requestedAction }, index) => {
    const action =
      requestedAction === "default" && ref !== defaultRef ? "publish" : requestedAction;
    const version = { ref, target, action };
    if (index >= maxVersions) {
      const problem = `A site has at most ${maxVersions} versions, and this one exceeds the limit.`;
      return { ...version, slug: null, problem };
    }
    const slug = knownSlugs.get(ref) ?? takeSlug(ref, slugs);
    if (!knownSlugs.has(ref) && takenNames.has(slug)) {
      const problem = `The address /${slug} belongs to a page or folder of the default version.`;
      return { ...version, slug: null, problem };
    }
    slugs.add(slug);
    return { ...version, slug, problem: null };
  });
}

/** Returns the refs that a rule matches, regardless of the rules before it. */
export function listMatchedRefs(
  rule: VersionRule,
  refs: readonly RepositoryRef[],
): readonly string[] {
  return refs
    .filter(({ name }) => matchRule(rule, name))
    .map(({ name }) => shortenRef(name))
    .toSorted(compareRefs);
}

export function shortenRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, "");
}

function matchRule({ type, pattern, range }: VersionRule, ref: string): boolean {
  if (!ref.startsWith(type === "tag" ? "refs/tags/" : "refs/heads/")) return false;
  const name = shortenRef(ref);
  if (pattern !== undefined) return matchPattern(pattern, name);
  const version = parseVersion(name);
  return version !== undefined && satisfies(version, range ?? "");
}

/**
 * Reports whether a name matches a pattern, in which `*` stands for any characters. Compares from left to right and
 * remembers one position to return to, so that matching never takes more than n × m steps.
 */
export function matchPattern(pattern: string, name: string): boolean {
  let [patternIndex, starIndex, resumePosition] = [0, -1, 0];
  let position = 0;
  while (position < name.length) {
    if (pattern[patternIndex] === "*") {
      [starIndex, resumePosition] = [patternIndex, position];
      patternIndex += 1;
    } else if (pattern[patternIndex] === name[position]) {
      patternIndex += 1;
      position += 1;
    } else if (starIndex >= 0) {
      resumePosition += 1;
      [patternIndex, position] = [starIndex + 1, resumePosition];
    } else return false;
  }
  return pattern.slice(patternIndex).replaceAll("*", "") === "";
}

/** Returns the SemVer version in the name of a tag or branch, such as `v1.2`, `release/2.x` or `docs-3.0.1`. */
export function parseVersion(name: string): string | undefined {
  const text = /(?<![A-Za-z\d.])v?(\d+(?:\.(?:\d+|x|\*))*.*)$/i.exec(name)?.[1];
  if (text === undefined) return undefined;
  return (parse(text) ?? coerce(text, { includePrerelease: true }))?.version;
}

/**
 * Compares two refs for sorting: SemVer versions come first, the newest at the top, then other names in alphabetical
 * order.
 */
export function compareRefs(one: string, other: string): number {
  const [a, b] = [parseVersion(shortenRef(one)), parseVersion(shortenRef(other))];
  if (a !== undefined && b !== undefined) return rcompare(a, b) || (one < other ? -1 : 1);
  if (a !== undefined || b !== undefined) return a === undefined ? 1 : -1;
  return one < other ? -1 : 1;
}

/**
 * Returns the first free slug for a ref: its name in lower case, with hyphens in place of slashes and other special
 * characters.
 */
function takeSlug(ref: string, takenSlugs: ReadonlySet<string>): string {
  const plain = shortenRef(ref).normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = plain
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/^[-._]+|[-._]+$/g, "")
    .slice(0, maxSlugLength)
    .replace(/[-._]+$/, "");
  const baseSlug = name === "" ? "version" : name;
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? baseSlug : `${baseSlug}-${number}`;
    if (!takenSlugs.has(slug)) return slug;
  }
}

/** The part of a version's state that depends on its name. */
export interface NamedVersion {
  readonly ref: string;
  readonly isHidden: boolean;
  readonly isDefault: boolean;
}

/**
 * Returns the ref of the greatest tag that is a full SemVer version without a pre-release; undefined if there is none.
 */
export function findStableRef(versions: readonly NamedVersion[]): string | undefined {
  const released = versions.flatMap(({ ref, isHidden }) => {
    const version = parseVersion(shortenRef(ref));
    const isRelease = version !== undefined && prerelease(version) === null;
    return isRelease && !isHidden && ref.startsWith("refs/tags/") ? [{ ref, version }] : [];
  });
  return released.toSorted((one, other) => rcompare(one.version, other.version))[0]?.ref;
}

/**
 * Compares a version with the version that readers should use: the default version if its name contains a version
 * number, otherwise the stable version. A version without a number is unreleased, unless there is nothing to compare it
 * with.
 */
export function describeVersion(
  version: NamedVersion,
  versions: readonly NamedVersion[],
): "current" | "old" | "unreleased" {
  const defaultVersion = versions.find(({ isDefault }) => isDefault);
  const reference = [defaultVersion?.ref, findStableRef(versions)]
    .map((ref) => ref && parseVersion(shortenRef(ref)))
    .find((number) => number !== undefined);
  if (version.isDefault || reference === undefined) return "current";
  const ownNumber = parseVersion(shortenRef(version.ref));
  if (ownNumber === undefined || gt(ownNumber, reference)) return "unreleased";
  return ownNumber === reference ? "current" : "old";
}
