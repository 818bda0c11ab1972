import type { Example, Parameter, Schema, SecurityScheme, Server } from "./endpoint.ts";

/**
 * One channel of an AsyncAPI description, cut out of it: everything that its page shows and nothing else.
 * Versions 2 and 3 have one form here: that of 3, seen from the application that the description is of.
 */
export interface AsyncChannel {
  readonly kind: "channel";
  /** Where messages travel: `orders/{region}`, `/ws`. */
  readonly address: string;
  readonly title: string;
  /** Markdown. */
  readonly description?: string;
  readonly servers: readonly AsyncServer[];
  /** Of the servers, as of an endpoint. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** What stands for the `{names}` in the address. */
  readonly parameters: readonly Omit<Parameter, "place">[];
  readonly operations: readonly AsyncOperation[];
  /** The schemas that `$ref` names, by that name. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface AsyncServer extends Server {
  /** `wss`, `kafka`, `mqtt` */
  readonly protocol: string;
}

export interface AsyncOperation {
  /** What the application does: `send` is what its clients hear. */
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
  /** `application/json` where the description says nothing. */
  readonly contentType: string;
  readonly examples: readonly Example[];
}
