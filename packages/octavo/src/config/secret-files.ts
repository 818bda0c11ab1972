import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { flush, flushParents } from "../core/index.ts";
import type { SecretSource } from "./config.ts";

/**
 * The secret that encrypts credentials and signs links and cookies. Creates the file (mode 0600) if it is
 * missing and the source allows that, on the disk when this resolves: without it, what it encrypted is lost. Two
 * processes that start at once get the same secret.
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

/** Linked into place when complete: no reader sees half of it, and the first of two writers wins, also on the disk. */
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
    `The secret in ${path} is shorter than 16 characters; generate one with \`openssl rand -hex 32\`.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
