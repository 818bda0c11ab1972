import { OctavoError, isOctavoError } from "@octavo/site/core";

/**
 * The fields of the SDK's errors that are read here. An error's message may quote the signed text, so it is never
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

const missing = new Set(["NoSuchKey", "NotFound", "NoSuchUpload"]);
const unknownCredentials = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "InvalidToken",
  "ExpiredToken",
  "ExpiredTokenException",
  "TokenRefreshRequired",
]);
const otherRegion = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
]);
const full = new Set(["QuotaExceeded", "InsufficientCapacity", "XMinioStorageFull", "StorageFull"]);

/**
 * Converts the error of a request to a bucket. Returns `not_found` if there is no such file or upload, otherwise
 * `unavailable` with a message that says what to do. `details.isSetting` marks failures that no retry can fix.
 */
export function toStorageFailure(error: unknown, bucket: string): OctavoError {
  if (isOctavoError(error)) return error;
  const sdkError = (error ?? {}) as SdkError;
  if (isMissing(sdkError)) {
    return new OctavoError("not_found", `There is no such file in the S3 bucket ${bucket}.`, {
      cause: error,
    });
  }
  const setting = isFull(sdkError) ? undefined : settingFault(sdkError, bucket);
  return new OctavoError("unavailable", setting ?? passingFault(sdkError, bucket), {
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
    missing.has(error.name ?? "") || (findStatus(error) === 404 && error.name !== "NoSuchBucket")
  );
}

export function createMissingBucketError(bucket: string): OctavoError {
  return new OctavoError(
    "unavailable",
    `There is no S3 bucket ${bucket}; create it, or correct OCTAVO_STORAGE or OCTAVO_S3_ENDPOINT.`,
    { details: { isSetting: true } },
  );
}

function settingFault(error: SdkError, bucket: string): string | undefined {
  const { name = "" } = error;
  const status = findStatus(error);
  if (name === "NoSuchBucket") return createMissingBucketError(bucket).message;
  if (/^(?:CredentialsProvider|TokenProvider|ProviderError)/.test(name)) {
    return "There are no credentials for the S3 storage; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.";
  }
  if (unknownCredentials.has(name)) {
    return "The S3 storage does not accept the credentials; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the machine's role.";
  }
  if (name === "RequestTimeTooSkewed") {
    return "The S3 storage refuses requests because its clock and this machine's differ; set the clock.";
  }
  if (otherRegion.has(name) || status === 301 || isElsewhere(error)) {
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

function passingFault(error: SdkError, bucket: string): string {
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

/** Reports whether the bucket is full, which some servers report with the status of a refusal. */
function isFull(error: SdkError): boolean {
  return findStatus(error) === 507 || full.has(error.name ?? "");
}

function isTimeout({ name, code }: SdkError): boolean {
  return name === "TimeoutError" || name === "AbortError" || code === "ETIMEDOUT";
}

function findStatus({ $metadata, $response }: SdkError): number | undefined {
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

/**
 * Reports whether the bucket is in a different region. To a HEAD request in the wrong region, Amazon responds with 400
 * and the right region.
 */
function isElsewhere(error: SdkError): boolean {
  return findStatus(error) === 400 && findRegion(error) !== undefined;
}

function findRegion({ Region: region, $response }: SdkError): string | undefined {
  const found = region ?? $response?.headers?.["x-amz-bucket-region"];
  return found !== undefined && /^[\w-]{1,40}$/.test(found) ? found : undefined;
}
