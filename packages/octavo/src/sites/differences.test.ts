import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
  type ServedSites,
} from "../../../../test/support/served-sites.ts";
import type { ServedDeployment } from "./index.ts";

const createPage = (title: string, content: string, root = "") =>
  `<!doctype html><html lang="en" data-root="${root}"><head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="${root}_octavo/octavo.css"></head><body><main><h1 id="page-title">${title}</h1>${content}</main></body></html>`;

const picture = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg"><rect fill="${color}"/></svg>`;

describe("differences of previews", () => {
  let sites: ServedSites;
  let published: ServedDeployment;
  let preview: ServedDeployment;

  before(async () => {
    sites = await startServedSites();
    published = await sites.deploy({
      "index.html": createPage("Home", "<p>Welcome to the old site.</p>"),
      "guide/start.html": createPage("Start", '<p>Begin.</p><img src="../a.svg">', "../"),
      "guide/gone.html": createPage("Gone", "<p>Nobody needs this.</p>", "../"),
      "same.html": createPage("Same", "<p>As before.</p>"),
      "a.svg": picture("red"),
      "404.html": createPage("Missing", ""),
    });
    preview = await sites.deploy({
      "index.html": createPage("Home", "<p>Welcome to the new site.</p>"),
      "guide/start.html": createPage("Start", '<p>Begin.</p><img src="../a.svg">', "../"),
      "same.html": createPage("Same", "<p>As before.</p>"),
      "a.svg": picture("blue"),
      "404.html": createPage("Missing", ""),
    });
    const versions = [createServedVersion(preview)];
    const note = { text: "Preview of a branch.", url: undefined };
    const base = { archive: published.archive, name: "the published version" };
    const site = createServedSite(versions, { kind: "preview", note, base });
    sites.table.set("preview.example", site);
    sites.table.set("alone.example", { ...site, base: undefined });
    sites.table.set("docs.example", createServedSite([createServedVersion(published)]));
  });
  after(() => sites[Symbol.asyncDispose]());

  const read = async (path: string, host = "preview.example") => {
    const { status, headers, body } = await sites.ask(host, path);
    return { status, headers, text: body.toString() };
  };

  it("marks the changes of a page, and lists the changed pages", async () => {
    const { status, headers, text } = await read("/?diff");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["x-robots-tag"], "noindex");
    assert.match(text, /the <del [^>]*>old<\/del><ins [^>]*>new<\/ins> site/);
    assert.match(text, /data-changes="1" data-view="inline"/);
    assert.match(text, /3 changed pages/);
    assert.match(text, /Compared with the published version\./);
    assert.match(
      text,
      /<a href="\/guide\/gone\?diff"><span dir="auto">Gone<\/span><small data-difference="removed">deleted/,
    );
    assert.match(text, /href="\/_octavo\/difference\/difference\.css"/);
    assert.match((await read("/?diff=sides")).text, /data-view="sides"/);
  });

  it("shows a picture beside the former one under the same address", async () => {
    const { text } = await read("/guide/start?diff");
    const [, former = ""] =
      /<img src="\.\.\/(_octavo\/difference\/files\/[^"]+)" data-difference="removed">/.exec(
        text,
      ) ?? [];
    assert.match(text, /<img src="\.\.\/a\.svg" data-difference="added">/);
    const file = await read(`/${former}`);
    assert.equal(file.headers["content-type"], "image/svg+xml");
    assert.equal(file.text, picture("red"));
    assert.equal((await read("/_octavo/difference/files/none.svg")).status, 404);
  });

  it("shows a deleted page, and a page without changes", async () => {
    const gone = await read("/guide/gone?diff");
    assert.equal(gone.status, 200);
    assert.match(gone.text, /Deleted page/);
    assert.match(gone.text, /<main data-difference="removed"/);
    assert.equal((await read("/guide/gone")).status, 404);
    assert.match((await read("/same?diff")).text, /No changes/);
    assert.equal((await read("/never?diff")).status, 404);
  });

  it("serves the script and the styles, and nothing else of the program", async () => {
    const script = await read("/_octavo/difference/difference.js");
    assert.equal(script.headers["content-type"], "text/javascript; charset=utf-8");
    assert.match(script.text, /octavo-difference/);
    assert.equal((await read("/_octavo/difference/difference.css")).status, 200);
    assert.equal((await read("/_octavo/difference/pages.json")).status, 404);
    assert.equal((await read("/_octavo/difference/constructor")).status, 404);
  });

  it("leads from the note of a preview to the changes", async () => {
    assert.match(
      (await read("/")).text,
      /Preview of a branch\. <a href="\?diff">Show changes<\/a>/,
    );
    assert.doesNotMatch((await read("/", "alone.example")).text, /Show changes/);
  });

  it("shows the plain page where there is nothing to compare", async () => {
    for (const host of ["alone.example", "docs.example"]) {
      const { status, text } = await read("/?diff", host);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /octavo-difference/);
      assert.equal((await read("/_octavo/difference/difference.css", host)).status, 404);
    }
  });

  it("says that the base was removed", async () => {
    const versions = [createServedVersion(preview)];
    const archive = { ...published.archive, key: `bundles/${"0".repeat(64)}.zip` };
    const base = { archive, name: "the published version" };
    sites.table.set("lost.example", createServedSite(versions, { kind: "preview", base }));
    const { status, text } = await read("/?diff", "lost.example");
    assert.equal(status, 404);
    assert.match(text, /because the published version was removed/);
  });
});
