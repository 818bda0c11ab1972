import type { FastifyReply, FastifyRequest } from "fastify";
import type { StoredBundle } from "../jobs/index.ts";

/** The functions that the HTTP server provides to the dashboard. */
export interface HttpServerFunctions {
  /** The path prefix under which a proxy serves the service, e.g. `/octavo`; usually empty. */
  readonly basePath: string;
  /** Returns the status, headers and message with which the API would respond to an error. */
  readonly toErrorResponse: (error: unknown) => {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: { readonly error: string };
  };
  /** Returns a signed, temporary address for downloading the bundle. */
  readonly linkToBundle: (bundle: StoredBundle) => string;
  /** Sets the function that responds when a browser opens a path that does not exist. */
  readonly setMissingPageSender: (
    send: (request: FastifyRequest, reply: FastifyReply, sentence: string) => FastifyReply,
  ) => void;
}
