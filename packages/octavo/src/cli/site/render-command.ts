import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { CheckedPage, ExportSettings, RenderResult } from "@octavo/site";
import type { CommandContext } from "../context.ts";
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
  const tune = library.tuneForRendering();
  try {
    return await library.renderSite({
      ...settings,
      check(site, pages) {
        onPages?.(pages);
        return library.checkSite(site, pages, { isPart });
      },
      // Links to pages that were left out are not looked at.
      checkedAs: isPart ? undefined : "site",
      onProgress(state) {
        tune(state);
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
