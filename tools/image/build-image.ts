import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Podman } from "./podman.ts";

const execute = promisify(execFile);

/**
 * Returns options that mount the machine's credentials and certificates for the npm registry while npm runs. They do
 * not become part of any layer.
 */
function registrySecrets(): string[] {
  const { npm_config_userconfig: npmrc = "", SSL_CERT_FILE: given = "" } = process.env;
  const certificates = given === "" ? "/etc/ssl/certs/ca-certificates.crt" : given;
  return Object.entries({ npmrc, "ca-certificates": certificates })
    .filter(([, file]) => file !== "" && existsSync(file))
    .map(([id, file]) => `--secret=id=${id},src=${file}`);
}

/** Builds the image from the Containerfile. The base image must already exist locally. */
export async function buildImage(
  podman: Podman,
  { repository, name }: { readonly repository: string; readonly name: string },
): Promise<void> {
  await podman.show(
    "build",
    `--file=${join(repository, "Containerfile")}`,
    `--tag=${name}`,
    "--pull=never",
    // A layer for each step would be a copy of all files, which takes 35 GB in total.
    "--layers=false",
    // Only this format supports a health check.
    "--format=docker",
    "--isolation=chroot",
    "--network=host",
    ...registrySecrets(),
    repository,
  );
}

/** Returns the total size in bytes of all files of the image. Each file counts once, with its apparent size. */
export async function measureImage(podman: Podman, name: string): Promise<number> {
  const root = await podman.ask("image", "mount", name);
  const { stdout } = await execute("du", ["--summarize", "--bytes", root]);
  await podman.ask("image", "unmount", name);
  return Number.parseInt(stdout, 10);
}
