/**
 * Makes what readers' browsers load: `src/theme/browser-file.ts` asks for it where the library runs from its
 * sources, and `npm run build` for all of it. The same sources give the same bytes.
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
  /** SHA-256 of each file that it was made of, by its path. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Takes what was made before while the files that it was made of are as they were. */
export async function makeBrowserFile(file: URL, cache = cacheFolder): Promise<string> {
  const path = fileURLToPath(file);
  const kept = join(cache, hashParts([path]));
  const earlier = await readKept(kept);
  if (earlier !== undefined) return earlier.content;
  const made = await make(path);
  await writeKept(kept, JSON.stringify(made));
  return made.content;
}

/** A module with all that it imports as one classic script, since `file://` allows no modules; or a style sheet. */
async function make(path: string): Promise<Made> {
  // Loaded for what has changed only: that takes longer than to read what was made.
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
    // What a reader's browser must know: docs/export/bundle.mdx.
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
    // Nothing was kept, or one of its sources is gone.
    return undefined;
  }
}

/** The file appears whole, or not at all. */
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
