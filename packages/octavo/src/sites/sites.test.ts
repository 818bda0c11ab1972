import { deepStrictEqual } from "node:assert";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { buffer } from "node:stream/consumers";
import { createSitesHandler, type ServedSite } from "./index.ts";

const moved: ServedSite = {
  kind: "production",
  origin: "https://docs.example.com",
  isRedirected: true,
  versions: [],
  recent: [],
  access: { kind: "public" },
  note: undefined,
};

test("redirects to the canonical host, and knows no other host", async () => {
  const live = {
    find: (host: string) => (host === "old.example.com" ? moved : undefined),
    staleSince: undefined,
  };
  const server = createServer(createSitesHandler({ live }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async (host: string) => {
    const sent = request({ host: "127.0.0.1", port, path: "/a?b=c", headers: { host } }).end();
    const [response] = await once(sent, "response");
    await buffer(response);
    return [response.statusCode, response.headers.location];
  };
  deepStrictEqual(await ask("OLD.example.com.:8080"), [308, "https://docs.example.com/a?b=c"]);
  deepStrictEqual(await ask("other.example.com"), [404, undefined]);
  server.close();
});
