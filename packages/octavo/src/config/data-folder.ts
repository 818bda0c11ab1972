import { prepareFolder } from "./prepare-folder.ts";

/**
 * Creates the data folder if it is missing, accessible to its owner only, and checks that it is writable.
 * Throws `invalid_input` with the reason if it cannot be used.
 */
export function prepareDataFolder(path: string): void {
  const advice = "choose another folder with --data or OCTAVO_DATA";
  prepareFolder({ path, name: "The data folder", advice, mode: 0o700 });
}
