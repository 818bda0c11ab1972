import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderSite } from "../../packages/site/src/index.ts";

/** Exports the manual, which the service shows, to an archive. Throws if a page has an error. */
export async function exportManual(manual: string, file: string): Promise<void> {
  const outDir = mkdtempSync(join(tmpdir(), "octavo-manual-"));
  try {
    const { problems } = await renderSite({
      siteDir: manual,
      outDir,
      archive: { format: "zip", file },
      addresses: "clean",
    });
    const errors = problems.filter(({ severity }) => severity === "error");
    if (errors.length > 0) {
      throw new Error(`The manual has errors:\n${errors.map(({ message }) => message).join("\n")}`);
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}
