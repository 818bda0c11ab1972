import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chromiumProgram } from "../../../../test/support/chromium.ts";
import { patience } from "../../../../test/support/patience.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createPageCamera } from "./page-camera.ts";

const { signal } = new AbortController();

async function openCamera(wrap = async (path: string) => path) {
  const { path, env: environment } = await chromiumProgram();
  const program = await wrap(path);
  const warnings: string[] = [];
  const draw = createPageCamera({ program, environment, onFailure: (text) => warnings.push(text) });
  return { draw, warnings };
}

/** Reports whether a process runs; one that has ended and waits for its parent does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("the camera", () => {
  it("draws the beginning of a page, and tells its height", async () => {
    const { draw, warnings } = await openCamera();
    const short = await draw("<!doctype html><body style='margin:0'><p>One line", signal);
    assert.deepEqual([...short.jpeg.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.equal(short.drawnHeight, short.height);
    const long = await draw("<!doctype html><div style='height:9000px'>", signal);
    assert.ok(long.height >= 9_000);
    assert.equal(long.drawnHeight, 2_400);
    assert.deepEqual(warnings, []);
  });

  it("runs no script and sends no request, and leaves nothing behind", async () => {
    const before = await readdir(tmpdir());
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { port } = server.address() as AddressInfo;
      const origin = `http://127.0.0.1:${port}`;
      const { draw } = await openCamera();
      const { height } = await draw(
        `<!doctype html><meta http-equiv="refresh" content="0;url=${origin}/refresh">
        <link rel="stylesheet" href="${origin}/style"><img src="${origin}/image"><iframe src="${origin}/frame"></iframe>
        <iframe src="file:///etc/passwd"></iframe><object data="${origin}/object"></object>
        <body onload="grow()"><script>function grow() { document.body.style.height = "9000px"; } grow();</script>`,
        signal,
      );
      assert.ok(height < 9_000, "a script ran");
      assert.deepEqual(asked, []);
    } finally {
      server.close();
    }
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith("octavo-browser-"));
    assert.deepEqual(
      left.filter((name) => !before.includes(name)),
      [],
    );
  });

  it("ends a browser that a script starts", async (t) => {
    const folder = await temporaryFolder();
    t.after(() => folder[Symbol.asyncDispose]());
    const pidFile = join(folder.path, "pid");
    const { draw } = await openCamera(async (path) => {
      const script = join(folder.path, "chromium");
      const environment = 'PATH="/usr/bin:/bin"';
      await writeFile(script, `#!/bin/sh\n${environment}\n"${path}" "$@" &\necho $! > "${pidFile}"\nwait\n`, { mode: 0o755 }); // prettier-ignore
      return script;
    });
    await draw("<p>One line", signal);
    const pid = Number(await readFile(pidFile, "utf8"));
    while (isRunning(pid)) await sleep(20, undefined, { signal: patience() });
  });

  it("says that a program is not a browser, and is ended by the signal", async () => {
    for (const program of ["/nowhere/chromium", process.execPath]) {
      const warnings: string[] = [];
      const onFailure = (text: string) => warnings.push(text);
      await assert.rejects(
        createPageCamera({ program, environment: {}, onFailure })("<p>", signal),
        {
          code: "unavailable",
          message:
            "There is no picture of the page, because the browser failed to start or exited early.",
        },
      );
      assert.equal(warnings.length, 1);
      assert.ok(
        warnings[0]?.startsWith(`${program} failed to start or exited early: `),
        warnings[0],
      );
    }
    const { draw } = await openCamera();
    const ending = new AbortController();
    const drawing = draw("<p>", ending.signal);
    ending.abort(new Error("Cancelled."));
    await assert.rejects(drawing, /Cancelled\./);
  });
});
