import assert from "node:assert/strict";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../test/support/temporary-folder.ts";
import { openStaticHost } from "./static-host.ts";

test("a static host serves one folder at a time, and nothing else", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, {
    "secret.txt": "secret",
    "one/index.html": "<p>Home</p>",
    "one/guides/start here.html": "<p>Start</p>",
    "one/a.png": new Uint8Array([1, 2, 3]),
    "one/404.html": "<p>None</p>",
    "two/index.html": "<p>Second</p>",
  });
  await using host = await openStaticHost();
  host.serve(join(folder.path, "one"));
  const look = async (path: string) => {
    const answer = await fetch(host.url + path);
    const encoding = answer.headers.get("content-encoding");
    return [answer.status, answer.headers.get("content-type"), encoding, await answer.text()];
  };
  const html = ["text/html; charset=utf-8", "gzip"];
  assert.deepEqual(await look("/"), [200, ...html, "<p>Home</p>"]);
  assert.deepEqual(await look("/guides/start%20here.html?a=1"), [200, ...html, "<p>Start</p>"]);
  assert.deepEqual(await look("/a.png"), [200, "image/png", null, "\u0001\u0002\u0003"]);
  assert.deepEqual(await look("/nowhere.html"), [404, ...html, "<p>None</p>"]);
  assert.equal(await rawStatus(host.url, "/..%2fsecret.txt"), 404);
  assert.equal(await rawStatus(host.url, "/%zz"), 404);
  host.serve(join(folder.path, "two"));
  assert.deepEqual(await look("/"), [200, ...html, "<p>Second</p>"]);
});

/** `fetch` would mend the path. */
function rawStatus(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
