import { createPrivateKey, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { flush, flushParents } from "../core/index.ts";
import type { GitHubAppSource, PostgresSource, SecretSource } from "./config.ts";

/** A GitHub App with its signing key. */
interface ConfiguredGitHubApp {
  readonly host: string;
  readonly appId: string;
  /** The private key in PEM format. */
  readonly privateKey: string;
}

interface DatabaseUrls {
  readonly url: string;
  readonly directUrl: string | undefined;
}

/**
 * Reads the secret that encrypts credentials and signs links and cookies. Creates the file (mode 0600) if it is missing
 * and the source allows this. When the promise resolves, the file is flushed to the disk, because everything encrypted
 * with the secret would be lost with it. Two processes that start at the same time get the same secret.
 */
export async function readSecret(source: SecretSource): Promise<string> {
  if (source.kind === "given") return source.value;
  const secret = await readIfExists(source.path);
  if (secret !== undefined) return checkSecret(secret, source.path);
  if (!source.createIfMissing) {
    throw new OctavoError(
      "invalid_input",
      `OCTAVO_SECRET_FILE names ${source.path}, which does not exist.`,
    );
  }
  await createSecret(source.path);
  return checkSecret(await readFile(source.path, "utf8"), source.path);
}

/**
 * Writes the complete file under a temporary name and then links it to its path, so that readers never see a partial
 * file and the first of two writers wins.
 */
async function createSecret(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  try {
    await flush(draft);
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await flushParents(dirname(path));
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new OctavoError("invalid_input", `The secret in ${path} cannot be read.`, {
      cause: error,
    });
  }
}

function checkSecret(text: string, path: string): string {
  const secret = text.trim();
  if (secret.length >= 16) return secret;
  throw new OctavoError(
    "invalid_input",
    `The secret in ${path} is shorter than 16 characters. Generate a longer one with \`openssl rand -hex 32\`.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Reads the App's private key. Throws an `invalid_input` error that names OCTAVO_GITHUB_APP_KEY_FILE if the file cannot
 * be read or is not a private key. The error does not contain the file's content.
 */
export async function readGitHubApp({
  host,
  appId,
  keyFile,
}: GitHubAppSource): Promise<ConfiguredGitHubApp> {
  const privateKey = await readFile(keyFile, "utf8").catch((cause: unknown) => {
    throw createKeyFileError(keyFile, "which cannot be read", cause);
  });
  if (!isRsaKey(privateKey)) {
    throw createKeyFileError(keyFile, "which is not the App's private key (PEM) from GitHub");
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

function createKeyFileError(keyFile: string, problem: string, cause?: unknown): OctavoError {
  const message = `OCTAVO_GITHUB_APP_KEY_FILE names ${keyFile}, ${problem}.`;
  return new OctavoError("invalid_input", message, { cause });
}

/**
 * Returns the database URLs with the password from its file. Throws an `invalid_input` error that names
 * DATABASE_PASSWORD_FILE if the file cannot be read or is empty, or if a URL cannot contain a password. The error does
 * not contain the password.
 */
export async function readDatabaseUrls(source: PostgresSource): Promise<DatabaseUrls> {
  const { url, directUrl, passwordFile } = source;
  if (passwordFile === undefined) return { url, directUrl };
  const text = await readFile(passwordFile, "utf8").catch((cause: unknown) => {
    throw createPasswordFileError(`names ${passwordFile}, which cannot be read`, { cause });
  });
  const password = text.trim();
  if (password === "") throw createPasswordFileError(`names ${passwordFile}, which is empty`);
  return {
    url: addPassword("DATABASE_URL", url, password),
    directUrl: directUrl && addPassword("DATABASE_DIRECT_URL", directUrl, password),
  };
}

function addPassword(variable: string, url: string, password: string): string {
  const parsed = new URL(url);
  // A URL with its own password keeps it.
  if (parsed.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  // A URL without a host, e.g. for a socket, cannot contain a password, so the setter has no effect.
  if (parsed.password !== "") return parsed.href;
  throw createPasswordFileError(
    `is set, but ${variable} names no host; use the form postgres://user@host:5432/database`,
  );
}

function createPasswordFileError(problem: string, options?: ErrorOptions): OctavoError {
  return new OctavoError("invalid_input", `DATABASE_PASSWORD_FILE ${problem}.`, options);
}
