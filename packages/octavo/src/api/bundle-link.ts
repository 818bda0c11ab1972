import { createHmac } from "node:crypto";
import { OctavoError, hashParts } from "@octavo/site/core";
import { isSameSecret } from "../core/index.ts";
import type { StoredBundle } from "../jobs/index.ts";

export interface LinkOptions {
  /** The key that signs links, derived from the operator's secret for this purpose only. */
  readonly linkKey: Buffer;
  readonly bundleLinkSeconds: number;
  /** Returns the service's external address. Links are never built from a request's Host header. */
  readonly baseUrl: () => string;
}

/** A verified link. */
export interface BundleLink {
  /** The file's storage key, which contains the hash of the file's bytes. */
  readonly key: string;
  readonly fileName: string;
  readonly expiresAtSeconds: number;
}

/** Creates a link to a bundle and returns the link and its expiry. */
export function signBundleLink(
  { linkKey, bundleLinkSeconds, baseUrl }: LinkOptions,
  bundle: Pick<StoredBundle, "key" | "domain" | "version" | "format">,
): { readonly bundleUrl: string; readonly expiresAt: string } {
  const fileName = bundleFileName(bundle);
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + bundleLinkSeconds;
  const file = Buffer.from(bundle.key).toString("base64url");
  const expires = String(expiresAtSeconds);
  const query = `expires=${expires}&signature=${computeSignature(linkKey, { file, fileName, expires })}`;
  return {
    bundleUrl: `${baseUrl()}/bundles/${file}/${fileName}?${query}`,
    expiresAt: new Date(expiresAtSeconds * 1000).toISOString(),
  };
}

/** The signed parts of a link, exactly as they appear in the link, so that no other spelling is valid. */
interface SignedParts {
  readonly file: string;
  readonly fileName: string;
  readonly expires: string;
}

export interface LinkParts {
  readonly file: string;
  readonly fileName: string;
  readonly expires: string | undefined;
  readonly signature: string | undefined;
}

/** Throws `forbidden` for a link that the service did not sign or that has expired. */
export function verifyBundleLink(linkKey: Buffer, presented: LinkParts): BundleLink {
  const { file, fileName, expires = "" } = presented;
  const expected = computeSignature(linkKey, { file, fileName, expires });
  if (!isSameSecret(presented.signature ?? "", expected)) {
    throw new OctavoError(
      "forbidden",
      "This link's signature is not valid. The link was altered, or a different service created it. Copy the " +
        "whole link again.",
    );
  }
  const expiresAtSeconds = Number(expires);
  if (expiresAtSeconds * 1000 <= Date.now()) {
    throw new OctavoError(
      "forbidden",
      "This link has expired; get a new one with POST /v1/static-export/jobs/{jobId}/bundle.",
    );
  }
  return { key: Buffer.from(file, "base64url").toString(), fileName, expiresAtSeconds };
}

function computeSignature(linkKey: Buffer, { file, fileName, expires }: SignedParts): string {
  const words = hashParts([file, fileName, expires]);
  return createHmac("sha256", linkKey).update(words).digest("base64url");
}

/**
 * Returns a file name such as `docs.example.com-v2.1.tar.gz`, which needs no quoting in a path, a header or a shell.
 */
function bundleFileName(bundle: Pick<StoredBundle, "domain" | "version" | "format">): string {
  const name = `${bundle.domain}-${bundle.version}`
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .slice(0, 150);
  return `${name}.${bundle.format}`;
}
