import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { openLauncher } from "./launcher.ts";
import { ownProcesses } from "./processes.ts";
import type { Processes } from "./processes.ts";

const env = { PATH: process.env["PATH"] ?? "" };
const command = (script: string, hasInput = false) => ({
  program: "sh",
  args: ["-c", script],
  env,
  hasInput,
});

/** Returns the ID of the process that starts programs. */
async function launcherOf(processes: Processes): Promise<number> {
  const { stdout, exited } = await processes.start(command("echo $PPID"));
  const id = Number(await text(stdout));
  await exited;
  return id;
}

/** Waits as long as the test runs. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await wait(20);
  }
}

for (const [name, open] of [
  ["children of this process", () => ({ ...ownProcesses, async [Symbol.asyncDispose]() {} })],
  ["children of the launcher", openLauncher],
] as const) {
  describe(name, () => {
    it("read, write, say what failed, and end with a code", async () => {
      await using processes = open();
      const script = 'cat; printf "%s" "$WORD" >&2; exit 3';
      const start = { ...command(script, true), env: { ...env, WORD: "kärglich" } };
      const { stdin, stdout, exited } = await processes.start(start);
      stdin.end("a\nb");
      assert.equal(await text(stdout), "a\nb");
      assert.deepEqual(await exited, { exitCode: 3, stderr: "kärglich" });
    });

    it("have an empty input where they get none", async () => {
      await using processes = open();
      const { stdin, stdout, exited } = await processes.start(command("cat; echo read"));
      stdin.end("dropped");
      assert.equal(await text(stdout), "read\n");
      assert.equal((await exited).exitCode, 0);
    });

    it("need not read everything, and what they wrote is there", async () => {
      await using processes = open();
      const script = "exec <&-; head -c 300000 /dev/zero; exit 2";
      const { stdin, stdout, exited } = await processes.start(command(script, true));
      stdin.end("x".repeat(5_000_000));
      assert.equal((await buffer(stdout)).length, 300_000);
      assert.equal((await exited).exitCode, 2);
    });

    it("may say more of failures than is kept", async () => {
      await using processes = open();
      const { stdout, exited } = await processes.start(command("yes no | head -c 9000000 >&2"));
      stdout.resume();
      const { stderr } = await exited;
      assert.ok(stderr.startsWith("no\nno\n") && stderr.length < 200_000, String(stderr.length));
    });

    it("run side by side without mixing what they write", async () => {
      await using processes = open();
      const outputs = Array.from({ length: 30 }, async (_, index) => {
        const running = await processes.start(command(`cat; echo ${index}`, true));
        running.stdin.end(`${index} `);
        return await text(running.stdout);
      });
      const expected = outputs.map((_, index) => `${index} ${index}\n`);
      assert.deepEqual(await Promise.all(outputs), expected);
    });

    it("are ended with all that they started", async () => {
      await using processes = open();
      const { stdout, exited, stop } = await processes.start(
        command("sleep 600 & echo $!; trap '' TERM; while :; do sleep 600; done"),
      );
      const [line] = (await once(stdout, "data")) as [Buffer];
      stop();
      stdout.resume();
      assert.equal((await exited).exitCode, 1);
      await untilGone(Number(line.toString()));
    });

    it("are refused with the system's code where there is no such program", async () => {
      await using processes = open();
      const start = processes.start({ ...command(""), program: "octavo-has-none" });
      await assert.rejects(start, { code: "ENOENT" });
    });
  });
}

const isLinux = process.platform === "linux";

describe("a launcher", { skip: !isLinux && "Only Linux has one." }, () => {
  it("starts all programs by one process, which goes when it is disposed of", async () => {
    const processes = openLauncher();
    const [id, again] = [await launcherOf(processes), await launcherOf(processes)];
    assert.equal(again, id);
    assert.notEqual(id, process.pid);
    await processes[Symbol.asyncDispose]();
    await untilGone(id);
  });

  it("is started again when it died, and says so of what ran", async () => {
    await using processes = openLauncher();
    const id = await launcherOf(processes);
    const { stdout, exited, stop } = await processes.start(command("echo; exec sleep 600"));
    await once(stdout, "data");
    process.kill(id, "SIGKILL");
    await untilGone(id);
    const next = await launcherOf(processes);
    assert.notEqual(next, id);
    stdout.resume();
    stop();
    const { exitCode, stderr } = await exited;
    assert.deepEqual([exitCode, stderr], [1, "The process that started it has exited."]);
  });

  it("keeps no connection to a program that was not started", async () => {
    await using processes = openLauncher();
    await launcherOf(processes);
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 20; round++) {
      const start = processes.start({ ...command("", true), program: "octavo-has-none" });
      await assert.rejects(start, { code: "ENOENT" });
    }
    // Waits as long as the test runs.
    while (readdirSync("/proc/self/fd").length > before) await wait(20);
  });

  it("keeps no process from its end", async () => {
    const module = JSON.stringify(join(import.meta.dirname, "launcher.ts"));
    const script =
      `import { openLauncher } from ${module};` +
      `const started = { program: "sh", args: ["-c", "echo $PPID"], env: {}, hasInput: false };` +
      "const { stdout } = await openLauncher().start(started);" +
      "for await (const line of stdout) process.stdout.write(line);";
    const flags = process.execArgv.filter((flag) => !flag.startsWith("--test"));
    const all = [...flags, "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, all);
    await untilGone(Number(stdout));
  });

  it("takes no connection of others", async () => {
    await using processes = openLauncher();
    await launcherOf(processes);
    const names = readFileSync("/proc/net/unix", "utf8").matchAll(/@(octavo-[\da-f-]+)$/gm);
    for (const [, name] of names) {
      const stranger = connect(`\0${name}`).on("error", () => undefined);
      stranger.end(`${name?.slice("octavo-".length)}>`);
      await new Promise((resolve) => void stranger.resume().once("close", resolve));
    }
    assert.ok((await launcherOf(processes)) > 0);
  });
});
