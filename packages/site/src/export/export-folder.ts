import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stagingName } from "./staging-folder.ts";

/** Whether a folder is empty or holds an earlier export, which the next one replaces. */
export function isEmptyOrExport(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(stagingName)) return true;
  return existsSync(join(folder, "_octavo", "report.json"));
}
