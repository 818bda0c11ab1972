import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileAt } from "./built-site.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

export interface SiteServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

/** Serves a built site as static hosts do: an address without an ending is that of a page. */
export async function serveSite(output: string): Promise<SiteServer> {
  async function answer(pathname: string, response: ServerResponse): Promise<void> {
    const path = normalize(decodeURIComponent(pathname));
    const page = types[extname(path)]
      ? undefined
      : await fileAt(output, path.replaceAll(/^\/|\/$/g, ""));
    const file = page ?? join(output, path);
    const content = await readFile(file).catch(() => undefined);
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(content ? 200 : 404, { "content-type": type }).end(content);
  }
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? "/", "http://localhost").pathname, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
