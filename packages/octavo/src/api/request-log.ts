import type { Actor } from "../core/index.ts";
import type { Metrics } from "../telemetry/index.ts";
import type { Api } from "./api.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sender of the request, once authenticated. */
    actor: Actor | undefined;
  }
}

/** Writes one log line and one measurement per response. Successful reads are frequent and log at `debug`. */
export function logRequests(api: Api, metrics: Metrics): void {
  api.decorateRequest("actor", undefined);
  api.addHook("onResponse", async (request, reply) => {
    const { method, url, ip } = request;
    const route = request.routeOptions.url ?? "none";
    const status = reply.statusCode;
    // A stream lasts as long as its job, so its duration says nothing about the service.
    const isStream = reply.getHeader("content-type")?.toString().startsWith("text/event-stream");
    if (!isStream) {
      metrics.requestEnded({ method, route, status, seconds: reply.elapsedTime / 1000 });
    }
    const isPlainRead = status < 400 && (method === "GET" || method === "HEAD");
    const ms = Math.round(reply.elapsedTime);
    const fields = { method, url, status, ms, ip, actor: request.actor?.id };
    if (isPlainRead) request.log.debug(fields, "Answered");
    else request.log.info(fields, "Answered");
  });
}
