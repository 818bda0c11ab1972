import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Headers of every response. They are passed to `writeHead` together with the other headers, because Node is much
 * slower if headers are set beforehand.
 */
export const commonHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

/** Sends a short text, which is not cached by default. Keeps headers that have already been set. */
export function sendText(
  { method }: Pick<IncomingMessage, "method">,
  response: ServerResponse,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    ...commonHeaders,
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    ...(!response.hasHeader("Cache-Control") && { "Cache-Control": "no-store" }),
  });
  response.end(method === "HEAD" ? undefined : body);
}
