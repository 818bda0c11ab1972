import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { SitePreview } from "@octavo/site";
import { createOpenWindows } from "./listeners.ts";
import { createPreviewServer } from "./server.ts";

test("a file that can no longer be opened when its browser is gone does not end the preview", async (t) => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "kept.svg": "<svg>Kept</svg>" });
  // Is there, and cannot be opened: as a file that goes away between two looks.
  const unopenable = createServer().listen(join(folder.path, "gone.svg"));
  t.after(() => unopenable.close());
  await once(unopenable, "listening");

  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const preview: Pick<SitePreview, "find"> = {
    async find(path) {
      if (path === "gone.svg") {
        asked.resolve();
        await left.promise;
      }
      return { type: "asset", file: join(folder.path, path) };
    },
  };
  const listeners = createOpenWindows(() => Promise.resolve([]));
  t.after(() => listeners.close());
  const server = await createPreviewServer({
    preview: preview as SitePreview,
    listeners,
    onFault: (error) => assert.fail(String(error)),
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  server.once("connection", (socket) => socket.once("close", () => left.resolve()));
  const browser = request(`${url}/gone.svg`, { agent: false }).end();
  browser.on("error", () => undefined);
  await asked.promise;
  browser.destroy();
  await left.promise;
  const answer = await fetch(`${url}/kept.svg`);
  assert.equal(await answer.text(), "<svg>Kept</svg>");
});

test("the preview answers to this machine's own names alone, and is only read", async (t) => {
  const preview: Pick<SitePreview, "find"> = { find: () => Promise.resolve(undefined) };
  const listeners = createOpenWindows(() => Promise.resolve([]));
  t.after(() => listeners.close());
  const server = await createPreviewServer({
    preview: preview as SitePreview,
    listeners,
    onFault: (error) => assert.fail(String(error)),
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const statusOf = async (host: string, method = "GET") => {
    const asked = request({
      port,
      host: "127.0.0.1",
      path: "/none.svg",
      method,
      headers: { host },
    });
    const [response] = await once(asked.end(), "response");
    await text(response);
    return Number(response.statusCode);
  };
  assert.equal(await statusOf("localhost:1"), 404);
  assert.equal(await statusOf("127.0.0.1"), 404);
  for (const host of ["rebound.example", "127.0.0.1.example:80", "localhost.example"]) {
    assert.equal(await statusOf(host), 403, host);
  }
  assert.equal(await statusOf("localhost", "POST"), 405);
});
