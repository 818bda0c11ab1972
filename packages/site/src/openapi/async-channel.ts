import type { Example, Parameter, Schema, SecurityScheme, Server } from "./endpoint.ts";

/**
 * One channel, extracted from an AsyncAPI description: everything that its page shows and nothing else.
 * Versions 2 and 3 are normalized to 3, from the point of view of the described application.
 */
export interface AsyncChannel {
  readonly kind: "channel";
  /** `orders/{region}`, `/ws` */
  readonly address: string;
  readonly title: string;
  /** Markdown. */
  readonly description?: string;
  readonly servers: readonly AsyncServer[];
  /** Requirements of the servers; see `Endpoint.security`. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** The `{names}` in the address. */
  readonly parameters: readonly Omit<Parameter, "place">[];
  readonly operations: readonly AsyncOperation[];
  /** The schemas that `$ref` names, by key. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** HTML that its schemas may become, where that is less than a page has room for: its description's pages share it. */
  readonly schemaBytes?: number;
}

export interface AsyncServer extends Server {
  /** `wss`, `kafka`, `mqtt` */
  readonly protocol: string;
}

export interface AsyncOperation {
  /** What the application does: its clients receive what it sends. */
  readonly action: "send" | "receive";
  readonly title: string;
  readonly description?: string;
  readonly messages: readonly AsyncMessage[];
}

export interface AsyncMessage {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly headers?: Schema;
  readonly payload?: Schema;
  /** `application/json` by default. */
  readonly contentType: string;
  readonly examples: readonly Example[];
}
