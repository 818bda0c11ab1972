import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { hashParts, sha256 } from "../core/index.ts";

/** Changes with what is made of the sources. */
const version = "1";
const hashLength = 64;

/**
 * What `make` gives for these sources, kept beside what Node keeps compiled of the program: loading the compiler
 * that takes the types out costs 0.1 s. Nothing is kept where Node keeps nothing.
 */
export async function keepScript(
  sources: readonly string[],
  make: () => string,
  folder = getCompileCacheDir(),
): Promise<string> {
  if (folder === undefined) return make();
  const file = join(folder, "scripts", hashParts([version, process.version, ...sources]));
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const script = make();
  await writeKept(file, script);
  return script;
}

async function readKept(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const script = text.slice(hashLength);
  return text.startsWith(sha256(script)) ? script : undefined;
}

/** The file appears whole, or not at all. */
async function writeKept(file: string, script: string): Promise<void> {
  const partial = `${file}.${randomUUID()}`;
  try {
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(partial, sha256(script) + script);
    await rename(partial, file);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}
