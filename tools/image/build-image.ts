import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Podman } from "./podman.ts";

const execute = promisify(execFile);

/** The machine's own access to the npm registry. Mounted while npm runs, and not part of any layer. */
function registrySecrets(): string[] {
  const { npm_config_userconfig: npmrc = "", SSL_CERT_FILE: given = "" } = process.env;
  const certificates = given === "" ? "/etc/ssl/certs/ca-certificates.crt" : given;
  return Object.entries({ npmrc, "ca-certificates": certificates })
    .filter(([, file]) => file !== "" && existsSync(file))
    .map(([id, file]) => `--secret=id=${id},src=${file}`);
}

/** Builds the image as the Containerfile says, on bases that are there already. */
export async function buildImage(
  podman: Podman,
  { repository, name }: { readonly repository: string; readonly name: string },
): Promise<void> {
  await podman.show(
    "build",
    `--file=${join(repository, "Containerfile")}`,
    `--tag=${name}`,
    "--pull=never",
    // Each step kept would be a copy of all files: 35 GB.
    "--layers=false",
    // A health check is a part of this format only.
    "--format=docker",
    "--isolation=chroot",
    "--network=host",
    ...registrySecrets(),
    repository,
  );
}

/** Bytes of all files of the image, each counted at its length and once. */
export async function measureImage(podman: Podman, name: string): Promise<number> {
  const root = await podman.ask("image", "mount", name);
  const { stdout } = await execute("du", ["--summarize", "--bytes", root]);
  await podman.ask("image", "unmount", name);
  return Number.parseInt(stdout, 10);
}
