import { isOctavoError, OctavoError } from "@octavo/site/core";
import type * as sdkModule from "./client.bundled.ts";
import type { S3Client } from "./client.bundled.ts";
import { toStorageFailure } from "./failure.ts";
import type { StoredFile } from "../storage.ts";

export interface S3StorageOptions {
  readonly bucket: string;
  /** The prefix of every key, without leading and trailing slashes. An empty string means no prefix. */
  readonly prefix: string;
  /** The endpoint of a server other than Amazon's. If undefined, the SDK's own settings apply. */
  readonly endpoint?: string | undefined;
  /** The region. If undefined, the SDK's own settings apply. */
  readonly region?: string | undefined;
  /** Whether URLs contain the bucket's name in the path instead of the host name. */
  readonly isPathStyle: boolean;
  /** Whether the storage has `directLink`. */
  readonly hasDirectLinks: boolean;
  /** Set only by tests. Defaults to `s3Times`. */
  readonly times?: S3Times;
}

/** Timeouts in milliseconds. */
interface S3Times {
  readonly connect: number;
  /** The time until the response begins, for each attempt at a request without a large body. */
  readonly request: number;
  /** The time until the response begins, for a request that sends a part of a file. */
  readonly upload: number;
  /** The time between two pieces of a response that is read as fast as it arrives. */
  readonly idle: number;
  /** The total time for a ping. */
  readonly ping: number;
  /**
   * The total time for a removal. It is shorter than the time for which callers wait for a removal
   * (`bundle-record.ts`).
   */
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

/** The maximum number of attempts at a request. The SDK waits between them with increasing delays. */
const maxAttempts = 3;
/** The region for servers other than Amazon's if none is set. They accept this one. */
const anyRegion = "us-east-1";

type Sdk = typeof sdkModule;

/** A bucket. Every request is sent with `send`, so that every failure has a message. */
export interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly name: string;
  readonly times: S3Times;
  readonly keyOf: (key: string) => string;
  /** Sends a request. Throws the error that `toStorageFailure` creates. */
  readonly send: <Output>(
    request: (client: S3Client, limits: RequestLimits) => Promise<Output>,
  ) => Promise<Output>;
}

/** Options of the SDK's client for one request. */
interface RequestLimits {
  readonly requestTimeout: number;
}

/**
 * Opens a bucket. Loads the SDK, which commands without S3 do not need. Credentials are looked up with the first
 * request.
 */
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
    // By default, the SDK sends bodies in Amazon's own framing, which other servers reject.
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
      "The region of the S3 bucket is unknown; set OCTAVO_S3_REGION, for example to eu-central-1.",
      { cause },
    );
  }
}

/** Returns undefined if there is no such file or no such bucket, which a HEAD request does not distinguish. */
export async function statObject(bucket: Bucket, key: string): Promise<StoredFile | undefined> {
  const command = new bucket.sdk.HeadObjectCommand({ Bucket: bucket.name, Key: key });
  try {
    const head = await bucket.send((client, limits) => client.send(command, limits));
    if (head.ContentLength === undefined) throw createMissingLengthError();
    return { bytes: head.ContentLength, modifiedAt: head.LastModified ?? new Date(0) };
  } catch (error) {
    if (isOctavoError(error, "not_found")) return undefined;
    throw error;
  }
}

export function createMissingLengthError(): OctavoError {
  return new OctavoError(
    "unavailable",
    "The S3 storage did not return the length of a file; check that OCTAVO_S3_ENDPOINT is an S3 server.",
  );
}
