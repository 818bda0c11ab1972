import type { AllowList } from "../../core/index.ts";
import type { GitHubApp } from "./client.ts";

export interface GitHubCodeHostOptions {
  readonly allow: AllowList;
  /** Used for projects without their own token. */
  readonly app?: GitHubApp | undefined;
  /** API addresses by host, for Enterprise servers whose API is not at `https://<host>/api/v3`. */
  readonly apiUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /** The maximum time that a call waits for a rate limit; after that it throws `rate_limited`. */
  readonly maxWaitSeconds?: number;
  /** The limit for one request; a call makes a few. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
  readonly isPaced?: boolean;
}
