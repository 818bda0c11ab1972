import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { readSiteRequests, listSiteRequestProblems } from "./site-requests.ts";
import type { PageSettings } from "../export-settings.ts";

type Remote = Pick<PageSettings, "remoteMedia" | "remoteOrigins">;

const css = `@import "https://a.example/imported.css";
@import url(//b.example/too.css);
@font-face { font-family: X; src: url('https://a.example/x.woff2') format("woff2"); }
body { background: url("https://a.example/wall.png") }
p { background: url(own.png) }`;

const js = String.raw`const tag = document.createElement("script");
tag.src = "https://tag.example/tag.js";
fetch('//data.example/a.json'); const ns = "http://www.w3.org/2000/svg";
link.href = "https://docs.example/read";
const own = "/images/a.png", none = "// no.address here";
const json = {"u": "https:\/\/escaped.example\/x"};`;

async function requestsOf(remote: Partial<Remote> = {}) {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "a.css": css, "a.js": js });
  const site = { root: folder.path, styles: ["a.css", "gone.css"], scripts: ["a.js"] };
  return await readSiteRequests(site, { remoteMedia: "keep", remoteOrigins: [], ...remote });
}

async function blockedKinds(remote: Partial<Remote>): Promise<string[]> {
  const requests = (await requestsOf(remote)).filter((request) => request.blocked);
  return [...new Set(requests.map(({ kind }) => kind))];
}

describe("what a site's own files name on other hosts", () => {
  it("is listed with its kind and place", async () => {
    const requests = await requestsOf();
    assert.deepEqual(
      requests.map(({ kind, address, file, line, column }) =>
        [kind, address, `${file}:${line}:${column}`].join(" "),
      ),
      [
        "style https://a.example/imported.css a.css:1:9",
        "style //b.example/too.css a.css:2:9",
        "font https://a.example/x.woff2 a.css:3:39",
        "picture https://a.example/wall.png a.css:4:24",
        "script https://tag.example/tag.js a.js:2:12",
        "script //data.example/a.json a.js:3:8",
        "script https://docs.example/read a.js:4:14",
        "script https://escaped.example a.js:6:21",
      ],
    );
  });

  it("is blocked but for pictures that are kept, and hosts that are named", async () => {
    assert.deepEqual(await blockedKinds({}), ["style", "font", "script"]);
    assert.deepEqual(await blockedKinds({ remoteMedia: "link" }), [
      "style",
      "font",
      "picture",
      "script",
    ]);
    const remoteOrigins = ["https://*.example"];
    assert.deepEqual(await blockedKinds({ remoteMedia: "link", remoteOrigins }), []);
  });

  it("is a problem where pages miss it, and not where a script may only link to it", async () => {
    const problems = listSiteRequestProblems(await requestsOf());
    assert.deepEqual(
      problems.map(({ code, file, line }) => `${code} ${file}:${line}`),
      [
        "style_from_elsewhere a.css:1",
        "style_from_elsewhere a.css:2",
        "style_from_elsewhere a.css:3",
        "style_from_elsewhere a.css:4",
        "script_from_elsewhere a.js:2",
        "script_from_elsewhere a.js:3",
      ],
    );
    assert.match(problems[4]?.message ?? "", /--remote-scripts tag\.example\.$/);
    assert.match(problems[3]?.message ?? "", /wall\.png from another host; put the file/);
  });

  it("is found in a large minified script without delay", async () => {
    await using folder = await temporaryFolder();
    const line = `x("https://a.example/${"y".repeat(50)}");`;
    await writeFiles(folder.path, { "a.js": line.repeat(40_000) });
    const site = { root: folder.path, styles: [], scripts: ["a.js"] };
    const requests = await readSiteRequests(site, { remoteMedia: "keep", remoteOrigins: [] });
    assert.equal(requests.length, 200);
    assert.equal(requests.at(-1)?.line, 1);
  });
});
