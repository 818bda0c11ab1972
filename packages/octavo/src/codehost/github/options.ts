import type { AllowList } from "../../core/index.ts";
import type { GitHubApp } from "./connections.ts";

export interface GitHubCodeHostOptions {
  readonly allow: AllowList;
  /** The App for projects without their own token. */
  readonly app?: GitHubApp | undefined;
  /** API addresses by host, for Enterprise servers whose API is not at `https://<host>/api/v3`. */
  readonly apiUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /** The maximum time that a call waits for a rate limit. After that, it throws `rate_limited`. */
  readonly maxWaitSeconds?: number;
  /** The time limit for one request. A call makes several requests. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
  readonly isPaced?: boolean;
}
