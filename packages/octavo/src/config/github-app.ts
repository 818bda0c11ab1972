import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { OctavoError } from "@octavo/site/core";
import type { GitHubAppSource } from "./config.ts";

/** A GitHub App with its signing key. */
export interface ConfiguredGitHubApp {
  readonly host: string;
  readonly appId: string;
  /** PEM. */
  readonly privateKey: string;
}

/**
 * Reads the App's private key. Throws `invalid_input` with OCTAVO_GITHUB_APP_KEY_FILE if the file cannot be
 * read or is not a private key; the error contains nothing of the file's content.
 */
export async function readGitHubApp({
  host,
  appId,
  keyFile,
}: GitHubAppSource): Promise<ConfiguredGitHubApp> {
  const privateKey = await readFile(keyFile, "utf8").catch((cause: unknown) => {
    throw unusable(keyFile, "which cannot be read", cause);
  });
  if (!isRsaKey(privateKey)) {
    throw unusable(keyFile, "which is not the private key (PEM) that GitHub gave for the App");
  }
  return { host, appId, privateKey };
}

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

function unusable(keyFile: string, why: string, cause?: unknown): OctavoError {
  const message = `OCTAVO_GITHUB_APP_KEY_FILE names ${keyFile}, ${why}.`;
  return new OctavoError("invalid_input", message, { cause });
}
