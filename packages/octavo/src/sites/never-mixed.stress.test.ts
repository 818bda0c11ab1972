import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
  type ServedSites,
} from "../../../../test/support/served-sites.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createFileStorage, type Storage } from "../storage/index.ts";
import type { ServedDeployment } from "./index.ts";

const rounds = Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 1);
const publications = 50;
const pageCount = 300;
const readers = 16;
const readsPerSecond = 200;
/** How long readers go on without the storage. */
const awayMs = 60_000 * rounds;
const host = "docs.example.com";
const themeFiles = ["octavo.css", "octavo.js", "search/all/index.js", "search/all/docs-0.js"];

/** The files of a deployment, each of which names it. */
function createFiles(number: number): Record<string, string> {
  const files: Record<string, string> = {
    "404.html": `<!doctype html><html lang="en" data-root="/"><body>missing ${number}</body></html>`,
  };
  for (let at = 0; at < pageCount; at += 1) {
    files[`pages/${at}.html`] =
      `<!doctype html><html lang="en" data-root="../"><head><link rel="stylesheet" href="../_octavo/octavo.css"><script defer src="../_octavo/octavo.js"></script></head><body>page ${at} of deployment ${number}. ${"Text. ".repeat((at * 7) % 500)}</body></html>`;
  }
  for (const path of themeFiles) files[`_octavo/${path}`] = `${path} of deployment ${number}`;
  return files;
}

interface Count {
  pages: number;
  files: number;
  kept: number;
}

/** Reads pages with their files until the signal, and fails for anything that is not of one deployment. */
async function read(sites: ServedSites, count: Count, signal: AbortSignal): Promise<void> {
  const texts = new Map<number, Record<string, string>>();
  const textsOf = (number: number) => {
    const known = texts.get(number) ?? createFiles(number);
    texts.set(number, known);
    return known;
  };
  const tags = new Map<string, string>();

  async function ask(path: string, headers: Record<string, string> = {}) {
    const { status, headers: given, body } = await sites.ask(host, path, { headers });
    const plain = given["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    return { status, etag: given.etag ?? "", text: plain.toString() };
  }

  async function readPage(turn: number): Promise<void> {
    const at = (turn * 37) % pageCount;
    const path = `/pages/${at}`;
    const gzip: Record<string, string> = turn % 3 === 0 ? {} : { "accept-encoding": "gzip" };
    const kept = `${path} ${turn % 3 === 0}`;
    const tag = tags.get(kept);
    const page = await ask(path, { ...gzip, ...(tag !== undefined && { "if-none-match": tag }) });
    if (page.status === 304) {
      count.kept += 1;
      return;
    }
    assert.equal(page.status, 200, `${path}: ${page.text}`);
    tags.set(kept, page.etag);
    const number = Number(/of deployment (\d+)/.exec(page.text)?.[1]);
    const [attribute = "", folder = ""] =
      / data-files="\.\.\/(_octavo\/@[0-9a-f]{16}\/)"/.exec(page.text) ?? [];
    const original = page.text.replace(attribute, "").replaceAll(folder, "_octavo/");
    assert.equal(original, textsOf(number)[`pages/${at}.html`], path);
    count.pages += 1;
    // Some files are asked for at once, and others when the reader searches.
    if (turn % 5 === 0) await sleep(500);
    for (const file of themeFiles) {
      const { status, text } = await ask(`/${folder}${file}`, gzip);
      assert.equal(status, 200, `${folder}${file}: ${text}`);
      assert.equal(text, textsOf(number)[`_octavo/${file}`], `${path} of deployment ${number}`);
      count.files += 1;
    }
  }

  let turn = 0;
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await readPage((turn += 1));
      // Each turn has up to five requests.
      await sleep((readers * 5 * 1_000) / readsPerSecond / 2);
    }
  }
  await Promise.all(Array.from({ length: readers }, follow));
}

test("readers never get a mixture of deployments, or a failure", async (t) => {
  await using folder = await temporaryFolder();
  const stored = createFileStorage(join(folder.path, "stored"));
  let isAway = false;
  const storage: Storage = {
    ...stored,
    async read(...given) {
      if (isAway) throw new Error("The storage is away.");
      return await stored.read(...given);
    },
  };
  await using sites = await startServedSites({ storage });
  let deployment = await sites.deploy(createFiles(1));
  let recent: readonly ServedDeployment[] = [];
  const publish = () =>
    sites.table.set(host, createServedSite([createServedVersion(deployment)], { recent }));
  publish();

  const count: Count = { pages: 0, files: 0, kept: 0 };
  const ended = new AbortController();
  const reading = read(sites, count, ended.signal);
  reading.catch(() => ended.abort());
  for (let number = 2; number <= publications && !ended.signal.aborted; number += 1) {
    const next = await sites.deploy(createFiles(number));
    recent = [deployment, ...recent];
    deployment = next;
    publish();
    await sleep(100);
  }
  const published = { ...count };
  // The node has every bundle that it was told of and asked for.
  isAway = true;
  const until = Date.now() + awayMs;
  while (Date.now() < until && !ended.signal.aborted) await sleep(100);
  ended.abort();
  await reading;
  assert.ok(published.pages > publications, "pages were read while others were published");
  assert.ok(count.pages + count.kept > published.pages + published.kept);
  t.diagnostic(
    `${publications} publications: ${published.pages} pages and ${published.files} files; without the storage for ${awayMs / 1_000} s: ${count.pages - published.pages} pages, ${count.files - published.files} files and ${count.kept - published.kept} that readers had`,
  );
});
