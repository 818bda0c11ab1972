import type { StoredBundle } from "../jobs/index.ts";

/** What the HTTP server hands to the pages that it carries. */
export interface DashboardTools {
  /** What a proxy puts before the service's own paths, e.g. `/octavo`; mostly empty. */
  readonly basePath: string;
  /** The status, headers and sentence of an error: the same as a caller of the API gets. */
  readonly answerFor: (error: unknown) => {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: { readonly error: string };
  };
  /** A signed address from which a browser fetches the bundle, for a while. */
  readonly linkToBundle: (bundle: StoredBundle) => string;
}
