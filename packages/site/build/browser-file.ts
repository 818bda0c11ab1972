/**
 * Builds the scripts and style sheets that readers' browsers load. `src/theme/browser-file.ts` uses this module if the
 * library runs from its sources, and `npm run build` uses it to build all files. The same sources result in the same
 * bytes.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hashParts, sha256 } from "../src/core/index.ts";

const source = resolve(import.meta.dirname, "../src");
const cacheFolder = resolve(
  import.meta.dirname,
  "../../../node_modules/.cache/octavo/browser-files",
);

interface Made {
  readonly content: string;
  /** The SHA-256 hash of each source file, keyed by path. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Builds a file. Returns the cached result if the file's sources have not changed since it was built. */
export async function makeBrowserFile(file: URL, cache = cacheFolder): Promise<string> {
  const path = fileURLToPath(file);
  const kept = join(cache, hashParts([path]));
  const earlier = await readKept(kept);
  if (earlier !== undefined) return earlier.content;
  const made = await make(path);
  await writeKept(kept, JSON.stringify(made));
  return made.content;
}

/**
 * Builds a style sheet, or bundles a module and its imports into one classic script, because `file://` does not support
 * modules.
 */
async function make(path: string): Promise<Made> {
  // Load esbuild only if a source has changed, because loading it takes longer than reading a cached file.
  const { buildSync } = await import("esbuild");
  const isScript = path.endsWith(".ts");
  const { outputFiles, metafile } = buildSync({
    entryPoints: [path],
    absWorkingDir: source,
    write: false,
    metafile: true,
    minify: true,
    charset: "utf8",
    legalComments: "none",
    tsconfigRaw: {},
    // The minimum requirements for readers' browsers are documented in docs/export/bundle.mdx.
    ...(isScript ? { bundle: true, format: "iife", target: "es2023" } : {}),
  });
  const inputs = Object.keys(metafile.inputs).map((name) => resolve(source, name));
  const files = [...inputs, import.meta.filename];
  const hashes = files.map(async (input) => [input, sha256(await readFile(input))] as const);
  return {
    content: outputFiles[0]?.text ?? "",
    sources: Object.fromEntries(await Promise.all(hashes)),
  };
}

async function readKept(file: string): Promise<Made | undefined> {
  try {
    const made = JSON.parse(await readFile(file, "utf8")) as Made;
    const asBefore = Object.entries(made.sources).map(
      async ([path, hash]) => sha256(await readFile(path)) === hash,
    );
    return (await Promise.all(asBefore)).every(Boolean) ? made : undefined;
  } catch {
    // No result is cached, or one of its sources no longer exists.
    return undefined;
  }
}

/** Writes the cache file atomically. Errors are ignored, because the cache is optional. */
async function writeKept(file: string, text: string): Promise<void> {
  const partial = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(partial, text);
    await rename(partial, file);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}
