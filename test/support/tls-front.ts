import { once } from "node:events";
import { request as requestHttp } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "./certificate.ts";

export interface TlsFront extends AsyncDisposable {
  readonly port: number;
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** PEM; whoever connects must trust it. */
  readonly certificate: string;
}

export interface TlsFrontOptions {
  /** The port on 127.0.0.1 that a request is handed on to. */
  readonly route: (path: string) => number;
  /** Awaited before a request is handed on; gives true where it answered instead. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** Servers of plain HTTP behind https, as one host. */
export async function startTlsFront({ route, intercept }: TlsFrontOptions): Promise<TlsFront> {
  const { key, certificate } = makeCertificate();
  const server = createServer({ key, cert: certificate }, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await intercept?.(request, response)) return;
    const { method, url = "/", headers } = request;
    const handed = requestHttp({ port: route(url), host: "127.0.0.1", method, path: url, headers });
    handed.on("error", () => response.destroy());
    handed.on("response", (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    response.on("close", () => handed.destroy());
    request.pipe(handed);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    certificate,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
