import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { collectArrayBuffers } from "../../../../test/support/collect-garbage.ts";
import { startS3 } from "../../../../test/support/s3-stand-in.ts";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
  type AskOptions,
  type ServedResponse,
  type ServedSites,
} from "../../../../test/support/served-sites.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createFileStorage, createS3Storage } from "../storage/index.ts";

const head = (root: string) =>
  `<!doctype html><html lang="en" data-root="${root}"><head><link rel="stylesheet" href="${root}_octavo/octavo.css"><script defer src="${root}_octavo/octavo.js"></script></head>`;
const longText = "A sentence that repeats. ".repeat(400);
const picture = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 251));

/** A bundle as an export makes it. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  "index.html": `${head("")}<body><p>Home</p><img src="_octavo/media/abc.png"></body></html>`,
  "index.md": "# Home\n",
  "guide/start.html": `${head("../")}<body><p>Start</p><code>&lt;a href="_octavo/x"&gt;</code><p data-script="_octavo/schemas/a.js"></p>${longText}</body></html>`,
  "guide/start.md": `# Start\n${longText}\n`,
  "guide/index.html": `${head("../")}<body><p>Guide</p></body></html>`,
  "guide/x.html": `${head("../")}<body><p>X</p></body></html>`,
  "plain.html": "<p>Only HTML</p>",
  "both.html": "<p>A page</p>",
  both: "a file",
  "old.html": '<meta http-equiv="refresh" content="0; url=guide/start">',
  "ä ö.html": "<p>Umlauts</p>",
  "404.html": `${head("/").replace("</head>", '<link rel="stylesheet" href="_octavo/octavo.css"></head>')}<body><a href="/guide/start">Nothing here</a></body></html>`,
  "llms.txt": "# Docs\n",
  "llms-full.txt": "# Docs\n",
  "robots.txt": "User-agent: *\nAllow: /\n",
  "sitemap.xml":
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc>guide/start</loc></url>\n<url><loc></loc></url>\n</urlset>\n',
  "images/picture.png": picture,
  "empty.txt": "",
  "data.json": JSON.stringify({ text: longText }),
  _redirects: `
/old /guide/start 301
/moved /guide/start 302
/moved-with /guide/start?from=old 301
/anchor /guide/start#here 308
/away https://example.org/there 307
/see /guide/ 303
/plain /guide/start 301
/both /guide/start 301!
/shown /guide/start 200
/wiki/* /guide/:splat 301
/go/* /:splat 301
/blog/:year/:name /guide/:name?year=:year 301
/loop-a /loop-b 301
/loop-b /loop-a 301
/grow/* /grow/more/:splat 301
/self /self 301
`,
  "guide/font.html": `${head("../").replace('data-root="../"', 'data-root="../" data-text-font="../_octavo/fonts/a.woff2"')}<body></body></html>`,
  "_octavo/octavo.css": "body { color: black }",
  "_octavo/fonts/a.woff2": "font",
  "_octavo/octavo.js": "console.log(1)",
  "_octavo/search/all/index.js": "octavoSearch.put()",
  "_octavo/media/abc.png": picture,
  "_octavo/report.json": "{}",
};

type Want = Readonly<Record<string, string | RegExp | undefined>>;

interface Row {
  readonly name: string;
  readonly path: string;
  readonly ask?: AskOptions;
  readonly host?: string;
  readonly status: number;
  readonly headers?: Want;
  readonly body?: string | RegExp;
}

const pageCache = "public, max-age=0, must-revalidate";
const markdown = "text/markdown; charset=utf-8";
const html = "text/html; charset=utf-8";

function accept(value: string): AskOptions {
  return { headers: { accept: value } };
}

function encode(value: string): AskOptions {
  return { headers: { "accept-encoding": value } };
}

function range(value: string): AskOptions {
  return { headers: { range: value, "accept-encoding": "gzip" } };
}

const moved = (name: string, path: string, location: string, status = 308): Row => ({
  name,
  path,
  status,
  headers: { location, "cache-control": pageCache },
});

const missing = (name: string, path: string): Row => ({
  name,
  path,
  status: 404,
  headers: { "cache-control": "no-store", location: undefined },
  // At a deep address, a path beside the page would lead to another missing file.
  body: /^(?![^]*href="_octavo)[^]*Nothing here/,
});

const rows: readonly Row[] = [
  // Addresses.
  { name: "the root", path: "/", status: 200, headers: { "content-type": html }, body: /Home/ },
  { name: "a page without its extension", path: "/guide/start", status: 200, body: /Start/ },
  { name: "a folder's page", path: "/guide/", status: 200, body: /Guide/ },
  moved("a page's file", "/guide/start.html?a=b", "/guide/start?a=b"),
  moved("the file of a folder's page", "/guide/index.html", "/guide/"),
  moved("a folder's page by its name", "/guide/index", "/guide/"),
  moved("the root's file", "/index.html?x", "/?x"),
  moved("a folder without its slash", "/guide?a=b", "/guide/?a=b"),
  moved("a page with a slash", "/guide/start/?a=b", "/guide/start?a=b"),
  { name: "a file before a page of its name", path: "/both.html", status: 200, body: /A page/ },
  { name: "an encoded name", path: "/%C3%A4%20%C3%B6", status: 200, body: /Umlauts/ },
  moved("an encoded name's file", "/%C3%A4%20%C3%B6.html", "/%C3%A4%20%C3%B6"),
  // Spellings that must not lead elsewhere.
  moved("empty names", "//guide//start", "/guide/start"),
  moved("only slashes", "///", "/"),
  missing("a host in the path", "//evil.example/"),
  missing("a host in the path of a page", "//evil.example/%2e%2e"),
  missing("a backslash", "/\\evil.example/"),
  missing("an encoded backslash", "/%5Cevil.example/"),
  missing("an encoded slash", "/guide%2Fstart"),
  missing("an encoded slash at the start", "/%2Fevil.example/"),
  missing("a dot segment", "/guide/../guide/start"),
  missing("an encoded dot segment", "/guide/%2e%2E/guide/start"),
  missing("a single dot", "/./guide/start"),
  missing("NUL", "/guide/start%00"),
  missing("a line break", "/guide%0d%0aSet-Cookie:%20a=b"),
  missing("broken encoding", "/guide/%zz"),
  missing("broken UTF-8", "/guide/%ff"),
  missing("a fragment", "/guide/start#x"),
  missing("the page for missing files", "/404.html"),
  missing("the page for missing files without extension", "/404"),
  missing("the redirects", "/_redirects"),
  missing("an unknown page", "/unknown"),
  missing("an unknown file of the theme", "/_octavo/unknown.js"),
  { name: "an unknown deployment's file", path: "/_octavo/@0000/octavo.css", status: 404 },
  missing("__proto__", "/__proto__"),
  // Methods.
  ...["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"].map((method): Row => ({
    name: method,
    path: "/",
    ask: { method },
    status: 405,
    headers: { allow: "GET, HEAD" },
  })),
  // Headers.
  {
    name: "a page's headers",
    path: "/guide/start",
    status: 200,
    headers: {
      "cache-control": pageCache,
      vary: "Accept-Encoding, Accept",
      etag: /^"[^"]+"$/,
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "set-cookie": undefined,
      "x-robots-tag": undefined,
      link: '<https://docs.example.com/guide/start>; rel="canonical", </guide/start.md>; rel="alternate"; type="text/markdown", </llms.txt>; rel="llms-txt", </llms-full.txt>; rel="llms-full-txt"',
    },
  },
  {
    name: "the address of a folder's page",
    path: "/guide/",
    status: 200,
    headers: { link: /<https:\/\/docs\.example\.com\/guide\/>; rel="canonical"/ },
  },
  {
    name: "a picture's headers",
    path: "/images/picture.png",
    status: 200,
    headers: { "content-type": "image/png", "cache-control": pageCache, "accept-ranges": "bytes" },
  },
  {
    name: "a file that its hash names",
    path: "/_octavo/media/abc.png",
    status: 200,
    headers: { "cache-control": "public, max-age=31536000, immutable" },
  },
  {
    name: "an empty file",
    path: "/empty.txt",
    status: 200,
    headers: { "content-length": "0" },
    body: "",
  },
  // Encodings.
  ...(
    [
      ["gzip, deflate, br", "gzip"],
      ["gzip;q=0", undefined],
      ["gzip;q=0.0, identity", undefined],
      ["gzip;q=0.5, identity;q=0.8", undefined],
      ["identity;q=0.5, gzip;q=0.8", "gzip"],
      ["br", undefined],
      ["*", "gzip"],
      ["*;q=0", undefined],
      ["x-gzip", "gzip"],
      ["GZIP;Q=1", "gzip"],
      ["", undefined],
      [",,,;;;q=,", undefined],
      ["identity;q=0, *;q=0", undefined],
    ] as const
  ).map(([value, coding]): Row => ({
    name: `Accept-Encoding: ${value}`,
    path: "/guide/start",
    ask: encode(value),
    status: 200,
    headers: { "content-encoding": coding },
    body: /Start/,
  })),
  {
    name: "JSON as it is deflated",
    path: "/data.json",
    ask: encode("gzip"),
    status: 200,
    headers: { "content-encoding": "gzip" },
    body: /repeats/,
  },
  {
    name: "a page of an error as gzip",
    path: "/unknown",
    ask: encode("gzip"),
    status: 404,
    headers: { "content-encoding": "gzip" },
    body: /Nothing/,
  },
  // Ranges.
  {
    name: "a range",
    path: "/images/picture.png",
    ask: range("bytes=10-19"),
    status: 206,
    headers: { "content-range": "bytes 10-19/5000", "content-length": "10" },
  },
  {
    name: "an open range",
    path: "/images/picture.png",
    ask: range("bytes=4990-"),
    status: 206,
    headers: { "content-range": "bytes 4990-4999/5000" },
  },
  {
    name: "the last bytes",
    path: "/images/picture.png",
    ask: range("bytes=-10"),
    status: 206,
    headers: { "content-range": "bytes 4990-4999/5000" },
  },
  {
    name: "more than the last bytes",
    path: "/images/picture.png",
    ask: range("bytes=-9999"),
    status: 206,
    headers: { "content-range": "bytes 0-4999/5000" },
  },
  {
    name: "a range past the end",
    path: "/images/picture.png",
    ask: range("bytes=4990-9999"),
    status: 206,
    headers: { "content-range": "bytes 4990-4999/5000" },
  },
  {
    name: "a range behind the end",
    path: "/images/picture.png",
    ask: range("bytes=5000-"),
    status: 416,
    headers: { "content-range": "bytes */5000" },
  },
  { name: "no last bytes", path: "/images/picture.png", ask: range("bytes=-0"), status: 416 },
  { name: "several ranges", path: "/images/picture.png", ask: range("bytes=0-1,3-4"), status: 200 },
  {
    name: "very many ranges",
    path: "/images/picture.png",
    ask: range(`bytes=${Array.from({ length: 1_000 }, (_, at) => `${at}-`).join(",")}`),
    status: 200,
  },
  {
    name: "a range in another unit",
    path: "/images/picture.png",
    ask: range("lines=1-2"),
    status: 200,
  },
  { name: "a range backwards", path: "/images/picture.png", ask: range("bytes=9-1"), status: 200 },
  {
    name: "a range of a page, which is plain",
    path: "/guide/start",
    ask: range("bytes=0-14"),
    status: 206,
    headers: { "content-encoding": undefined },
    body: "<!doctype html>",
  },
  {
    name: "a range of a deflated file",
    path: "/data.json",
    ask: range("bytes=2-5"),
    status: 206,
    body: "text",
  },
  { name: "a range of an empty file", path: "/empty.txt", ask: range("bytes=0-0"), status: 416 },
  {
    name: "a range of an older file",
    path: "/images/picture.png",
    ask: { headers: { range: "bytes=0-1", "if-range": '"old"' } },
    status: 200,
  },
  // Redirects.
  moved("a redirect before a page for other hosts", "/old?a=b", "/guide/start?a=b", 301),
  moved("302", "/moved", "/guide/start", 302),
  moved("a redirect with a slash", "/moved/", "/guide/start", 302),
  moved("a query of the target", "/moved-with?a=b", "/guide/start?from=old", 301),
  moved("a fragment of the target", "/anchor?a=b", "/guide/start?a=b#here", 308),
  moved("another host", "/away?a=b", "https://example.org/there?a=b", 307),
  moved("303", "/see", "/guide/", 303),
  moved("a forced redirect", "/both", "/guide/start", 301),
  { name: "200", path: "/shown", status: 200, body: /Start/ },
  moved("a *", "/wiki/a/b?c=d", "/guide/a/b?c=d", 301),
  moved("a * without a rest", "/wiki", "/guide/", 301),
  moved("a * whose rest begins with a host", "/go/evil.example/", "/evil.example", 301),
  missing("a * whose rest has two slashes", "/go//%2Fevil.example"),
  moved("placeholders", "/blog/2026/x", "/guide/x?year=2026", 301),
  missing("a loop", "/loop-a"),
  missing("a redirect to itself", "/self"),
  missing("a redirect that grows", "/grow/a"),
  // Markdown.
  {
    name: "Markdown",
    path: "/guide/start",
    ask: accept("text/markdown"),
    status: 200,
    headers: {
      "content-type": markdown,
      vary: "Accept-Encoding, Accept",
      link: /<https:\/\/docs\.example\.com\/guide\/start>; rel="canonical"/,
    },
    body: /^# Start/,
  },
  {
    name: "Markdown of the root",
    path: "/",
    ask: accept("text/markdown"),
    status: 200,
    body: "# Home\n",
  },
  {
    name: "Markdown above HTML",
    path: "/guide/start",
    ask: accept("text/html;q=0.7, text/markdown;q=0.9, */*;q=0.1"),
    status: 200,
    headers: { "content-type": markdown },
  },
  {
    name: "Markdown below HTML",
    path: "/guide/start",
    ask: accept("text/html, text/markdown;q=0.9"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "Markdown refused",
    path: "/guide/start",
    ask: accept("text/markdown;q=0"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "plain text",
    path: "/guide/start",
    ask: accept("text/plain"),
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: /^# Start/,
  },
  {
    name: "plain text and anything",
    path: "/guide/start",
    ask: accept("application/json, text/plain, */*"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "anything",
    path: "/guide/start",
    ask: accept("*/*"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "a browser",
    path: "/guide/start",
    ask: accept("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "a page without Markdown",
    path: "/guide/x",
    ask: accept("text/markdown"),
    status: 200,
    headers: { "content-type": html },
  },
  {
    name: "the Markdown file",
    path: "/guide/start.md",
    status: 200,
    headers: {
      "content-type": markdown,
      link: /<https:\/\/docs\.example\.com\/guide\/start>; rel="canonical"/,
    },
  },
  {
    name: "llms.txt where programs look",
    path: "/.well-known/llms.txt",
    status: 200,
    body: "# Docs\n",
  },
  // Files of the site.
  {
    name: "robots.txt",
    path: "/robots.txt",
    status: 200,
    body: /Sitemap: https:\/\/docs\.example\.com\/sitemap\.xml/,
  },
  {
    name: "the sitemap",
    path: "/sitemap.xml",
    status: 200,
    headers: { "content-type": "application/xml; charset=utf-8" },
    body: /<loc>https:\/\/docs\.example\.com\/guide\/start<\/loc>[^]*<loc>https:\/\/docs\.example\.com\/<\/loc>/,
  },
  {
    name: "the versions",
    path: "/_octavo/versions.json",
    status: 200,
    body: '{"versions":[{"slug":"latest","title":"Latest","url":"/","state":"current","isDefault":true}]}',
  },
  moved("the slug of the default version", "/latest/guide/start?a=b", "/guide/start?a=b"),
  // Hosts.
  { name: "an unknown host", host: "other.example.com", path: "/", status: 404, body: /no site/ },
  { name: "no host", host: "", path: "/", status: 404 },
  {
    name: "a host with capitals, a port and a dot",
    host: "DOCS.Example.COM.:8080",
    path: "/",
    status: 200,
  },
  {
    name: "a host with characters of other scripts",
    host: "xn--bcher-kva.example",
    path: "/",
    status: 200,
  },
  { name: "a host with a path", host: "docs.example.com/x", path: "/", status: 404 },
  { name: "a host with a user", host: "a@docs.example.com", path: "/", status: 404 },
  {
    name: "a forwarded host of a stranger",
    host: "other.example.com",
    path: "/",
    ask: { headers: { "x-forwarded-host": "docs.example.com" } },
    status: 404,
  },
  {
    name: "a host of an absolute address",
    host: "other.example.com",
    path: "http://docs.example.com/guide/start",
    status: 200,
  },
  {
    name: "a host that leads to the canonical one",
    host: "old.example.com",
    path: "/guide/start.html?a=b",
    status: 308,
    headers: { location: "https://docs.example.com/guide/start.html?a=b" },
  },
  {
    name: "a host that leads elsewhere",
    host: "old.example.com",
    path: "//evil.example",
    status: 308,
    headers: { location: "https://docs.example.com//evil.example" },
  },
  { name: "a site without a deployment", host: "new.example.com", path: "/", status: 404 },
  // Previews.
  {
    name: "a preview",
    host: "pr-1--docs.example.com",
    path: "/guide/start",
    status: 200,
    headers: {
      "x-robots-tag": "noindex",
      "cache-control": "no-cache",
      link: /^<\/guide\/start\.md>/,
    },
    body: /<a href="https:\/\/code\.example\/pull\/1" rel="nofollow">Preview of &lt;1&gt;<\/a><\/p><\/body>/,
  },
  {
    name: "a preview's missing page",
    host: "pr-1--docs.example.com",
    path: "/unknown",
    status: 404,
    headers: { "x-robots-tag": "noindex" },
  },
  {
    name: "a preview's redirect",
    host: "pr-1--docs.example.com",
    path: "/away",
    status: 404,
    headers: { location: undefined },
  },
  {
    name: "a preview's file",
    host: "pr-1--docs.example.com",
    path: "/images/picture.png",
    status: 200,
    headers: { "x-robots-tag": "noindex" },
  },
  {
    name: "a preview's robots.txt",
    host: "pr-1--docs.example.com",
    path: "/robots.txt",
    status: 200,
    body: "User-agent: *\nAllow: /\n",
  },
];

function readBody({ headers, body }: ServedResponse): string {
  return (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
}

async function check(sites: ServedSites, row: Row): Promise<void> {
  const host = row.host ?? "docs.example.com";
  const response = await sites.ask(host, row.path, row.ask);
  assert.equal(response.status, row.status);
  for (const [name, want] of Object.entries(row.headers ?? {})) {
    const value = response.headers[name];
    if (want instanceof RegExp) assert.match(String(value), want, name);
    else assert.equal(value, want, name);
  }
  if (row.body instanceof RegExp) assert.match(readBody(response), row.body);
  else if (row.body !== undefined) assert.equal(readBody(response), row.body);
  assert.equal(response.headers["x-content-type-options"], "nosniff");
  if (row.status === 405 || row.ask?.method !== undefined) return;
  // A HEAD request has the same headers, and no body.
  const only = await sites.ask(host, row.path, { ...row.ask, method: "HEAD" });
  assert.equal(only.status, response.status);
  assert.equal(only.body.length, 0);
  const { date: _one, ...some } = response.headers;
  const { date: _other, ...others } = only.headers;
  assert.deepEqual(others, some);
}

async function fill(sites: ServedSites): Promise<void> {
  const version = createServedVersion(await sites.deploy(files));
  const site = createServedSite([version]);
  sites.table.set("docs.example.com", site);
  sites.table.set("xn--bcher-kva.example", site);
  sites.table.set("old.example.com", { ...site, isRedirected: true });
  sites.table.set("new.example.com", createServedSite([]));
  const note = { text: "Preview of <1>", url: "https://code.example/pull/1" };
  const preview = createServedSite([version], { kind: "preview", note });
  sites.table.set("pr-1--docs.example.com", preview);
}

for (const kind of ["a folder", "S3"]) {
  describe(`sites served from ${kind}`, () => {
    const resources = new AsyncDisposableStack();
    let sites: ServedSites;
    before(async () => {
      sites = resources.use(
        await startServedSites(kind === "S3" ? { storage: await openS3() } : {}),
      );
      await fill(sites);
    });
    after(() => resources.disposeAsync());

    async function openS3() {
      const server = resources.use(await startS3());
      process.env["AWS_ACCESS_KEY_ID"] = server.credentials.accessKeyId;
      process.env["AWS_SECRET_ACCESS_KEY"] = server.credentials.secretAccessKey;
      const { bucket, region, url: endpoint } = server;
      return await createS3Storage({
        bucket,
        region,
        endpoint,
        prefix: "octavo",
        isPathStyle: true,
        hasDirectLinks: false,
      });
    }

    for (const row of rows) {
      it(`${row.status} for ${row.name}`, () => check(sites, row));
    }
  });
}

describe("sites", () => {
  let sites: ServedSites;
  before(async () => {
    sites = await startServedSites({ isTrustedProxy: (address) => address === "127.0.0.1" });
    await fill(sites);
  });
  after(() => sites[Symbol.asyncDispose]());
  const ask = (path: string, options?: AskOptions) => sites.ask("docs.example.com", path, options);
  const link = async (path: string) =>
    /<([^>]*)>; rel="canonical"/.exec(String((await ask(path)).headers.link))?.[1];
  const lead = async (path: string) => {
    const { status, headers } = await ask(`/_octavo/versions${path}`);
    return [status, headers.location];
  };

  for (const path of ["/guide/start", "/images/picture.png", "/data.json", "/robots.txt"]) {
    it(`confirm what a client has of ${path}`, async () => {
      const gzip = { "accept-encoding": "gzip" };
      const { etag: plain = "" } = (await ask(path)).headers;
      const { etag: packed = "" } = (await ask(path, { headers: gzip })).headers;
      for (const etag of [plain, `W/${plain}`, `"a", ${plain} , "b"`, `"a,b",W/${plain}`, "*"]) {
        const response = await ask(path, { headers: { "if-none-match": etag } });
        assert.equal(response.status, 304, etag);
        assert.equal(response.headers.etag, plain);
        assert.equal(response.headers["content-length"], undefined);
        assert.ok(
          response.headers["cache-control"] !== undefined && response.headers.vary !== undefined,
        );
      }
      for (const etag of ['"a"', "a", plain.slice(1, -1), ""]) {
        assert.equal((await ask(path, { headers: { "if-none-match": etag } })).status, 200, etag);
      }
      const kept = await ask(path, { headers: { ...gzip, "if-none-match": packed } });
      assert.equal(kept.status, 304);
      if (packed === plain) return;
      const other = await ask(path, { headers: { ...gzip, "if-none-match": plain } });
      assert.equal(other.status, 200);
    });
  }

  it("answer a range only if the client has the same bytes", async () => {
    const { etag = "" } = (await ask("/images/picture.png")).headers;
    const headers = { range: "bytes=0-9", "if-range": etag };
    const response = await ask("/images/picture.png", { headers });
    assert.equal(response.status, 206);
    assert.deepEqual(response.body, picture.subarray(0, 10));
    const weak = { ...headers, "if-range": `W/${etag}` };
    assert.equal((await ask("/images/picture.png", { headers: weak })).status, 200);
  });

  it("show the files of the theme below an address of their own, which never change", async () => {
    const page = readBody(await ask("/guide/start"));
    const [, root = "", tag = ""] =
      /data-files="(\.\.\/)_octavo\/(@[0-9a-f]{16})\/"/.exec(page) ?? [];
    assert.equal(root, "../");
    assert.ok(page.includes(`href="../_octavo/${tag}/octavo.css"`));
    assert.ok(page.includes(`src="../_octavo/${tag}/octavo.js"`));
    assert.ok(page.includes('href="_octavo/x"'), "the text of a page stays");
    assert.ok(page.includes('data-script="_octavo/schemas/a.js"'));
    assert.match(readBody(await ask("/")), /src="_octavo\/media\/abc\.png"/);
    const styles = await ask(`/_octavo/${tag}/octavo.css`);
    assert.equal(readBody(styles), files["_octavo/octavo.css"]);
    assert.equal(styles.headers["cache-control"], "public, max-age=31536000, immutable");
    const plain = await ask("/_octavo/octavo.css");
    assert.equal(plain.headers["cache-control"], pageCache);
  });

  it("have the text font of a page requested from there too", async () => {
    const page = readBody(await ask("/guide/font"));
    const [, href = ""] = /data-text-font="([^"]*)"/.exec(page) ?? [];
    const { pathname } = new URL(href, "http://docs.example.com/guide/font");
    assert.match(pathname, /^\/_octavo\/@[0-9a-f]{16}\/fonts\/a\.woff2$/);
    const font = await ask(pathname);
    assert.equal(readBody(font), "font");
    assert.equal(font.headers["content-type"], "font/woff2");
    assert.equal(font.headers["cache-control"], "public, max-age=31536000, immutable");
  });

  it("read the host that a trusted proxy forwards", async () => {
    const headers = { "x-forwarded-host": "docs.example.com, proxy.example" };
    assert.equal((await sites.ask("other.example.com", "/", { headers })).status, 200);
  });

  it("refuse what is no request", async () => {
    const rawAnswers = [
      ["GET / HTTP/1.1\r\nHost: docs.example.com\r\nHost: other.example\r\n", /^HTTP\/1\.1 404/],
      ["GET / HTTP/1.1\r\n", /^HTTP\/1\.1 400/],
      ["GET /a\nb HTTP/1.1\r\nHost: docs.example.com\r\n", /^HTTP\/1\.1 400/],
      ["GET guide/start HTTP/1.1\r\nHost: docs.example.com\r\n", /^HTTP\/1\.1 (?:400|404)/],
      ["GET /guide/\u00E4 HTTP/1.1\r\nHost: docs.example.com\r\n", /^HTTP\/1\.1 400/],
      [
        `GET / HTTP/1.1\r\nHost: docs.example.com\r\nX: ${"x".repeat(20_000)}\r\n`,
        /^HTTP\/1\.1 431/,
      ],
    ] as const;
    for (const [lines, want] of rawAnswers) {
      const socket = connect(sites.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(`${lines}Connection: close\r\n\r\n`);
      assert.match(await text(socket), want, lines.slice(0, 60));
    }
  });

  describe("with several versions", () => {
    const origin = "https://docs.example.com";
    before(async () => {
      const old = {
        "index.html": files["index.html"] ?? "",
        "guide/start.html": files["guide/start.html"] ?? "",
        "gone.html": `${head("")}<body>Gone</body></html>`,
        "404.html": files["404.html"] ?? "",
        _redirects: "/was /guide/start 301",
      };
      const versions = [
        createServedVersion(await sites.deploy({ ...files, "new.html": "New" })),
        createServedVersion(await sites.deploy(old), {
          slug: "v1",
          title: "Version 1",
          state: "old",
        }),
        createServedVersion(await sites.deploy({ ...old, "next.html": "Next" }), {
          slug: "next",
          title: "Next",
          state: "unreleased",
        }),
        createServedVersion(await sites.deploy({ ...old, "beta.html": "Beta" }), {
          slug: "beta",
          title: "Beta",
          isHidden: true,
        }),
      ];
      sites.table.set("docs.example.com", createServedSite(versions));
    });

    it("serve the default one at the root and the others below their slugs", async () => {
      assert.equal((await ask("/new")).status, 200);
      assert.equal((await ask("/v1/new")).status, 404);
      assert.equal((await ask("/gone")).status, 404);
      assert.equal((await ask("/v1/gone")).status, 200);
      assert.equal((await ask("/v1?a=b")).headers.location, "/v1/?a=b");
      assert.equal((await ask("/v1/guide/start.html")).headers.location, "/v1/guide/start");
      assert.equal((await ask("/v1/was?a=b")).headers.location, "/v1/guide/start?a=b");
      assert.equal((await ask("/beta/gone")).status, 200);
    });

    it("show a page for missing addresses whose links stay in the version", async () => {
      const page = readBody(await ask("/v1/a/b/c"));
      assert.match(page, /data-root="\/v1\/"/);
      assert.match(page, /href="\/v1\/guide\/start"/);
      assert.match(page, /href="\/v1\/_octavo\/@[0-9a-f]{16}\/octavo\.css"/);
    });

    it("tell pages which version they are of", async () => {
      assert.match(
        readBody(await ask("/v1/gone")),
        / data-versions="\/_octavo\/versions\.json" data-version="v1" data-version-state="old"/,
      );
      assert.match(
        readBody(await ask("/guide/start")),
        /data-version="latest" data-version-state="current"/,
      );
    });

    it("list those that are not hidden", async () => {
      const { versions } = JSON.parse(readBody(await ask("/_octavo/versions.json")));
      assert.deepEqual(versions, [
        { slug: "latest", title: "Latest", url: "/", state: "current", isDefault: true },
        { slug: "v1", title: "Version 1", url: "/v1/", state: "old", isDefault: false },
        { slug: "next", title: "Next", url: "/next/", state: "unreleased", isDefault: false },
      ]);
      assert.match(readBody(await ask("/robots.txt")), /User-agent: \*\nDisallow: \/beta\/\n/);
      const sitemap = readBody(await ask("/sitemap.xml"));
      assert.deepEqual(
        [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url),
        [`${origin}/_octavo/sitemap.xml`, `${origin}/v1/sitemap.xml`, `${origin}/next/sitemap.xml`],
      );
      assert.match(
        readBody(await ask("/_octavo/sitemap.xml")),
        /<loc>https:\/\/docs\.example\.com\/guide\/start<\/loc>/,
      );
      assert.match(
        readBody(await ask("/v1/sitemap.xml")),
        /<loc>https:\/\/docs\.example\.com\/v1\/gone<\/loc>/,
      );
    });

    it("name the page of the default one as the canonical address of an old one's", async () => {
      assert.equal(await link("/v1/guide/start"), `${origin}/guide/start`);
      assert.equal(await link("/v1/gone"), `${origin}/v1/gone`);
      assert.equal(await link("/guide/start"), `${origin}/guide/start`);
    });

    it("lead to the same page of another one, or to its start", async () => {
      assert.deepEqual(await lead("/v1/guide/start"), [302, "/v1/guide/start"]);
      assert.deepEqual(await lead("/v1/new"), [302, "/v1/"]);
      assert.deepEqual(await lead("/latest/guide/index"), [302, "/guide/"]);
      assert.deepEqual(await lead("/latest/gone"), [302, "/"]);
      assert.deepEqual(await lead("/v1/"), [302, "/v1/"]);
      assert.deepEqual(await lead("/v9/new"), [404, undefined]);
      assert.deepEqual(await lead("/v1//evil.example"), [302, "/v1/"]);
      assert.deepEqual(await lead("/v1/%2Fevil.example"), [404, undefined]);
    });

    it("keep the theme's files of deployments that left", async () => {
      const site = sites.table.get("docs.example.com") ?? assert.fail();
      const [first, ...others] = site.versions;
      const page = readBody(await ask("/guide/start"));
      const [, tag = ""] = /data-files="[^"]*(@[0-9a-f]+)/.exec(page) ?? [];
      const next = await sites.deploy({
        ...files,
        "_octavo/octavo.js": "console.log(2)",
        "_octavo/media/abc.png": "",
      });
      const versions = [createServedVersion(next), ...others];
      sites.table.set("docs.example.com", {
        ...site,
        versions,
        recent: [first?.deployment ?? assert.fail()],
      });
      assert.notEqual(readBody(await ask("/guide/start")), page);
      for (const prefix of ["", "/v1", "/removed"]) {
        const script = await ask(`${prefix}/_octavo/${tag}/octavo.js`);
        assert.equal(readBody(script), "console.log(1)", prefix);
      }
      sites.table.set("docs.example.com", { ...site, versions });
      assert.equal((await ask(`/_octavo/${tag}/octavo.js`)).status, 404);
    });
  });

  it("stay readable while the storage is away", async () => {
    let isAway = false;
    await using folder = await temporaryFolder();
    const stored = createFileStorage(folder.path);
    const read: typeof stored.read = async (...given) => {
      if (isAway) throw new Error("The storage is away.");
      return await stored.read(...given);
    };
    await using served = await startServedSites({ storage: { ...stored, read } });
    await fill(served);
    const other = createServedVersion(await served.deploy({ "index.html": "Other" }));
    served.table.set("other.example.com", createServedSite([other]));
    assert.equal((await served.ask("docs.example.com", "/guide/start")).status, 200);
    isAway = true;
    for (const path of ["/guide/start", "/guide/x", "/images/picture.png", "/sitemap.xml"]) {
      assert.equal((await served.ask("docs.example.com", path)).status, 200, path);
    }
    const { status, headers } = await served.ask("other.example.com", "/");
    assert.deepEqual(
      [status, headers["retry-after"], headers["cache-control"]],
      [503, "5", "no-store"],
    );
    isAway = false;
    assert.equal((await served.ask("other.example.com", "/")).status, 200);
  });

  it("find files of a deployment that only another node was told of", async () => {
    let isAnswered = true;
    let renewed: (() => void) | undefined;
    const renew = async () => {
      renewed?.();
      return isAnswered;
    };
    await using served = await startServedSites({ renew });
    const ask = (path: string) => served.ask("docs.example.com", path);
    const [first, next] = [await served.deploy(files), await served.deploy({ ...files, "_octavo/octavo.js": "console.log(2)", "_octavo/media/new.png": "new" })]; // prettier-ignore
    const show = (deployment: typeof first) =>
      served.table.set("docs.example.com", createServedSite([createServedVersion(deployment)]));
    show(next);
    const tag = /data-files="\.\.\/_octavo\/(@[0-9a-f]{16})/.exec(readBody(await ask("/guide/start")))?.[1]; // prettier-ignore
    show(first);
    const paths = [`/_octavo/${tag}/octavo.js`, "/_octavo/media/new.png"];
    for (const path of paths) assert.equal((await ask(path)).status, 404, path);
    isAnswered = false;
    for (const path of paths) {
      const { status, headers } = await ask(path);
      assert.deepEqual([status, headers["retry-after"], headers["cache-control"]], [503, "5", "no-store"]); // prettier-ignore
    }
    isAnswered = true;
    renewed = () => show(next);
    for (const path of paths) {
      show(first);
      assert.equal((await ask(path)).status, 200, path);
    }
    show(first);
    const pages = [await ask("/guide/start"), await ask("/missing")];
    assert.deepEqual(pages.map(({ status }) => status), [200, 404]); // prettier-ignore
    assert.equal(served.table.get("docs.example.com")?.versions[0]?.deployment, first);
  });

  it("take little more memory than their compressed pages", async () => {
    await using served = await startServedSites();
    const names = Array.from({ length: 200 }, (_, at) => `${at}`);
    const pages = names.map((name) => [`${name}.html`, `${name} ${longText}`] as const);
    const version = createServedVersion(await served.deploy(Object.fromEntries(pages)));
    served.table.set("docs.example.com", createServedSite([version]));
    const before = await collectArrayBuffers(0);
    let bytes = 0;
    for (const name of names) {
      const headers = { "accept-encoding": "gzip" };
      bytes += (await served.ask("docs.example.com", `/${name}`, { headers })).body.length;
    }
    const limit = before + bytes + 1_000_000;
    const held = await collectArrayBuffers(limit);
    assert.ok(held < limit, `${held - before} bytes for ${bytes}`);
  });

  it("keep the path below which a proxy serves them", async () => {
    await using served = await startServedSites();
    const manual = createServedVersion(await served.deploy(files), { slug: "manual" });
    served.table.set(
      "docs.example.com",
      createServedSite([manual], { basePath: "/octavo", origin: "https://example.com" }),
    );
    const ask = (path: string) => served.ask("docs.example.com", path);
    for (const [path, location] of [
      ["/manual", "/octavo/manual/"],
      ["/manual/guide/start.html", "/octavo/manual/guide/start"],
      ["/manual/moved", "/octavo/manual/guide/start"],
    ] as const) {
      assert.equal((await ask(path)).headers.location, location);
    }
    const { link } = (await ask("/manual/guide/start")).headers;
    assert.match(
      String(link),
      /<https:\/\/example\.com\/octavo\/manual\/guide\/start>; rel="canonical"/,
    );
    assert.match(String(link), /<\/octavo\/manual\/guide\/start\.md>; rel="alternate"/);
    assert.match((await ask("/manual/x")).body.toString(), /href="\/octavo\/manual\/guide\/start"/);
  });

  it("leave clients that do not read", async () => {
    await using served = await startServedSites({ idleTimeoutMs: 400 });
    const large = createServedVersion(
      await served.deploy({ "large.bin": randomBytes(30_000_000) }),
    );
    served.table.set("docs.example.com", createServedSite([large]));
    const socket = connect(served.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write("GET /large.bin HTTP/1.1\r\nHost: docs.example.com\r\n\r\n");
    // However long that takes on a busy machine.
    while ((await served.countConnections()) > 0) await sleep(50);
    socket.destroy();
  });
});
