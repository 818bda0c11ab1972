/**
 * `npm run test:image`, as root on Debian with debootstrap, podman and runc: builds the image only from Debian and npm
 * packages, runs it as the manual describes, and reports its observations. Fails if the image does not match the
 * manual. Takes several minutes, and 5 GB in the folder for temporary files.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Containment } from "@octavo/site/sandbox";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { makeBaseImage } from "./image/base-image.ts";
import { buildImage, measureImage } from "./image/build-image.ts";
import { startContainer } from "./image/container.ts";
import type { Container } from "./image/container.ts";
import { exportDemo, isExportKept } from "./image/demo-export.ts";
import { openPodman } from "./image/podman.ts";
import type { Podman } from "./image/podman.ts";

const repository = resolve(import.meta.dirname, "..");
const image = "localhost/octavo";
const maxImageBytes = 350_000_000;
const graceSeconds = 10;

const noNamespaces = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [{ names: ["unshare"], action: "SCMP_ACT_ERRNO", errnoRet: 1 }],
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function checkSize(podman: Podman): Promise<void> {
  const bytes = await measureImage(podman, image);
  say(`image: ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(bytes <= maxImageBytes, `The image is larger than ${maxImageBytes / 1e6} MB`);
}

async function checkRights(container: Container): Promise<void> {
  assert.notEqual(await container.execute("id", "--user"), "0");
  const command = await container.execute("cat", "/proc/1/cmdline");
  assert.match(command, /^[^\0]*node\0/, "Signals are sent to a program other than the service");
  const status = await container.execute("cat", "/proc/1/status");
  assert.match(status, /^CapEff:\s+0+$/m, "The service has root capabilities");
  for (const folder of ["/", "/opt/octavo", "/usr/local/bin"]) {
    await assert.rejects(container.execute("touch", `${folder}/probe`), /[Rr]ead-only file system/);
  }
  say("user: no root, no capabilities, and no writable location except /data and /tmp");
}

async function checkStop(container: Container): Promise<void> {
  const started = performance.now();
  const code = await container.stop(graceSeconds);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  assert.equal(code, 0, `Ended with ${code} after SIGTERM`);
  say(`SIGTERM: ended by itself in ${seconds} s`);
}

/** Throws an error whose message lists the missing programs. */
function checkPrograms(): void {
  const missing = ["debootstrap", "podman", "runc"].filter(
    (program) => spawnSync(program, ["--version"]).error !== undefined,
  );
  if (missing.length === 0) return;
  throw new Error(
    `The image cannot be tested without ${missing.join(", ")}: apt-get install --no-install-recommends ${missing.join(" ")}`,
  );
}

checkPrograms();
await using folder = await temporaryFolder();
await using podman = await openPodman(folder.path);
const containerfile = resolve(repository, "Containerfile");
say("Making the base from Debian's packages");
await makeBaseImage(podman, { containerfile, folder: folder.path });
say("Building the image");
await buildImage(podman, { repository, name: image });
await checkSize(podman);

const first = await startContainer(podman, { image, volume: "data" });
await first.waitForHealth();
say(`healthy: Octavo ${await first.execute("octavo", "--version")}`);
await checkRights(first);
const key = await first.execute("cat", "/data/admin-key");
const { jobId, pages, bundleBytes } = await exportDemo(first.url, key);
say(`export: ${pages} pages, ${(bundleBytes / 1e6).toFixed(1)} MB`);
await checkStop(first);

// Like Docker's own profile, this profile denies `unshare`.
const systemCalls = join(folder.path, "no-namespaces.json");
await writeFile(systemCalls, JSON.stringify(noNamespaces));
const second = await startContainer(podman, { image, volume: "data", systemCalls });
await second.waitForHealth();
assert.ok(await isExportKept(second.url, key, jobId), "The export is gone after a restart");
say("volume: the export still exists after a restart");
await exportDemo(second.url, key);
const containment: Containment = "by Node alone";
assert.ok((await second.readLog()).includes(`"containment":"${containment}"`));
say("without namespaces: exports, and says in the log what is missing");
await checkStop(second);
