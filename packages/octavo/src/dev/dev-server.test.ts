import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { patience } from "../../../../test/support/patience.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { openDevServer } from "./index.ts";
import type { DevServer } from "./index.ts";

const page = (title: string) => `---\ntitle: ${title}\n---\n\nText.`;

/** On a port of its own, which it gives. */
async function listen({ server }: DevServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("a change that is saved during the first read of the site is shown", async () => {
  await using folder = await temporaryFolder();
  const site = { name: "Harbour", metadata: { timestamp: true }, navigation: { pages: ["index"] } };
  await writeFiles(folder.path, { "docs.json": JSON.stringify(site), "index.mdx": page("Before") });
  let isSaved = false;
  await using dev = await openDevServer({
    settings: {
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
    },
    onProblems: () => undefined,
    onFailure: (failure) => assert.fail(failure),
    onFault: (error) => assert.fail(String(error)),
  });
  const port = await listen(dev);
  const signal = patience();
  const shown = async () => await (await fetch(`http://127.0.0.1:${port}/index.html`)).text();
  while (!(await shown()).includes("<title>After")) {
    await wait(10, undefined, { signal }).catch(() =>
      assert.fail("It still shows what was there before."),
    );
  }
});

/** More than the system keeps for a reader that does not read. */
const filmBytes = 32 * 1024 * 1024;

for (const [what, bytes] of [
  ["grows", filmBytes + 1_000_000],
  ["shrinks", 20_000_000],
] as const) {
  test(`a file that ${what} while it is sent corrupts no other response on its connection`, async () => {
    await using folder = await temporaryFolder();
    const film = join(folder.path, "film.mp4");
    await writeFiles(folder.path, { "docs.json": "{}", "index.mdx": page("Home"), "film.mp4": "" });
    await truncate(film, filmBytes);
    await using dev = await openDevServer({
      settings: { siteDir: folder.path },
      onProblems: () => undefined,
      onFailure: (failure) => assert.fail(failure),
      onFault: (error) => assert.fail(String(error)),
    });
    const socket = connect(await listen(dev), "127.0.0.1");
    const first = "GET /film.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(`${first}GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await once(socket, "readable");
    await truncate(film, bytes);
    const received = (await buffer(socket)).toString("latin1");
    const promised = received.indexOf("\r\n\r\n") + 4 + filmBytes;
    assert.equal(received.indexOf("HTTP/1.1 200", 1), what === "grows" ? promised : -1);
    if (what === "shrinks") assert.ok(received.length < promised);
  });
}
