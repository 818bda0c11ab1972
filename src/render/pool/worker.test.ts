import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import type { RenderSetup } from "./protocol.ts";
import { startWorker } from "./worker.ts";
import type { WorkerEnd } from "./worker.ts";

/** A child that answers for the first page while the parent is still at what it asked before, and then for no other. */
const program = `
  import { writeFileSync } from "node:fs";
  process.on("message", ({ type, id }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type !== "render" || id > 1) return;
    process.send({ type: "read", request: 1, path: "a" });
    const answered = () => writeFileSync(new URL("answered", import.meta.url), "");
    process.send({ type: "rendered", id, page: {} }, answered);
  });
`;

test("a page is not to blame for the time of the one before it, whose answer came as its child was ended", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "child.mjs": program });
  const rendered: string[] = [];
  const end = await new Promise<WorkerEnd>((onEnd) => {
    const worker = startWorker<string>({
      sandbox: { wrapper: [process.execPath, join(folder.path, "child.mjs")], hasNoNetwork: false },
      setup: {} as RenderSetup,
      async readFile() {
        const nothing = new Int32Array(new SharedArrayBuffer(4));
        while (!existsSync(join(folder.path, "answered"))) Atomics.wait(nothing, 0, 0, 5);
        t.mock.timers.tick(1_500);
        return undefined;
      },
      pageMs: 1_500,
      onRendered: (job) => rendered.push(job),
      onFailed: (job) => assert.fail(job),
      onEnd,
    });
    worker.give("first", {} as never);
    worker.give("second", {} as never);
  });
  assert.deepEqual(rendered, ["first"]);
  assert.equal(end.kind, "late");
});
