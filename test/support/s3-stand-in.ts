import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { refuseSignature } from "./s3-signature.ts";
import type { S3Credentials, S3Refusal } from "./s3-signature.ts";

/** A request that the stand-in received. */
export interface S3Request {
  /** S3's name of the operation, such as `PutObject`. */
  readonly operation: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  /** The part number of an `UploadPart`. */
  readonly partNumber: number | undefined;
}

/** A fault of a request: a refusal, no response, a body that is cut in the middle, or one that stalls there. */
export type S3Fault = S3Refusal | "hang" | "cut" | "stall";

export interface S3Object {
  readonly bytes: Buffer;
  readonly modifiedAt: Date;
}

export interface S3Upload {
  readonly key: string;
  readonly startedAt: Date;
  readonly parts: Map<number, Buffer>;
}

/** An S3 server with one bucket, in memory, which checks signatures and obeys the rules of uploads in parts. */
export interface S3StandIn extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** The environment with which a service uses it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly objects: Map<string, S3Object>;
  readonly uploads: Map<string, S3Upload>;
  /** All that came, in order, also what was refused. */
  readonly requests: S3Request[];
  /** Decides for each request before it is carried out. */
  setFault(fault: ((request: S3Request) => S3Fault | undefined) | undefined): void;
  /** Sets the server's clock this far ahead. */
  setAhead(milliseconds: number): void;
  connections(): Promise<number>;
}

export interface S3StandInOptions {
  readonly sessionToken?: string;
  /** The number of keys in one response to a listing. */
  readonly pageSize?: number;
}

const minPartBytes = 5 * 1024 * 1024;

export async function startS3({
  sessionToken,
  pageSize = 2,
}: S3StandInOptions = {}): Promise<S3StandIn> {
  const bucket = "bundles";
  const region = "eu-test-1";
  const credentials = {
    accessKeyId: `AKIA${randomUUID().slice(0, 8)}`,
    secretAccessKey: randomUUID(),
    ...(sessionToken !== undefined && { sessionToken }),
  };
  const objects = new Map<string, S3Object>();
  const uploads = new Map<string, S3Upload>();
  const requests: S3Request[] = [];
  let aheadMs = 0;
  let faultOf: Parameters<S3StandIn["setFault"]>[0];

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const call = readCall(request, body);
    const asked = describe(call);
    requests.push(asked);
    const refusal = refuseSignature({
      request,
      body,
      credentials,
      region,
      now: Date.now() + aheadMs,
    });
    if (refusal) return refuse(response, refusal);
    if (call.bucket !== bucket) return refuse(response, { status: 404, code: "NoSuchBucket" });
    const fault = faultOf?.(asked);
    if (fault === "hang") return;
    if (typeof fault === "object") return refuse(response, fault);
    const operation = operations[asked.operation];
    if (!operation) return refuse(response, { status: 501, code: "NotImplemented" });
    const result = operation({ objects, uploads, pageSize }, call);
    if ("code" in result) return refuse(response, result);
    send(response, result, fault);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bucket,
    region,
    credentials,
    environment: {
      OCTAVO_STORAGE: `s3://${bucket}/octavo`,
      OCTAVO_S3_ENDPOINT: url,
      OCTAVO_S3_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
    },
    objects,
    uploads,
    requests,
    setFault: (fault) => void (faultOf = fault),
    setAhead: (milliseconds) => void (aheadMs = milliseconds),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Call {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly range: string | undefined;
  readonly body: Buffer;
}

function readCall({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): Call {
  const { pathname, searchParams: query } = new URL(url, "http://server");
  const [, bucket = "", ...rest] = pathname.split("/").map(decodeURIComponent);
  return { method, bucket, key: rest.join("/"), query, range: headers.range, body };
}

/** By the method and by which of these the query holds. */
const operationNames: Readonly<Record<string, string>> = {
  "HEAD bucket": "HeadBucket",
  "GET bucket uploads": "ListMultipartUploads",
  "HEAD key": "HeadObject",
  "GET key": "GetObject",
  "PUT key": "PutObject",
  "DELETE key": "DeleteObject",
  "POST key uploads": "CreateMultipartUpload",
  "PUT key uploadId": "UploadPart",
  "GET key uploadId": "ListParts",
  "POST key uploadId": "CompleteMultipartUpload",
  "DELETE key uploadId": "AbortMultipartUpload",
};

function describe({ method, key, query }: Call): S3Request {
  const kind = ["uploads", "uploadId"].filter((name) => query.has(name));
  const name = [method, key === "" ? "bucket" : "key", ...kind].join(" ");
  const part = query.get("partNumber");
  return {
    operation: operationNames[name] ?? name,
    key,
    partNumber: part === null ? undefined : Number(part),
  };
}

interface State {
  readonly objects: Map<string, S3Object>;
  readonly uploads: Map<string, S3Upload>;
  readonly pageSize: number;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether this is a HEAD request: the length without the bytes. */
  readonly isHead?: boolean;
}

type Operation = (state: State, call: Call) => Answer | S3Refusal;

const noSuchKey: S3Refusal = { status: 404, code: "NoSuchKey" };
const noSuchUpload: S3Refusal = { status: 404, code: "NoSuchUpload" };

const operations: Readonly<Record<string, Operation>> = {
  HeadBucket: () => ({ isHead: true }),
  HeadObject: (state, call) => {
    const found = getObject(state, call);
    return "code" in found ? found : { ...found, isHead: true };
  },
  GetObject: getObject,
  PutObject({ objects }, { key, body }) {
    objects.set(key, { bytes: body, modifiedAt: new Date() });
    return { headers: { etag: tagOf(body) } };
  },
  DeleteObject({ objects }, { key }) {
    objects.delete(key);
    return { status: 204 };
  },
  CreateMultipartUpload({ uploads }, { key }) {
    const id = randomUUID();
    uploads.set(id, { key, startedAt: new Date(), parts: new Map() });
    return xml("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
  },
  UploadPart({ uploads }, { query, body }) {
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (!upload) return noSuchUpload;
    upload.parts.set(Number(query.get("partNumber")), body);
    return { headers: { etag: tagOf(body) } };
  },
  ListParts({ uploads, pageSize }, { query }) {
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (!upload) return noSuchUpload;
    const after = Number(query.get("part-number-marker") ?? 0);
    const rest = [...upload.parts]
      .filter(([number]) => number > after)
      .toSorted(([a], [b]) => a - b);
    const page = rest.slice(0, pageSize);
    const items = page.map(
      ([number, bytes]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${tagOf(bytes)}</ETag><Size>${bytes.length}</Size></Part>`,
    );
    const marker = `<NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
    const isCut = `<IsTruncated>${rest.length > page.length}</IsTruncated>`;
    return xml("ListPartsResult", isCut + marker + items.join(""));
  },
  ListMultipartUploads({ uploads, pageSize }, { query }) {
    const after = `${query.get("key-marker") ?? ""}\0${query.get("upload-id-marker") ?? ""}`;
    const rest = [...uploads]
      .filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""))
      .map(([id, upload]) => ({ place: `${upload.key}\0${id}`, id, ...upload }))
      .filter(({ place }) => place > after)
      .toSorted((a, b) => (a.place < b.place ? -1 : 1));
    const page = rest.slice(0, pageSize);
    const items = page.map(
      ({ key, id, startedAt }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    );
    const last = page.at(-1);
    const marker = last
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
      : "";
    const isCut = `<IsTruncated>${rest.length > page.length}</IsTruncated>`;
    return xml("ListMultipartUploadsResult", isCut + marker + items.join(""));
  },
  CompleteMultipartUpload({ objects, uploads }, { key, query, body }) {
    const id = query.get("uploadId") ?? "";
    const upload = uploads.get(id);
    if (!upload) return noSuchUpload;
    const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      tag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll("&quot;", '"'),
    }));
    if (named.some(({ number }, index) => number <= (named[index - 1]?.number ?? 0))) {
      return { status: 400, code: "InvalidPartOrder" };
    }
    const parts = named.map(({ number, tag }) => {
      const bytes = upload.parts.get(number);
      return bytes && tagOf(bytes) === tag ? bytes : undefined;
    });
    const whole = parts.filter((part) => part !== undefined);
    if (whole.length < parts.length || whole.length === 0) {
      return { status: 400, code: "InvalidPart" };
    }
    if (whole.slice(0, -1).some((part) => part.length < minPartBytes)) {
      return { status: 400, code: "EntityTooSmall" };
    }
    uploads.delete(id);
    objects.set(key, { bytes: Buffer.concat(whole), modifiedAt: new Date() });
    return xml("CompleteMultipartUploadResult", `<Key>${key}</Key><ETag>"whole"</ETag>`);
  },
  AbortMultipartUpload({ uploads }, { query }) {
    return uploads.delete(query.get("uploadId") ?? "") ? { status: 204 } : noSuchUpload;
  },
};

function getObject({ objects }: State, { key, range, query }: Call): Answer | S3Refusal {
  const found = objects.get(key);
  if (!found) return noSuchKey;
  const { bytes, modifiedAt } = found;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(Number(to ?? bytes.length), bytes.length - 1);
  if (from !== undefined && start >= bytes.length) return { status: 416, code: "InvalidRange" };
  const disposition = query.get("response-content-disposition");
  return {
    status: from === undefined ? 200 : 206,
    headers: {
      etag: tagOf(bytes),
      "last-modified": modifiedAt.toUTCString(),
      "content-type": query.get("response-content-type") ?? "binary/octet-stream",
      ...(disposition !== null && { "content-disposition": disposition }),
      ...(from !== undefined && { "content-range": `bytes ${start}-${end}/${bytes.length}` }),
    },
    body: from === undefined ? bytes : bytes.subarray(start, end + 1),
  };
}

function tagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function xml(name: string, content: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${content}</${name}>`;
  return { headers: { "content-type": "application/xml" }, body };
}

function send(response: ServerResponse, answer: Answer, fault: "cut" | "stall" | undefined): void {
  const { status = 200, headers, body = "", isHead } = answer;
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    ...headers,
    ...(status !== 204 && { "content-length": bytes.length }),
  });
  if (isHead) {
    response.end();
  } else if (fault === undefined) {
    response.end(bytes);
  } else {
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    response.write(half, () => fault === "cut" && response.destroy());
  }
}

/** An answer to a HEAD has no body, and so no code. */
function refuse(response: ServerResponse, { status, code }: S3Refusal): void {
  const isHead = response.req.method === "HEAD";
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(
    isHead ? undefined : `<Error><Code>${code}</Code><Message>Refused</Message></Error>`,
  );
}
