import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP proxy that lets nothing through. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** Hosts that were asked for since the last call, each once. */
  takeHosts(): string[];
}

/** Records whom programs ask that are told to use it; every answer is 404. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  const hosts = new Set<string>();
  const server = createServer((request, response) => {
    hosts.add(URL.parse(request.url ?? "")?.host ?? String(request.url));
    response.writeHead(404).end();
  });
  server.on("connect", ({ url = "" }, socket) => {
    hosts.add(url.replace(/:443$/, ""));
    // A browser that is closed meanwhile does not wait for the answer.
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeHosts() {
      const taken = [...hosts];
      hosts.clear();
      return taken.toSorted();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
