import type { AsyncChannel } from "./async-channel.ts";
import type { Endpoint, Schema } from "./endpoint.ts";

/** The part of an API description that a page shows after its own content. */
export type ApiSubject = Endpoint | AsyncChannel | DataModel;

/** One schema of a description (`openapi-schema: Plant`). */
export interface DataModel {
  readonly kind: "model";
  readonly name: string;
  readonly schema: Schema;
  /** The schemas that it refers to, directly or not, by key. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** HTML that its schemas may become, where that is less than a page has room for: its description's pages share it. */
  readonly schemaBytes?: number;
}
