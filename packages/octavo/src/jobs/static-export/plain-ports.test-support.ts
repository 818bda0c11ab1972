import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError } from "@octavo/site/core";
import type { CheckOut, RenderRequest, RenderSite } from "../ports.ts";

/** Small but real substitutes for git and the renderer, which copy folders and write files. */

/** Writes a commit. A repository is a folder that contains one folder per commit, and one file per ref. */
export async function writePlainCommit(
  repository: string,
  ref: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const commit = createHash("sha1").update(JSON.stringify(files)).digest("hex");
  for (const [path, content] of Object.entries(files)) {
    const file = join(repository, commit, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, content);
  }
  await writeFile(join(repository, ref), commit);
  return commit;
}

export const copyCheckout: CheckOut = async ({ project, ref, commit, folder }) => {
  if (!(await stat(project.repository).catch(() => undefined))) {
    throw new OctavoError("repository_unreachable", "The repository does not answer.");
  }
  const name = ref ?? "HEAD";
  const found = commit ?? (await readFile(join(project.repository, name), "utf8").catch(() => ""));
  if (found === "") throw new OctavoError("ref_not_found", `There is no ref ${name}.`);
  await cp(join(project.repository, found, project.directory), folder, { recursive: true });
  return { dir: folder, commit: found };
};

/** Renders each Markdown file of the folder; each page takes `pageMs`. */
export function plainRenderer(pageMs: number): RenderSite {
  return async ({ prepare, signal }) => {
    const { siteDir, archive, paths, onProgress, onPacking } = await prepare();
    const pages = (await readdir(siteDir))
      .filter((name) => name.endsWith(".md"))
      .filter((name) => paths?.includes(name.slice(0, -3)) ?? true)
      .toSorted();
    if (pages.length === 0) throw new OctavoError("site_invalid", "The site has no pages.");
    const parts: string[] = [];
    for (const [index, page] of pages.entries()) {
      await sleep(pageMs, undefined, { signal });
      parts.push(page, await readFile(join(siteDir, page), "utf8"));
      onProgress({ done: index + 1, total: pages.length, rendered: index + 1 });
    }
    const counts = { pages: pages.length, rendered: pages.length, errors: 0, warnings: 0 };
    const firstSegments = pages.map((name) => name.slice(0, -3));
    onPacking(counts);
    await writeFile(archive.file, parts.join("\n"));
    return { ...counts, firstSegments };
  };
}

type PreparedSettings = Awaited<ReturnType<RenderRequest["prepare"]>>;

/** Like `plainRenderer(1)`, but first calls `see` with the settings of the site. */
export function watchRenderer(
  see: (settings: PreparedSettings, signal: AbortSignal) => void | Promise<void>,
): RenderSite {
  return async (request) => {
    const settings = await request.prepare();
    await see(settings, request.signal);
    return await plainRenderer(1)({ ...request, prepare: async () => settings });
  };
}

/**
 * Renders some pages, and then waits until it is stopped. Used for events that must happen in the middle of an export.
 */
export const halfRenderer: RenderSite = async ({ prepare, signal }) => {
  const { onProgress } = await prepare();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  signal.throwIfAborted();
  onProgress({ done: 5, total: 20, rendered: 5 });
  return await promise;
};
