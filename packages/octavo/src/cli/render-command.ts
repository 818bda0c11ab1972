import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { OctavoError } from "@octavo/site/core";
import type { RenderOptions, RenderResult } from "@octavo/site";
import type { CommandContext } from "./context.ts";
import { createProgress } from "./progress.ts";

/** Renders and checks a site with its progress shown. Throws `cancelled` when the person interrupts. */
export async function renderShown(
  context: CommandContext,
  options: RenderOptions,
): Promise<RenderResult> {
  const signal = context.interrupted();
  const progress = createProgress(context.terminal);
  const isPart = options.paths !== undefined;
  // Here, so that commands which render nothing do not wait for the renderer to load (0.1 s).
  const render = await import("@octavo/site");
  const { checkSite } = await import("@octavo/site");
  // When the program is loaded, since compiled code is kept for the flags that were set.
  render.optimizeLittle();
  letHeapGrow();
  try {
    return await render.renderSite({
      ...options,
      folderName: basename(options.siteDir),
      check: (site, pages) => checkSite(site, pages, { isPart }),
      onProgress(state) {
        if (state.rendered === render.manyPages) {
          render.optimizeAsUsual();
          countBuffersWithHeap();
        }
        progress.update(state);
      },
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw new OctavoError("cancelled", "Interrupted.", { cause });
    throw cause;
  } finally {
    progress.end();
  }
}

/** To four times what was in use, the most that V8 takes by itself, before it is looked through: 0.2 s of CPU of 17. */
function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * V8 looks through its whole heap each time that buffers have grown by some megabytes, as those of rendered
 * pages do: 28 times on 3,400 pages. Counted together with the heap they let it wait, for 0.8 s of CPU of 18.
 * An export that renders few pages again would pay a tenth more.
 */
function countBuffersWithHeap(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}

/** A folder that is gone when it is disposed of, also after an interruption. */
export async function scratchFolder(
  context: CommandContext,
): Promise<AsyncDisposable & { readonly path: string }> {
  // Asked for before there is anything to leave behind: from here on a signal does not end the process.
  context.interrupted();
  const path = await mkdtemp(join(tmpdir(), "octavo-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** `a, b,c` as a person lists pages; undefined where none were named. */
export function listOf(text: string | undefined): { paths?: readonly string[] } {
  const paths = text
    ?.split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  return paths && paths.length > 0 ? { paths } : {};
}
