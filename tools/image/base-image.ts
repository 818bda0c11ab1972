import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Podman } from "./podman.ts";

const execute = promisify(execFile);
const mirror = "http://deb.debian.org/debian";

/** Files that Debian's slim images omit, and temporary files of an installation. */
const leftOut = [
  "usr/share/doc",
  "usr/share/info",
  "usr/share/lintian",
  "usr/share/locale",
  "usr/share/man",
  "var/cache/apt",
  "var/lib/apt/lists",
  "var/log",
];

/** Returns the name of the Containerfile's base image, and the Debian release in that image. */
export async function readBaseName(
  containerfile: string,
): Promise<{ readonly name: string; readonly release: string }> {
  const text = await readFile(containerfile, "utf8");
  const names = new Set([...text.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]));
  const [name = ""] = names;
  const release = /^docker\.io\/library\/debian:([a-z]+)-slim$/.exec(name)?.[1];
  if (names.size === 1 && release !== undefined) return { name, release };
  throw new Error(
    `${containerfile} is based on ${[...names].join(", ")}, not on a single slim Debian image.`,
  );
}

/**
 * Builds Debian's slim image from Debian's packages if no image registry can be reached, and gives it the name that the
 * Containerfile requires.
 */
export async function makeBaseImage(
  podman: Podman,
  { containerfile, folder }: { readonly containerfile: string; readonly folder: string },
): Promise<void> {
  const { name, release } = await readBaseName(containerfile);
  const root = join(folder, "base");
  const archive = join(folder, "base.tar");
  await execute("debootstrap", ["--variant=minbase", release, root, mirror], {
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of leftOut) await emptyFolder(join(root, path));
  await execute("tar", [
    "--create",
    "--numeric-owner",
    "--file",
    archive,
    "--directory",
    root,
    ".",
  ]);
  await podman.ask("import", archive, name);
  await rm(root, { recursive: true });
  await rm(archive);
}

async function emptyFolder(path: string): Promise<void> {
  await execute("find", [path, "-mindepth", "1", "-delete"]);
}
