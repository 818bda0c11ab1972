import type { AllowList } from "../../core/index.ts";
import type { GitHubApp } from "./client.ts";

export interface GitHubCodeHostOptions {
  readonly allow: AllowList;
  /** Serves the projects that have no token of their own. */
  readonly app?: GitHubApp | undefined;
  /** By host, for Enterprise servers whose API is not at `https://<host>/api/v3`. */
  readonly apiUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /** The longest that a call waits for a rate limit to pass; beyond that it is `rate_limited`. */
  readonly maximumWaitSeconds?: number;
  /** Of one request; a call makes a few. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
  readonly isPaced?: boolean;
}
