import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);
const packages = ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"];
/** Stays between runs; `dpkg` finds no trace of it. */
const kept = join(tmpdir(), `octavo-test-ceph-${userInfo().uid}`);
const startMs = 120_000;

/** Ceph's gateway for S3, with a monitor and one store in memory. */
export interface CephGateway extends AsyncDisposable {
  readonly endpoint: string;
}

/**
 * Starts the gateway on the loopback, from Debian packages that are extracted into a folder and not installed. Its
 * user's keys become the credentials of this process. Needs Debian's `apt-get` and `dpkg`, and python3.
 */
export async function startCeph(): Promise<CephGateway> {
  await using starting = new AsyncDisposableStack();
  if (!existsSync(kept)) await extractPackages();
  const folder = starting.use(await temporaryFolder()).path;
  const [monitorPort, port] = [await freePort(), await freePort()];
  const cluster = randomUUID();
  await writeFile(join(folder, "ceph.conf"), configOf({ folder, cluster, monitorPort, port }));
  for (const name of ["mon", "osd", "out"]) await mkdir(join(folder, name));
  const { env, ceph } = createRunner(folder);
  const start = (...words: [string, ...string[]]) => {
    const child = spawn(...program(folder, words), { env, stdio: "ignore" });
    starting.defer(() => end(child));
  };

  const keyring = join(folder, "keyring");
  const names = ["mon.", "client.admin", "client.rgw", "osd.0"];
  for (const [index, name] of names.entries()) {
    const all = ["mon", "osd"].flatMap((kind) => ["--cap", kind, "allow *"]);
    const create = index === 0 ? ["--create-keyring"] : [];
    await ceph("ceph-authtool", keyring, ...create, "--gen-key", "-n", name, ...all);
  }
  const map = join(folder, "monmap");
  const place = `[v2:127.0.0.1:${monitorPort}]`;
  await ceph("monmaptool", "--create", "--fsid", cluster, "--addv", "a", place, map);
  await ceph("ceph-mon", "-i", "a", "--keyring", keyring, "--mkfs", "--monmap", map);
  start("ceph-mon", "-i", "a", "-f");
  const store = randomUUID();
  await ceph("ceph", "--connect-timeout", String(startMs / 1000), "osd", "new", store);
  await ceph("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", store);
  start("ceph-osd", "-i", "0", "-f");
  start("radosgw", "-n", "client.rgw", "-f");
  const endpoint = `http://127.0.0.1:${port}`;
  await untilReady(endpoint);

  const keys = { id: randomBytes(10).toString("hex"), secret: randomBytes(20).toString("hex") };
  const user = ["--uid", "octavo", "--display-name", "Octavo"];
  const given = ["--access-key", keys.id, "--secret-key", keys.secret];
  await ceph("radosgw-admin", "user", "create", ...user, ...given);
  process.env["AWS_ACCESS_KEY_ID"] = keys.id;
  process.env["AWS_SECRET_ACCESS_KEY"] = keys.secret;
  const started = starting.move();
  return { endpoint, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** With all that they need and this machine does not have. */
async function extractPackages(): Promise<void> {
  const draft = await mkdtemp(`${kept}-`);
  const simulated = ["--simulate", "--no-install-recommends", "install", ...packages];
  const { stdout } = await run("apt-get", simulated, { maxBuffer: 10_000_000 });
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
  if (!names.includes("radosgw")) throw new Error("radosgw is installed; no folder can be made.");
  await run("apt-get", ["download", ...names], { cwd: draft, maxBuffer: 10_000_000 });
  for (const name of await readdir(draft)) {
    await run("dpkg", ["-x", join(draft, name), join(draft, "root")]);
    await rm(join(draft, name));
  }
  await rename(join(draft, "root"), kept);
  await rm(draft, { recursive: true });
}

interface Cluster {
  readonly folder: string;
  readonly cluster: string;
  readonly monitorPort: number;
  readonly port: number;
}

const triplet = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
const libraries = join(kept, "usr/lib", triplet);

function configOf({ folder, cluster, monitorPort, port }: Cluster): string {
  return `[global]
fsid = ${cluster}
mon host = v2:127.0.0.1:${monitorPort}
public addr = 127.0.0.1
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
osd objectstore = memstore
memstore device bytes = 1073741824
plugin dir = ${libraries}/ceph
erasure code dir = ${libraries}/ceph/erasure-code
osd class dir = ${libraries}/rados-classes
mon data = ${folder}/mon
osd data = ${folder}/osd
run dir = ${folder}/out
admin socket = ${folder}/out/$name.asok
log file = ${folder}/out/$name.log
pid file = ${folder}/out/$name.pid
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw thread pool size = 32
`;
}

function createRunner(folder: string) {
  const env = {
    PATH: process.env["PATH"],
    LD_LIBRARY_PATH: [libraries, join(libraries, "ceph"), join(kept, "lib", triplet)].join(":"),
    PYTHONPATH: join(kept, "usr/lib/python3/dist-packages"),
  };
  const ceph = async (...words: [string, ...string[]]): Promise<void> => {
    await run(...program(folder, words), { env, timeout: startMs });
  };
  return { env, ceph };
}

/** The tool `ceph` is a script, whose first line names a Python that may not be there. */
function program(folder: string, [name, ...words]: [string, ...string[]]): [string, string[]] {
  const path = join(kept, "usr/bin", name);
  if (name === "ceph-authtool" || name === "monmaptool") return [path, words];
  const args = ["-c", join(folder, "ceph.conf"), ...words];
  return name === "ceph" ? ["python3", [path, ...args]] : [path, args];
}

async function untilReady(endpoint: string): Promise<void> {
  for (const end = Date.now() + startMs; ; await sleep(200)) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (response?.ok) return;
    if (Date.now() > end) throw new Error(`Ceph's gateway is not ready after ${startMs} ms.`);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
