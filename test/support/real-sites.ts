import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export interface RealSite {
  readonly name: string;
  readonly dir: string;
}

/** The manual of this repository, and every site below the folder that OCTAVO_SITES names. */
export function realSites(): RealSite[] {
  const manual = { name: "manual", dir: resolve(import.meta.dirname, "../../docs") };
  const folder = process.env["OCTAVO_SITES"];
  if (folder === undefined) return [manual];
  const others = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ name: entry.name, dir: join(folder, entry.name) }));
  return [manual, ...others];
}

/** Why tests on real sites run on the manual alone; undefined where they run on all. */
export function whyNoRealSites(): string | undefined {
  if (process.env["OCTAVO_SITES"] !== undefined) return undefined;
  return "OCTAVO_SITES names no folder of documentation sites";
}
