import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { OctavoError } from "../core/index.ts";
import { renderSite } from "./render-site.ts";
import type { FetchRemote } from "../load/index.ts";
import type { ExportSettings } from "./export-settings.ts";

const children = sharedChildren();

const files = {
  "docs.json": JSON.stringify({
    name: "Far",
    theme: "mint",
    colors: { primary: "#112233" },
    logo: "https://a.example/logo.png",
    fonts: { family: "Far", source: "https://a.example/far.woff2" },
    navigation: { pages: ["index", "deep/other", "plain"] },
  }),
  "index.mdx":
    "---\ntitle: Index\n---\n![One](https://a.example/one.png) ![Two](https://a.example/two.png)",
  "deep/other.mdx":
    '---\ntitle: Other\n---\n<Frame><img src="//a.example/one.png#part" alt="One" /></Frame>',
  "plain.mdx": "---\ntitle: Plain\n---\nText",
  "custom.css": 'body { color: red }\n@import "https://a.example/x.css";',
};

/** A host that has the named files, and records the requests it receives. */
function host(...names: readonly string[]) {
  const asked: string[] = [];
  const fetchRemote: FetchRemote = async (url) => {
    const name = url.slice("https://a.example/".length);
    asked.push(name);
    if (!names.includes(name)) throw new OctavoError("unavailable", `${name} is not there.`);
    const magic = name.endsWith("woff2") ? "wOF2" : "\x89PNG\r\n\x1a\n";
    return { bytes: Buffer.from(`${magic}${name}`, "latin1"), mediaType: undefined };
  };
  return { asked, fetchRemote };
}

async function bytesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  return new Map(
    await Promise.all(
      paths.map(
        async (path) => [path.slice(folder.length), await readFile(path, "latin1")] as const,
      ),
    ),
  );
}

describe("an export that copies files of other hosts", () => {
  it("fetches once, and takes the same bytes from the cache after that", async () => {
    await using folder = await temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    await writeFiles(at("site"), files);
    const all = host("one.png", "two.png", "logo.png", "far.woff2");
    const [siteDir, cacheDir] = [at("site"), at("cache")];
    const options = { siteDir, remoteMedia: "vendor", cacheDir, children } as const;
    const run = (out: string, more: Partial<ExportSettings> = {}) =>
      renderSite({ ...options, fetchRemote: all.fetchRemote, ...more, outDir: at(out) });
    const first = await run("first");
    assert.deepEqual(
      first.problems.map(({ code, line }) => `${code}:${line}`),
      ["style_from_elsewhere:2"],
    );
    assert.equal(first.rendered, 3);
    assert.deepEqual(all.asked.toSorted(), ["far.woff2", "logo.png", "one.png", "two.png"]);
    const second = await run("second");
    assert.equal(second.rendered, 0);
    assert.equal(all.asked.length, 4);
    const bytes = await bytesOf(at("first"));
    assert.deepEqual(await bytesOf(at("second")), bytes);
    await run("cold", { cacheDir: at("another") });
    assert.deepEqual(await bytesOf(at("cold")), bytes);
    const html = bytes.get("/deep/other.html") ?? "";
    assert.match(html, /src="\.\.\/_octavo\/media\/[\da-f]{32}\.png#part" alt="One"/);
    assert.match(html, /<img class="nav-logo" src="\.\.\/_octavo\/media\/[\da-f]{32}\.png"/);
    assert.match(
      bytes.get("/_octavo/octavo.css") ?? "",
      /src: url\("\.\.\/_octavo\/media\/\w+\.woff2"\)/,
    );
  });

  it("renders a page again when a file that it shows becomes available or unavailable", async () => {
    await using folder = await temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    await writeFiles(at("site"), files);
    const [siteDir, cacheDir] = [at("site"), at("cache")];
    const options = { siteDir, remoteMedia: "vendor", cacheDir, children } as const;
    const run = (fetchRemote?: FetchRemote) =>
      renderSite({ ...options, ...(fetchRemote && { fetchRemote }), outDir: at("out") });
    const none = await run();
    assert.equal(none.rendered, 3);
    assert.ok(none.problems.some(({ message }) => /this export cannot fetch files/.test(message)));
    const some = await run(host("one.png").fetchRemote);
    assert.equal(some.rendered, 2, "the two pages that show it");
    const told = some.problems.filter(({ code }) => code === "remote_media_unavailable");
    assert.deepEqual(
      told.map(({ file, message }) => `${file} ${message.split(" ", 1)[0]}`),
      [
        "docs.json https://a.example/logo.png",
        "docs.json https://a.example/far.woff2",
        "index.mdx https://a.example/two.png",
      ],
    );
    assert.ok(told.every(({ line }) => line !== undefined));
    const index = await readFile(join(at("out"), "index.html"), "utf8");
    assert.match(index, /<img src="_octavo\/media\//);
    assert.match(index, /<a class="missing-media" href="https:\/\/a\.example\/two\.png"/);
  });

  it("fetches nothing for a check", async () => {
    await using site = await temporaryFolder();
    await writeFiles(site.path, files);
    const { asked, fetchRemote } = host();
    const options = { siteDir: site.path, fetchRemote, children } as const;
    const { problems } = await renderSite({ ...options, remoteMedia: "vendor" });
    assert.deepEqual(asked, []);
    assert.deepEqual(problems, (await renderSite({ siteDir: site.path, children })).problems);
  });
});
