/** Tests the sandbox if the test runner runs it; if started in the sandbox, it is the program that tries to get out. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { detectSandbox, spawnSandboxed, wakeChild } from "./sandbox.ts";

const thisFile = new URL(import.meta.url);
/** The folder from which a child takes compiled code, if it does. */
const cacheFolder = process.argv[3] ?? "/tmp";
const isInside = "permission" in process && process.permission !== undefined;

function outcome(attempt: () => unknown): string {
  try {
    attempt();
    return "done";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

function outcomeOfConnecting(address: NetConnectOpts): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve("done"));
    socket.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  });
}

interface Host {
  readonly port: number;
  /** The path of a Unix socket. */
  readonly path: string;
  readonly pid: number;
}

async function tryToGetOut({ port, path, pid }: Host): Promise<Record<string, unknown>> {
  return {
    readForeign: outcome(() => readFileSync("/etc/passwd")),
    readRepository: outcome(() => readFileSync(new URL("../../../../README.md", thisFile))),
    listRoot: outcome(() => readdirSync("/")),
    readParentEnvironment: outcome(() => readFileSync(`/proc/${process.ppid}/environ`)),
    write: outcome(() => writeFileSync("/tmp/octavo-sandbox-escape", "x")),
    writeCompiledCode: outcome(() => writeFileSync(join(cacheFolder, "escape"), "x")),
    writeSource: outcome(() => writeFileSync(thisFile, "x", { flag: "a" })),
    start: outcome(() => spawnSync("true")),
    thread: outcome(() => new Worker("0", { eval: true })),
    connect: await outcomeOfConnecting({ port, host: "127.0.0.1" }),
    connectUnixSocket: await outcomeOfConnecting({ path }),
    signal: outcome(() => process.kill(pid, 0)),
    environment: Object.keys(process.env),
  };
}

/** Returns undefined if the process has ended. */
function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0", 1)[0] || undefined;
  } catch {
    return undefined;
  }
}

async function runInside(host: Host, isAsleep: boolean): Promise<Record<string, unknown>> {
  const child = spawnSandboxed(detectSandbox(), thisFile, { isAsleep });
  if (isAsleep) wakeChild(child);
  child.send(host);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The child ended with ${String(code)} before it answered.`);
  });
  const [answer] = (await Promise.race([once(child, "message"), ended])) as [
    Record<string, unknown>,
  ];
  child.kill("SIGKILL");
  return answer;
}

export function main(): void {
  process.once("message", (host: Host) => {
    void tryToGetOut(host).then((answer) => process.send?.(answer));
  });
}

if (!isInside) {
  test("a child reads, writes, starts and knows nothing", (t) => testContainment(t, false));

  test(
    "nor does one that was asleep until it was woken",
    { skip: process.platform !== "linux" },
    (t) => testContainment(t, true),
  );

  async function testContainment(t: TestContext, isAsleep: boolean): Promise<void> {
    const { createServer } = await import("node:net");
    const { temporaryFolder } = await import("../../../../test/support/temporary-folder.ts");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await using folder = await temporaryFolder();
    const path = join(folder.path, "socket");
    const unixServer = createServer().listen(path);
    await once(unixServer, "listening");
    process.env["OCTAVO_TEST_SECRET"] = "a secret of the service";
    const answer = await runInside({ port, path, pid: process.pid }, isAsleep);
    delete process.env["OCTAVO_TEST_SECRET"];
    server.close();
    unixServer.close();
    const denied = "ERR_ACCESS_DENIED";
    for (const attempt of [
      "readForeign",
      "readRepository",
      "listRoot",
      "readParentEnvironment",
      "write",
      "writeCompiledCode",
      "writeSource",
      "start",
      "thread",
    ]) {
      assert.equal(answer[attempt], denied, attempt);
    }
    const sandbox = detectSandbox();
    // Bubblewrap sets one, to `/`.
    const allowed = "around" in sandbox ? "PWD" : "";
    assert.deepEqual(
      (answer["environment"] as string[]).filter((name) => name !== allowed),
      [],
    );
    if ("around" in sandbox || sandbox.hasNoNetwork) assert.notEqual(answer["connect"], "done");
    if (!("around" in sandbox)) return t.diagnostic("Bubblewrap does not start here");
    // The filter's own response: there is not even a socket for connecting.
    assert.deepEqual(
      [answer["connect"], answer["connectUnixSocket"], answer["signal"]],
      ["EPERM", "EPERM", "ESRCH"],
    );
  }

  test(
    "a child ends with its parent, also when it hangs",
    { skip: process.platform !== "linux" },
    async (t) => {
      const program = `
      import { readFileSync } from "node:fs";
      import { findProgramId } from ${JSON.stringify(new URL("contained-program.ts", thisFile).href)};
      import { detectSandbox, spawnSandboxed } from ${JSON.stringify(new URL("sandbox.ts", thisFile).href)};
      const child = spawnSandboxed(detectSandbox(), new URL(${JSON.stringify(thisFile.href)}));
      const tell = () => {
        const pid = findProgramId(child.pid);
        if (readFileSync(\`/proc/\${pid}/cmdline\`, "utf8").startsWith(process.execPath + "\\0")) console.log(pid);
        else setTimeout(tell, 10);
      };
      tell();
      setInterval(() => {}, 1000);
    `;
      const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: fileURLToPath(new URL(".", thisFile)),
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.after(() => parent.kill("SIGKILL"));
      // The sandbox may not read the helper for this in `test/support`.
      const signal = AbortSignal.timeout(300_000);
      const [line] = (await once(parent.stdout, "data", { signal })) as [Buffer];
      const pid = Number(line.toString());
      process.kill(pid, "SIGSTOP");
      parent.kill("SIGKILL");
      await once(parent, "exit");
      while (programOf(pid) !== undefined) await wait(10, undefined, { signal });
    },
  );
}
