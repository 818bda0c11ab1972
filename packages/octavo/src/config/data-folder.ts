import { chmodSync, statSync } from "node:fs";
import { OctavoError } from "@octavo/site/core";
import { prepareFolder } from "./folders.ts";

const groupAccess = 0o070;
const othersAccess = 0o007;
const root = 0;

/**
 * Creates the data folder if it is missing, accessible to its owner only, and checks that it is writable. An existing
 * one that other users can read or write is closed to them; returns a sentence that says so. From now on, what this
 * process creates anywhere is accessible to its owner only. Throws `invalid_input` with the reason if the folder
 * cannot be used, also where it belongs to somebody else and other users can reach into it.
 */
export function prepareDataFolder(path: string): string | undefined {
  // The embedded database asks for files that everybody can write.
  process.umask(0o077);
  const advice = "choose another folder with --data or OCTAVO_DATA";
  prepareFolder({ path, name: "The data folder", advice, mode: 0o700 });
  // Its modes say nothing of who has access.
  if (process.platform === "win32") return undefined;
  return closeToOthers(path, advice);
}

function closeToOthers(path: string, advice: string): string | undefined {
  const { mode, uid } = statSync(path);
  // A volume of a container belongs to root, and to a group that the service alone is in.
  const isVolume = uid === root && process.getuid?.() !== root;
  const open = mode & (isVolume ? othersAccess : groupAccess | othersAccess);
  if (open === 0) return undefined;
  const canWrite = (open & 0o022) !== 0;
  const access = canWrite ? "write to" : "read";
  try {
    chmodSync(path, mode & 0o7700);
  } catch (cause) {
    throw new OctavoError(
      "invalid_input",
      `Other users of this machine can ${access} the data folder ${path}, which belongs to another user; have its owner run chmod go= on it, or ${advice}.`,
      { cause },
    );
  }
  const doubt = canWrite ? " Replace it with a backup if one of them may have changed files." : "";
  return `Other users of this machine could ${access} the data folder ${path}; it is accessible to its owner only now.${doubt}`;
}
