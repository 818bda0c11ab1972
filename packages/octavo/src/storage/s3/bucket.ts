import { isOctavoError, OctavoError } from "@octavo/site/core";
import type * as sdkModule from "./client.bundled.ts";
import type { S3Client } from "./client.bundled.ts";
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
  /** The timeouts, which only tests set. Defaults to `s3Times`. */
  readonly times?: S3Times;
}

/** Timeouts in milliseconds. */
interface S3Times {
  readonly connect: number;
  /** The time until the response begins, for each attempt at a request without a large body. */
  readonly request: number;
  /** The time until the response begins, for a request that sends a part of a file. */
  readonly upload: number;
  /** The time between two chunks of a response that is read as fast as it arrives. */
  readonly idle: number;
  /** The total time for a ping. */
  readonly ping: number;
  /**
   * The total time for a removal. It is shorter than the time for which callers wait for a removal
   * (`recordBundle`).
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

/** The maximum number of attempts at a request. Between attempts, the SDK waits with increasing delays. */
const maxAttempts = 3;
/** The region for servers other than Amazon's if no region is set. These servers accept it. */
const fallbackRegion = "us-east-1";

type Sdk = typeof sdkModule;

/** A bucket. Every request is sent with `send`, so that every failure has a helpful message. */
export interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly name: string;
  readonly times: S3Times;
  readonly keyOf: (key: string) => string;
  /** Sends a request. Throws an error created by `toStorageFailure` if the request fails. */
  readonly send: <Output>(
    request: (client: S3Client, limits: RequestLimits) => Promise<Output>,
  ) => Promise<Output>;
}

/** The options of the SDK's client for one request. */
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
    if (endpoint !== undefined) return new sdk.S3Client({ ...settings, region: fallbackRegion });
    throw new OctavoError(
      "invalid_input",
      "The region of the S3 bucket is unknown; set OCTAVO_S3_REGION, for example to eu-central-1.",
      { cause },
    );
  }
}

/**
 * Returns the properties of a file. Returns undefined if the file or the bucket does not exist, because a HEAD request
 * does not distinguish these cases.
 */
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

/**
 * The fields of the SDK's errors that this module reads. An error's message may quote the signed text, so it is never
 * shown.
 */
interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly Region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  };
}

const missingCodes = new Set(["NoSuchKey", "NotFound", "NoSuchUpload"]);
const credentialCodes = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "InvalidToken",
  "ExpiredToken",
  "ExpiredTokenException",
  "TokenRefreshRequired",
]);
const regionCodes = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
]);
const fullCodes = new Set([
  "QuotaExceeded",
  "InsufficientCapacity",
  "XMinioStorageFull",
  "StorageFull",
]);

/**
 * Converts the error of a request to a bucket. Returns a `not_found` error if the file or upload does not exist, and
 * otherwise an `unavailable` error whose message states what to do. `details.isSetting` marks failures that no retry
 * can fix.
 */
function toStorageFailure(error: unknown, bucket: string): OctavoError {
  if (isOctavoError(error)) return error;
  const sdkError = (error ?? {}) as SdkError;
  if (isMissing(sdkError)) {
    return new OctavoError("not_found", `There is no such file in the S3 bucket ${bucket}.`, {
      cause: error,
    });
  }
  const setting = isFull(sdkError) ? undefined : describeSettingFault(sdkError, bucket);
  return new OctavoError("unavailable", setting ?? describePassingFault(sdkError, bucket), {
    cause: error,
    details: { isSetting: setting !== undefined },
  });
}

/**
 * Reports whether the file or upload does not exist. The status is also checked, because a HEAD response has no body
 * with an error code.
 */
function isMissing(error: SdkError): boolean {
  return (
    missingCodes.has(error.name ?? "") ||
    (findStatus(error) === 404 && error.name !== "NoSuchBucket")
  );
}

export function createMissingBucketError(bucket: string): OctavoError {
  return new OctavoError(
    "unavailable",
    `There is no S3 bucket ${bucket}; create it, or correct OCTAVO_STORAGE or OCTAVO_S3_ENDPOINT.`,
    { details: { isSetting: true } },
  );
}

function describeSettingFault(error: SdkError, bucket: string): string | undefined {
  const { name = "" } = error;
  const status = findStatus(error);
  if (name === "NoSuchBucket") return createMissingBucketError(bucket).message;
  if (/^(?:CredentialsProvider|TokenProvider|ProviderError)/.test(name)) {
    return "There are no credentials for the S3 storage; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.";
  }
  if (credentialCodes.has(name)) {
    return "The S3 storage does not accept the credentials; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the machine's role.";
  }
  if (name === "RequestTimeTooSkewed") {
    return "The S3 storage refuses requests because its clock and this machine's differ; set the clock.";
  }
  if (regionCodes.has(name) || status === 301 || isElsewhere(error)) {
    const region = findRegion(error);
    return `The S3 bucket ${bucket} is in a different region; set OCTAVO_S3_REGION${region ? ` to ${region}` : ""}.`;
  }
  if (status === 401 || status === 403) {
    return (
      `The S3 storage refuses access to the bucket ${bucket}; check that the credentials allow listing the bucket ` +
      "and reading, writing and deleting files in it."
    );
  }
  return undefined;
}

function describePassingFault(error: SdkError, bucket: string): string {
  const status = findStatus(error);
  if (isFull(error)) {
    return `The S3 bucket ${bucket} is full; enlarge its quota, or remove files that are not needed.`;
  }
  if (isTimeout(error)) {
    return "The S3 storage did not respond in time; check its load and the network.";
  }
  if (status === undefined) {
    return "The S3 storage cannot be reached; check OCTAVO_S3_ENDPOINT, OCTAVO_S3_REGION and the network.";
  }
  if (status >= 500 || status === 429) {
    return `The S3 storage has failed or is overloaded (it responded with ${status}); check it, and try again.`;
  }
  return `The S3 storage refused a request (it responded with ${status}); the log contains the reason.`;
}

/** Reports whether the bucket is full. Some servers respond in this case with the same status as for denied access. */
function isFull(error: SdkError): boolean {
  return findStatus(error) === 507 || fullCodes.has(error.name ?? "");
}

function isTimeout({ name, code }: SdkError): boolean {
  return name === "TimeoutError" || name === "AbortError" || code === "ETIMEDOUT";
}

function findStatus({ $metadata, $response }: SdkError): number | undefined {
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

/**
 * Reports whether the bucket is in a different region. Amazon responds to a HEAD request in the wrong region with 400
 * and the correct region.
 */
function isElsewhere(error: SdkError): boolean {
  return findStatus(error) === 400 && findRegion(error) !== undefined;
}

function findRegion({ Region: region, $response }: SdkError): string | undefined {
  const found = region ?? $response?.headers?.["x-amz-bucket-region"];
  return found !== undefined && /^[\w-]{1,40}$/.test(found) ? found : undefined;
}
