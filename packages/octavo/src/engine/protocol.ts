/** The messages between the service and the embedded database's thread. */

export type EngineRequest =
  /** The first request, which has no result: the thread responds with `ready` or `failed`. */
  { readonly kind: "open"; readonly folder: string } | EngineTask;

/** A request that has a result. */
export type EngineTask =
  | {
      readonly id: number;
      readonly kind: "query";
      readonly sql: string;
      readonly parameters: unknown[];
    }
  | { readonly id: number; readonly kind: "script"; readonly sql: string }
  | { readonly id: number; readonly kind: "close" };

export interface EngineResult {
  readonly rows: Record<string, unknown>[];
  readonly affectedRows: number | undefined;
  /** The command's tag, e.g. `COMMIT`. For the COMMIT of an aborted transaction, the tag is `ROLLBACK`. */
  readonly command: string | undefined;
}

/** The fields of PostgreSQL's error, which an Error object would lose between threads. */
export interface EngineFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
}

export type EngineMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly failure: EngineFailure }
  | { readonly kind: "result"; readonly id: number; readonly result: EngineResult }
  | { readonly kind: "error"; readonly id: number; readonly failure: EngineFailure }
  | { readonly kind: "notification"; readonly channel: string; readonly payload: string };
