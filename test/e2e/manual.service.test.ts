/** The manual that a service shows below `/manual`, with the pages of its own API. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { attribute, parseDocument, type ParsedDocument } from "../support/document.ts";
import { startService, type RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
  readonly webhooks: Readonly<Record<string, object>>;
}

describe("the manual of a service", () => {
  const open = new AsyncDisposableStack();
  let service: RunningService;
  before(async () => {
    const { path: data } = open.use(await temporaryFolder());
    service = open.use(await startService({ data }));
  });
  after(() => open.disposeAsync());

  /** Sends a path as it is, which `fetch` would normalize. */
  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<Answer> {
    const { port } = new URL(service.url);
    const sent = request({ host: "127.0.0.1", port, path, method, headers }).end();
    const [response] = await once(sent, "response");
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  const read = async (path: string) => (await ask(path, { accept: "text/markdown" })).body;

  test("has no link that leads nowhere or to a redirect", async () => {
    const root = new URL("/manual/", service.url);
    const pages = new Map<string, ParsedDocument | undefined>();
    const links: { readonly page: string; readonly target: URL }[] = [];
    const waiting = [root.href];
    for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
      if (pages.has(page)) continue;
      const answer = await fetch(page, { redirect: "manual" });
      const body = await answer.text();
      assert.equal(answer.status, 200, `${page}, from ${links.findLast(({ target }) => target.href.startsWith(page ?? ""))?.page}`); // prettier-ignore
      const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
      const document = isPage ? parseDocument(body) : undefined;
      pages.set(page, document);
      for (const element of document?.elements ?? []) {
        const address = attribute(element, "href") ?? attribute(element, "src");
        if (address === undefined || element.tagName === "base") continue;
        const target = new URL(address, page);
        if (target.origin !== root.origin) continue;
        assert.ok(target.pathname.startsWith(root.pathname), `${page} leads to ${target.pathname}`);
        links.push({ page, target });
        waiting.push(target.origin + target.pathname);
      }
    }
    const lost = links.filter(({ target: { origin, pathname, hash } }) => {
      const document = pages.get(origin + pathname);
      const id = decodeURIComponent(hash.slice(1));
      return (
        document && id && !document.elements.some((element) => attribute(element, "id") === id)
      );
    });
    assert.deepEqual(lost.map(({ page, target }) => `${page}: ${target.href}`), []); // prettier-ignore
    assert.ok([...pages.values()].filter(Boolean).length > 100);
  });

  test("has a page for each operation and webhook of the API", async () => {
    const sitemap = await read("/manual/sitemap.xml");
    const addresses = Array.from(sitemap.matchAll(/<loc>(reference\/api\/[^<]+)</g), (match) => match[1]); // prettier-ignore
    const described = await Promise.all(
      addresses.map(async (address) => {
        const page = await read(`/manual/${address}`);
        return (/^`([A-Z]+ \S+)`$/m.exec(page)?.[1] ?? "").replace("http://127.0.0.1:4400", "");
      }),
    );
    const { paths, webhooks } = JSON.parse(await read("/openapi.json")) as OpenApi;
    const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.ok(operations.length > 60);
    assert.deepEqual(described.toSorted(), operations.toSorted());
  });

  test("is linked from the dashboard", async () => {
    const form = { method: "POST", body: new URLSearchParams({ key: service.key }) };
    const headers = { "sec-fetch-site": "same-origin" };
    const signedIn = await fetch(`${service.url}/signin`, { ...form, headers, redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { body } = await ask("/projects", { cookie });
    assert.match(body, /<header[^]*href="\/manual\/"[^]*<\/header>/);
    // On narrow screens, the header has no room for it.
    assert.match(body, /<footer[^]*href="\/manual\/"[^]*<\/footer>/);
  });

  test("is where /docs leads to", async () => {
    const { headers, status } = await ask("/docs");
    assert.equal(status, 302);
    assert.equal((await ask(headers.location ?? "")).status, 200);
  });

  test("is served as the pages of a site are", async () => {
    const page = await ask("/manual/quickstart", { "accept-encoding": "gzip;q=0, br;q=0" });
    assert.equal(page.status, 200);
    assert.equal(page.headers["content-encoding"], undefined);
    assert.match(String(page.headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.equal(page.headers["x-content-type-options"], "nosniff");
    assert.ok(page.headers["x-request-id"]);
    const { etag = "" } = page.headers;
    assert.equal((await ask("/manual/quickstart", { "if-none-match": etag })).status, 304);
    const packed = await ask("/manual/quickstart", { "accept-encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    const head = await ask("/manual/quickstart", {}, "HEAD");
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.equal((await ask("/manual/quickstart", {}, "POST")).status, 405);
    const file = /href="(_octavo\/@[^"]+\.css)"/.exec(page.body)?.[1] ?? "";
    const style = await ask(`/manual/${file}`);
    assert.match(style.headers["cache-control"] ?? "", /immutable/);
  });

  test("shows nothing from outside it", async () => {
    for (const path of [
      "/manual/nowhere",
      "/manual/../package.json",
      "/manual/..%2f..%2fpackage.json",
      "/manual/%2e%2e/%2e%2e/package.json",
      "/manual/..\\..\\package.json",
      "/manual//etc/passwd",
      "/manual/%00",
      "/manual/%ff",
      "/manual/_octavo/@x/../../../package.json",
      "/manual/_octavo/@x/octavo.css",
    ]) {
      const { status, body } = await ask(path);
      assert.ok(status === 404 || status === 400, `${path}: ${status}`);
      assert.doesNotMatch(body, /octavo-workspace|root:x/);
    }
    const { status, headers } = await ask("/manual//quickstart");
    assert.deepEqual([status, headers.location], [308, "/manual/quickstart"]);
  });
});
