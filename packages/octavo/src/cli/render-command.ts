import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { OctavoError } from "@octavo/site/core";
import type { CheckedPage, ExportSettings, RenderResult } from "@octavo/site";
import type { CommandContext } from "./context.ts";
import { createProgress } from "./progress.ts";

/**
 * Renders and checks a site with its progress shown; `onPages` sees what is checked, and
 * must read what it needs before it returns. Throws `cancelled` when the person
 * interrupts.
 */
export async function renderShown(
  context: CommandContext,
  settings: ExportSettings,
  onPages?: (pages: readonly CheckedPage[]) => void,
): Promise<RenderResult> {
  const signal = context.interrupted();
  const progress = createProgress(context.terminal);
  const isPart = settings.paths !== undefined;
  // Loaded here, so that commands which render nothing do not wait for it (0.1 s).
  const library = await import("@octavo/site");
  // After the library is loaded: compiled code is cached for the flags it was compiled with.
  library.tuneForShortRun();
  raiseHeapGrowth();
  try {
    return await library.renderSite({
      ...settings,
      check(site, pages) {
        onPages?.(pages);
        return library.checkSite(site, pages, { isPart });
      },
      checkedAs: "site",
      onProgress(state) {
        if (state.rendered === library.longRunPages) {
          library.tuneForLongRun();
          countBuffersInHeapLimit();
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

/** Has V8 collect the heap only when it has grown to four times its size, V8's own maximum: 0.2 s less of 17 s of CPU. */
function raiseHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * V8 collects its whole heap each time buffers have grown by some megabytes, as those of rendered pages do: 28 times on
 * 3,400 pages. With buffers counted in the heap's limit it waits, which saves 0.8 s of 18 s of CPU; an export that
 * renders few pages again would need a tenth more.
 */
function countBuffersInHeapLimit(): void {
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
