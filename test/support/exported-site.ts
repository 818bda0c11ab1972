import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deserialize, serialize } from "node:v8";
import { acquireLock } from "../../packages/octavo/src/git/index.ts";
import { checkSite } from "../../packages/site/src/check/index.ts";
import { sha256 } from "../../packages/site/src/core/index.ts";
import type { RenderChildren, RenderResult } from "../../packages/site/src/export/index.ts";
import { openRenderChildren, renderSite } from "../../packages/site/src/export/index.ts";

export interface ExportedSite {
  /** The bundle. Other tests read it too: nothing may be written there. */
  readonly folder: string;
  /** The result of the export, with the problems that the check found. */
  readonly result: RenderResult;
}

const root = resolve(import.meta.dirname, "../..");
let own: string | undefined;

/** Returns the run's folder if `npm test` created one; otherwise this process's own, which is removed with it. */
function exportsFolder(): string {
  const shared = process.env["OCTAVO_TEST_EXPORTS"];
  if (shared !== undefined) return shared;
  if (own === undefined) {
    const made = mkdtempSync(join(tmpdir(), "octavo-exports-"));
    own = made;
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  }
  return own;
}

/**
 * Exports a site that is not changed while tests run, as `renderSite` does with no options but the check. Of all
 * test files of a run that ask for a site the first one exports it; `siteDir` is relative to the repository's root,
 * or absolute. A file that asks for many sites passes its `children`: otherwise each export starts its own.
 */
export async function exportedSite(
  siteDir: string,
  children?: RenderChildren,
): Promise<ExportedSite> {
  const dir = resolve(root, siteDir);
  const place = join(exportsFolder(), sha256(dir).slice(0, 16));
  const [folder, file] = [join(place, "bundle"), join(place, "result")];
  await mkdir(place, { recursive: true });
  if (!existsSync(file)) {
    await using _lock = await acquireLock(join(place, "lock"));
    if (!existsSync(file)) {
      await using ownChildren = children === undefined ? openRenderChildren() : undefined;
      const made = await renderSite({
        siteDir: dir,
        outDir: folder,
        workers: 1,
        children: children ?? ownChildren,
        check: checkSite,
      });
      // Last, and at once: where it is, the bundle is whole.
      await writeFile(`${file}.draft`, serialize(made));
      await rename(`${file}.draft`, file);
    }
  }
  return { folder, result: deserialize(await readFile(file)) as RenderResult };
}
