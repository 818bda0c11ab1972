import type { AsyncChannel } from "./async-channel.ts";
import type { Endpoint, Schema } from "./endpoint.ts";

/** What a page shows of an API's description, after its own content. */
export type ApiSubject = Endpoint | AsyncChannel | DataModel;

/** One schema of a description (`openapi-schema: Plant`). */
export interface DataModel {
  readonly kind: "model";
  readonly name: string;
  readonly schema: Schema;
  /** The schemas that it leads to, by name. */
  readonly schemas: Readonly<Record<string, Schema>>;
}
