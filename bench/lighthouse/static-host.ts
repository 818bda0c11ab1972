import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { cleanRelativePath } from "../../packages/site/src/core/index.ts";

const compress = promisify(gzip);

/** Types by ending, and whether what has it becomes smaller by compression. */
const types: Readonly<Record<string, readonly [type: string, isText: boolean]>> = {
  ".html": ["text/html; charset=utf-8", true],
  ".css": ["text/css; charset=utf-8", true],
  ".js": ["text/javascript; charset=utf-8", true],
  ".json": ["application/json", true],
  ".xml": ["application/xml", true],
  ".txt": ["text/plain; charset=utf-8", true],
  ".md": ["text/markdown; charset=utf-8", true],
  ".svg": ["image/svg+xml", true],
  ".ico": ["image/x-icon", true],
  ".png": ["image/png", false],
  ".jpg": ["image/jpeg", false],
  ".jpeg": ["image/jpeg", false],
  ".gif": ["image/gif", false],
  ".webp": ["image/webp", false],
  ".avif": ["image/avif", false],
  ".woff2": ["font/woff2", false],
  ".mp4": ["video/mp4", false],
};

export interface StaticHost extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  /** From now on this folder is what is served. */
  serve(folder: string): void;
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

/**
 * A plain static host on a free port: types by ending, gzip for text, ten minutes of cache, `404.html` for
 * missing files. It compresses a file once, like hosts that cache compressed files, and assumes that every client
 * supports gzip.
 */
export async function openStaticHost(): Promise<StaticHost> {
  let root: string | undefined;
  const answers = new Map<string, Answer>();

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const known = answers.get(path);
    if (known !== undefined) return known;
    const made = (await read(root, path)) ?? (await read(root, "/404.html", 404)) ?? nothing;
    answers.set(path, made);
    return made;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body } = await answerTo(request);
    response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    serve(folder) {
      root = folder;
      answers.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const nothing: Answer = { status: 404, headers: {}, body: new Uint8Array() };

async function read(
  root: string | undefined,
  path: string,
  status = 200,
): Promise<Answer | undefined> {
  if (root === undefined) return undefined;
  const inside = cleanRelativePath(decode(path));
  if (inside === undefined) return undefined;
  const content = await readFile(join(root, inside)).catch(() => undefined);
  if (content === undefined) return undefined;
  const [type, isText] = types[extname(path)] ?? ["application/octet-stream", false];
  const headers = { "content-type": type, "cache-control": "public, max-age=600" };
  if (!isText) return { status, headers, body: content };
  const encoded = { ...headers, "content-encoding": "gzip", vary: "accept-encoding" };
  return { status, headers: encoded, body: await compress(content) };
}

/** As it is where it is not written as addresses are. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
