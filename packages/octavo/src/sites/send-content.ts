import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline, type Readable } from "node:stream";
import type { ByteRange } from "../storage/index.ts";
import { commonHeaders } from "./send-text.ts";

/** The body of a response in the forms in which it can be sent. */
export interface Content {
  /** The content type. */
  readonly type: string;
  /** The entity tag of the uncompressed bytes, without quotes. */
  readonly tag: string;
  /** The number of uncompressed bytes. */
  readonly bytes: number;
  /** The size as gzip; undefined if the content is only sent uncompressed. */
  readonly gzipBytes: number | undefined;
  read(range: ByteRange): Uint8Array | Readable | Promise<Uint8Array>;
  readGzip(): Uint8Array | Readable;
}

interface SendOptions {
  /** The status of a complete response; 404 for an error page, which is always sent whole. */
  readonly status: 200 | 404;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * Responds to a GET or HEAD request with the whole content, a range of it, or a notice that the client's copy is
 * current.
 */
export async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  content: Content,
  { status, headers }: SendOptions,
): Promise<void> {
  const { range } = request.headers;
  const isError = status === 404;
  const isGzip =
    content.gzipBytes !== undefined &&
    (isError || range === undefined) &&
    isGzipAccepted(request.headers["accept-encoding"]);
  const tag = isGzip ? `"${content.tag}-gz"` : `"${content.tag}"`;
  const taggedHeaders = { ...commonHeaders, ...headers, ...(!isError && { ETag: tag }) };
  if (!isError && matchesTag(request.headers["if-none-match"], tag)) {
    response.writeHead(304, taggedHeaders);
    response.end();
    return;
  }
  if (!isGzip) {
    const canSendRange = !isError && isRangePermitted(request.headers["if-range"]?.toString(), tag);
    const requestedRange = canSendRange ? parseRange(range, content.bytes) : undefined;
    return await sendPlain(request, response, content, {
      status,
      headers: taggedHeaders,
      range: requestedRange,
    });
  }
  response.writeHead(status, {
    ...taggedHeaders,
    "Content-Type": content.type,
    "Content-Encoding": "gzip",
    "Content-Length": content.gzipBytes,
  });
  await sendBody(response, request.method === "HEAD" ? undefined : content.readGzip());
}

interface PlainOptions extends SendOptions {
  readonly range: ByteRange | "unsatisfiable" | undefined;
}

async function sendPlain(
  { method }: IncomingMessage,
  response: ServerResponse,
  content: Content,
  { status, headers, range }: PlainOptions,
): Promise<void> {
  if (range === "unsatisfiable") {
    const size = `bytes */${content.bytes}`;
    response.writeHead(416, { ...headers, "Content-Range": size, "Content-Length": 0 });
    response.end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: content.bytes - 1 };
  response.writeHead(range ? 206 : status, {
    ...headers,
    "Content-Type": content.type,
    ...(status === 200 && { "Accept-Ranges": "bytes" }),
    "Content-Length": end - start + 1,
    ...(range && { "Content-Range": `bytes ${start}-${end}/${content.bytes}` }),
  });
  const isEmpty = method === "HEAD" || content.bytes === 0;
  await sendBody(response, isEmpty ? undefined : await content.read({ start, end }));
}

/** Reports whether an If-Range header permits a range. Only a header with the same strong tag permits it. */
function isRangePermitted(condition: string | undefined, tag: string): boolean {
  return condition === undefined || condition === tag;
}

/**
 * Sends the body. If reading it fails, closes the connection, so that the client does not mistake a partial body for
 * the whole.
 */
async function sendBody(
  response: ServerResponse,
  body: Uint8Array | Readable | undefined,
): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    pipeline(body, response, (error) => {
      // A client that disconnects is not an error.
      if (!error || error.code === "ERR_STREAM_PREMATURE_CLOSE") resolve();
      else reject(error);
    });
  });
}

/** Reports whether an If-None-Match header contains the tag. The comparison is weak, as always for this header. */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}

/**
 * Parses a Range header. Returns undefined for a header that does not request exactly one range of bytes, because such
 * a header may be ignored.
 */
function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  return start > end ? "unsatisfiable" : { start, end };
}

/** A media type or encoding in an Accept header, with its weight from 0 to 1. */
interface AcceptedItem {
  readonly name: string;
  readonly weight: number;
}

/** The maximum number of items to parse. Real clients send fewer. */
const maxItems = 40;

function parseAccepted(header: string): readonly AcceptedItem[] {
  return header
    .toLowerCase()
    .split(",", maxItems)
    .map((item) => {
      const [name = "", ...parameters] = item.split(";");
      const weight = parameters
        .map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(text)?.[1])
        .find((text) => text !== undefined);
      return {
        name: name.trim(),
        weight: weight === undefined ? 1 : Math.min(1, Number(weight) || 0),
      };
    });
}

/** Reports whether a response should be compressed with gzip according to an Accept-Encoding header. */
function isGzipAccepted(header: string | undefined): boolean {
  if (header === undefined) return false;
  // Browsers send no weights, so their headers need not be parsed.
  if (!header.includes(";") && /\bgzip\b/.test(header)) return true;
  const items = parseAccepted(header);
  const findWeight = (...names: readonly string[]) =>
    items.find(({ name }) => names.includes(name))?.weight;
  const gzip = findWeight("gzip", "x-gzip") ?? findWeight("*") ?? 0;
  return gzip > 0 && gzip >= (findWeight("identity") ?? 0);
}

/** The form in which a client wants to read a page. */
type PageForm = "html" | "markdown" | "plain";

/**
 * Chooses the form of a page according to an Accept header. A page is sent as Markdown only if the client prefers
 * Markdown or plain text to HTML. If the client does not name Markdown, the form is `plain`.
 */
export function choosePageForm(header: string | undefined): PageForm {
  if (header === undefined || !/text\/(?:markdown|plain)/i.test(header)) return "html";
  const items = parseAccepted(header);
  const findWeight = (wanted: string) => items.find(({ name }) => name === wanted)?.weight;
  const html = findWeight("text/html");
  const anything = findWeight("text/*") ?? findWeight("*/*") ?? 0;
  const markdown = findWeight("text/markdown") ?? 0;
  // A client that names Markdown but not HTML prefers Markdown to wildcards of the same weight.
  if (markdown > 0 && (html === undefined ? markdown >= anything : markdown > html)) {
    return "markdown";
  }
  return (findWeight("text/plain") ?? 0) > (html ?? anything) ? "plain" : "html";
}
