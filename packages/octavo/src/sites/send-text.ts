import type { IncomingMessage, ServerResponse } from "node:http";

/** Sends a sentence, which is not cached. Headers that were set before are kept. */
export function sendText(
  { method }: Pick<IncomingMessage, "method">,
  response: ServerResponse,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    ...(!response.hasHeader("Cache-Control") && { "Cache-Control": "no-store" }),
  });
  response.end(method === "HEAD" ? undefined : body);
}
