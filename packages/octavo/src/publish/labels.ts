import { createHash } from "node:crypto";

/** The maximum length of one label of a host name (RFC 1035). */
const maxLabelLength = 63;
const maxSlugLength = 40;
const hashLength = 12;

/** A slug never contains two consecutive hyphens, so this separates it from the prefix in a label. */
const separator = "--";

/** Labels that do not indicate whose documentation a domain contains. */
const commonLabels = new Set([
  "api",
  "dev",
  "developer",
  "developers",
  "doc",
  "docs",
  "documentation",
  "guide",
  "guides",
  "help",
  "learn",
  "manual",
  "support",
  "www",
]);

export function isSlug(text: string): boolean {
  return text.length <= maxSlugLength && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Returns the slug closest to a text. The result is empty if the text contains no ASCII letters or digits. */
export function toSlug(text: string, maxLength: number = maxSlugLength): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "");
  return words.slice(0, maxLength).replace(/-$/, "");
}

/** Suggests the slug of a project: `acme` for `docs.acme.example`. */
export function suggestSlug(domain: string): string {
  const [first = "", ...others] = domain.split(".");
  const label = commonLabels.has(first) && others.length > 1 ? (others[0] ?? first) : first;
  return toSlug(label) || "site";
}

/** Adds a number to a slug that another site has. */
export function numberSlug(slug: string, number: number): string {
  const suffix = `-${number}`;
  return toSlug(slug, maxSlugLength - suffix.length) + suffix;
}

/** Returns the label of the host that always shows one deployment. */
export function getDeploymentLabel(slug: string, bundleKey: string): string {
  return `${getBundleHash(bundleKey)}${separator}${slug}`;
}

/** Returns the label of the host that shows the newest deployment of a pull request. */
export function getPullRequestLabel(slug: string, number: number): string {
  return `pr-${number}${separator}${slug}`;
}

/** Returns the label of the host that shows the newest deployment of a branch. */
export function getBranchLabel(slug: string, branch: string): string {
  return `${getBranchSlug(branch, maxLabelLength - separator.length - slug.length)}${separator}${slug}`;
}

/** Splits a label into a site's slug and the prefix before it, which is empty in the label of the site itself. */
export function parseLabel(label: string): { readonly slug: string; readonly prefix: string } {
  const separatorIndex = label.indexOf(separator);
  if (separatorIndex === -1) return { slug: label, prefix: "" };
  return {
    slug: label.slice(separatorIndex + separator.length),
    prefix: label.slice(0, separatorIndex),
  };
}

/** Returns the first digits of a bundle's content hash, which its key contains. */
function getBundleHash(bundleKey: string): string {
  return /[0-9a-f]{64}/.exec(bundleKey)?.[0].slice(0, hashLength) ?? "";
}

/**
 * Returns a branch's part of a label. It ends in a hash if the name had to be cut, or would look like the label of a
 * pull request, of a deployment, or of an internationalized name.
 */
function getBranchSlug(branch: string, maxLength: number): string {
  const slug = toSlug(branch, Number.MAX_SAFE_INTEGER);
  const isReserved = slug === "" || slug === "xn" || /^(?:pr-\d+|[0-9a-f]{12})$/.test(slug);
  if (!isReserved && slug.length <= maxLength) return slug;
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, 8);
  const shortened = toSlug(branch, maxLength - hash.length - 1);
  return shortened === "" ? hash : `${shortened}-${hash}`;
}
