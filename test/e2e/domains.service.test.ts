import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPublishedDemo, until, type PublishedDemo } from "../support/published-demo.ts";

describe("a published site at domains of its own", () => {
  let demo: PublishedDemo;
  before(async () => {
    demo = await openPublishedDemo();
    await until(async () => (await demo.ask("demo.localhost")).status === 200);
  });
  after(() => demo[Symbol.asyncDispose]());

  const changeSite = async (body: object) => {
    const { status } = await demo.client.call("PUT", `/v2/projects/${demo.projectId}/site`, { body }); // prettier-ignore
    assert.equal(status, 200);
  };

  test("is served at each proven domain, and nowhere else", async () => {
    const { body: shown } = await demo.ask("demo.localhost", "/quickstart");
    await demo.client.call("POST", `/v2/projects/${demo.projectId}/site/domains`, { body: { name: "unproven.acme.example" } }); // prettier-ignore
    await demo.addDomains("docs.acme.example", "xn--bcher-kva.acme.example");
    for (const host of [
      "docs.acme.example",
      "DOCS.Acme.Example.:80",
      "xn--bcher-kva.acme.example",
    ]) {
      await until(async () => (await demo.ask(host, "/quickstart")).status === 200);
      assert.equal(titleOf((await demo.ask(host, "/quickstart")).body), titleOf(shown), host);
      for (const path of ["/projects", "/signin", "/v2/projects", "/healthz", "/metrics"]) {
        const { status, body } = await demo.ask(host, path, { authorization: `Bearer ${demo.service.key}` }); // prettier-ignore
        assert.equal(status, 404, host + path);
        assert.doesNotMatch(body, /"error"/);
      }
    }
    for (const host of ["unproven.acme.example", "acme.example", "a.docs.acme.example"]) {
      assert.notEqual(titleOf((await demo.ask(host, "/quickstart")).body), titleOf(shown), host);
    }
  });

  test("names its canonical domain, to which the other hosts redirect", async () => {
    await changeSite({ canonicalDomain: "docs.acme.example" });
    const port = new URL(demo.service.url).port;
    const origin = `http://docs.acme.example:${port}`;
    await until(async () => (await demo.ask("demo.localhost")).status === 308);
    for (const host of ["demo.localhost", "xn--bcher-kva.acme.example"]) {
      const { status, headers } = await demo.ask(host, "/quickstart?a=1&b=%2F");
      assert.deepEqual([status, headers.location], [308, `${origin}/quickstart?a=1&b=%2F`]);
    }
    const page = await demo.ask("docs.acme.example", "/quickstart");
    assert.equal(page.status, 200);
    assert.match(page.headers.link?.toString() ?? "", new RegExp(`<${origin}/quickstart>; rel="canonical"`)); // prettier-ignore
    const robots = await demo.ask("docs.acme.example", "/robots.txt");
    assert.match(robots.body, new RegExp(`Sitemap: ${origin}/sitemap\\.xml`));
    const sitemap = await demo.ask("docs.acme.example", "/sitemap.xml");
    assert.match(sitemap.body, new RegExp(`<loc>${origin}/quickstart</loc>`));
    await changeSite({ canonicalDomain: null });
    await until(async () => (await demo.ask("demo.localhost")).status === 200);
  });

  test("is gone from a domain as soon as it is removed", async () => {
    const path = `/v2/projects/${demo.projectId}/site/domains/xn--bcher-kva.acme.example`;
    assert.equal((await demo.client.call("DELETE", path)).status, 204);
    await until(async () => (await demo.ask("xn--bcher-kva.acme.example", "/quickstart")).status === 404); // prettier-ignore
    assert.equal((await demo.ask("docs.acme.example", "/quickstart")).status, 200);
  });
});

function titleOf(page: string): string | undefined {
  return /<title>([^<]*)/.exec(page)?.[1];
}
