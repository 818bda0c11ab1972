import { isOctavoError, OctavoError } from "@octavo/site/core";
import type * as sdkModule from "./client.bundled.ts";
import type { S3Client } from "./client.bundled.ts";
import { toStorageFailure } from "./failure.ts";
import type { StoredFile } from "../storage.ts";

export interface S3StorageOptions {
  readonly bucket: string;
  /** Before every key, without slashes at its ends; empty for none. */
  readonly prefix: string;
  /** Of a server other than Amazon's; undefined leaves it to the SDK's own settings. */
  readonly endpoint?: string | undefined;
  /** Undefined leaves it to the SDK's own settings. */
  readonly region?: string | undefined;
  /** Whether the bucket stands in the path of addresses, not in the host name. */
  readonly isPathStyle: boolean;
  /** Whether `directLink` is offered. */
  readonly hasDirectLinks: boolean;
  /** For tests; default `s3Times`. */
  readonly times?: S3Times;
}

/** In milliseconds. */
interface S3Times {
  readonly connect: number;
  /** Until the response to a request without a large body begins, for each attempt. */
  readonly request: number;
  /** The same for a request that sends a part of a file. */
  readonly upload: number;
  /** Between two pieces of a response that is read as fast as it comes. */
  readonly idle: number;
  /** For a ping in all. */
  readonly ping: number;
  /** For a removal in all: shorter than others wait for one (`bundle-record.ts`). */
  readonly removal: number;
}

export const s3Times: S3Times = {
  connect: 5_000,
  request: 10_000,
  upload: 120_000,
  idle: 30_000,
  ping: 10_000,
  removal: 20_000,
};

/** The first one and two more, with growing waits of the SDK's between them. */
const maxAttempts = 3;
/** What servers other than Amazon's take where nobody names a region. */
const anyRegion = "us-east-1";

type Sdk = typeof sdkModule;

/** One bucket: every request goes through `send`, so that every failure gets its message. */
export interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly name: string;
  readonly times: S3Times;
  readonly keyOf: (key: string) => string;
  /** Throws what `toStorageFailure` makes of an error. */
  readonly send: <Output>(
    request: (client: S3Client, limits: RequestLimits) => Promise<Output>,
  ) => Promise<Output>;
}

/** Of one request: options that the SDK's client takes with it. */
interface RequestLimits {
  readonly requestTimeout: number;
}

/** Loads the SDK, which no other command needs. Credentials are looked up with the first request. */
export async function openBucket(options: S3StorageOptions): Promise<Bucket> {
  const sdk = await import("./client.bundled.ts");
  const { bucket, prefix, times = s3Times } = options;
  const client = await createClient(sdk, options);
  return {
    sdk,
    client,
    name: bucket,
    times,
    keyOf: (key) => (prefix === "" ? key : `${prefix}/${key}`),
    async send(request) {
      try {
        return await request(client, { requestTimeout: times.request });
      } catch (error) {
        throw toStorageFailure(error, bucket);
      }
    },
  };
}

async function createClient(sdk: Sdk, options: S3StorageOptions): Promise<S3Client> {
  const { endpoint, region, isPathStyle, times = s3Times } = options;
  const settings = {
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: isPathStyle,
    maxAttempts,
    // Otherwise bodies are sent in a framing of Amazon's own, which other servers refuse.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: times.connect,
      requestTimeout: times.request,
      throwOnRequestTimeout: true,
    },
  } as const;
  const client = new sdk.S3Client({ ...settings, ...(region !== undefined && { region }) });
  try {
    await client.config.region();
    return client;
  } catch (cause) {
    if (endpoint !== undefined) return new sdk.S3Client({ ...settings, region: anyRegion });
    throw new OctavoError(
      "invalid_input",
      "The region of the S3 bucket is not known; set OCTAVO_S3_REGION, e.g. to eu-central-1.",
      { cause },
    );
  }
}

/** Undefined if there is no such file, or no such bucket: a HEAD does not say which. */
export async function statObject(bucket: Bucket, key: string): Promise<StoredFile | undefined> {
  const command = new bucket.sdk.HeadObjectCommand({ Bucket: bucket.name, Key: key });
  try {
    const head = await bucket.send((client, limits) => client.send(command, limits));
    if (head.ContentLength === undefined) throw withoutLength();
    return { bytes: head.ContentLength, modifiedAt: head.LastModified ?? new Date(0) };
  } catch (error) {
    if (isOctavoError(error, "not_found")) return undefined;
    throw error;
  }
}

export function withoutLength(): OctavoError {
  return new OctavoError(
    "unavailable",
    "The S3 storage did not answer with the length of a file; check that OCTAVO_S3_ENDPOINT is an S3 server.",
  );
}
