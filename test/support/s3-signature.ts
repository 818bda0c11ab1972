import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The credentials for a bucket. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Why a request is refused, in S3's words. */
export interface S3Refusal {
  readonly status: number;
  readonly code: string;
}

export interface SignedRequest {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly credentials: S3Credentials;
  readonly region: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

const algorithm = "AWS4-HMAC-SHA256";
const maxSkewMs = 15 * 60 * 1000;
const denied: S3Refusal = { status: 403, code: "AccessDenied" };
const mismatch: S3Refusal = { status: 403, code: "SignatureDoesNotMatch" };

/** The claims of a signature, in a header or in the query of a presigned address. */
interface Claim {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
  readonly token: string | undefined;
  readonly payloadHash: string;
  /** In seconds, of a presigned address. */
  readonly expires: number | undefined;
}

/**
 * Checks AWS Signature Version 4, recomputed from the request as it came: undefined if it is right. Takes neither
 * unsigned payloads, except of presigned addresses, nor Amazon's framing of streams.
 */
export function refuseSignature(signed: SignedRequest): S3Refusal | undefined {
  const url = new URL(signed.request.url ?? "/", "http://server");
  const claim = readClaim(signed.request, url);
  if (!claim) return denied;
  return (
    refusePayload(claim, signed.body) ??
    refuseDate(claim, signed.now) ??
    refuseScope(claim, signed) ??
    refuseHeaders(claim, signed.request) ??
    (isSignatureRight(claim, url, signed) ? undefined : mismatch)
  );
}

function readClaim({ headers }: IncomingMessage, url: URL): Claim | undefined {
  const query = url.searchParams;
  if (query.has("X-Amz-Signature")) {
    return {
      credential: query.get("X-Amz-Credential") ?? "",
      signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
      signature: query.get("X-Amz-Signature") ?? "",
      date: query.get("X-Amz-Date") ?? "",
      token: query.get("X-Amz-Security-Token") ?? undefined,
      payloadHash: "UNSIGNED-PAYLOAD",
      expires: Number(query.get("X-Amz-Expires")),
    };
  }
  const form = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;
  const [, credential, signedHeaders, signature] = form.exec(headers.authorization ?? "") ?? [];
  if (!credential || !signedHeaders || !signature) return undefined;
  return {
    credential,
    signedHeaders: signedHeaders.split(";"),
    signature,
    date: String(headers["x-amz-date"]),
    token: headers["x-amz-security-token"]?.toString(),
    payloadHash: String(headers["x-amz-content-sha256"]),
    expires: undefined,
  };
}

function refusePayload({ payloadHash, expires }: Claim, body: Buffer): S3Refusal | undefined {
  if (expires !== undefined) return undefined;
  if (payloadHash.startsWith("STREAMING-")) return { status: 501, code: "NotImplemented" };
  if (payloadHash === sha256(body)) return undefined;
  return { status: 400, code: "XAmzContentSHA256Mismatch" };
}

function refuseDate({ date, expires }: Claim, now: number): S3Refusal | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)?.slice(1).map(Number);
  if (!parts) return denied;
  const [year = 0, month = 1, ...rest] = parts;
  const age = now - Date.UTC(year, month - 1, ...rest);
  if (expires === undefined) {
    return Math.abs(age) > maxSkewMs ? { status: 403, code: "RequestTimeTooSkewed" } : undefined;
  }
  return age > expires * 1000 || age < -maxSkewMs ? denied : undefined;
}

function refuseScope(claim: Claim, { credentials, region }: SignedRequest): S3Refusal | undefined {
  const [keyId, day, scopeRegion, service, end] = claim.credential.split("/");
  if (keyId !== credentials.accessKeyId) return { status: 403, code: "InvalidAccessKeyId" };
  if (claim.token !== credentials.sessionToken) return { status: 400, code: "InvalidToken" };
  if (scopeRegion !== region) return { status: 400, code: "AuthorizationHeaderMalformed" };
  const isRight = claim.date.startsWith(String(day)) && service === "s3" && end === "aws4_request";
  return isRight ? undefined : denied;
}

function refuseHeaders({ signedHeaders }: Claim, request: IncomingMessage): S3Refusal | undefined {
  const isUnsigned = (name: string) => name.startsWith("x-amz-") && !signedHeaders.includes(name);
  if (!signedHeaders.includes("host") || Object.keys(request.headers).some(isUnsigned)) {
    return denied;
  }
  return undefined;
}

function isSignatureRight(
  claim: Claim,
  url: URL,
  { request, credentials, region }: SignedRequest,
): boolean {
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted();
  const canonical = [
    request.method,
    url.pathname
      .split("/")
      .map((part) => encode(decodeURIComponent(part)))
      .join("/"),
    query.join("&"),
    ...claim.signedHeaders.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    claim.signedHeaders.join(";"),
    claim.payloadHash,
  ].join("\n");
  const day = claim.date.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [algorithm, claim.date, scope, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const given = Buffer.from(claim.signature, "hex");
  const expected = hmac(key, text);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** RFC 3986: everything but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
