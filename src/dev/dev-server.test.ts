import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder, writeFiles } from "../../test/support/temporary-folder.ts";
import { openDevServer } from "./index.ts";

const page = (title: string) => `---\ntitle: ${title}\n---\n\nText.`;

test("what is saved while the site is read for the first time is shown", async () => {
  await using folder = await temporaryFolder();
  const site = { name: "Harbour", metadata: { timestamp: true }, navigation: { pages: ["index"] } };
  await writeFiles(folder.path, { "docs.json": JSON.stringify(site), "index.mdx": page("Before") });
  let isSaved = false;
  await using dev = await openDevServer({
    siteDir: folder.path,
    origin: {
      // Asked when the files were read.
      async lastChanges() {
        if (!isSaved) await writeFile(join(folder.path, "index.mdx"), page("After"));
        isSaved = true;
        return new Map();
      },
      links: () => Promise.resolve(undefined),
    },
    onProblems: () => undefined,
    onFailure: (failure) => assert.fail(failure),
    onFault: (error) => assert.fail(String(error)),
  });
  dev.server.listen(0, "127.0.0.1");
  await once(dev.server, "listening");
  const { port } = dev.server.address() as AddressInfo;
  const signal = AbortSignal.timeout(20_000);
  const shown = async () => await (await fetch(`http://127.0.0.1:${port}/index.html`)).text();
  while (!(await shown()).includes("<title>After")) {
    await wait(10, undefined, { signal }).catch(() =>
      assert.fail("It still shows what was there before."),
    );
  }
});
