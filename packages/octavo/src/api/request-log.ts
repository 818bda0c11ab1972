import type { Metrics } from "../telemetry/index.ts";
import type { Api } from "./api.ts";

/** One log line and one measurement per response. Successful reads are frequent and say little: `debug`. */
export function observeRequests(api: Api, metrics: Metrics): void {
  api.addHook("onResponse", async (request, reply) => {
    const { method, url, ip } = request;
    const route = request.routeOptions.url ?? "none";
    const status = reply.statusCode;
    // A stream lasts as long as its job: its duration says nothing about the service.
    const isStream = reply.getHeader("content-type")?.toString().startsWith("text/event-stream");
    if (!isStream) {
      metrics.requestEnded({ method, route, status, seconds: reply.elapsedTime / 1000 });
    }
    const isPlainRead = status < 400 && (method === "GET" || method === "HEAD");
    const fields = { method, url, status, ms: Math.round(reply.elapsedTime), ip };
    if (isPlainRead) request.log.debug(fields, "Answered");
    else request.log.info(fields, "Answered");
  });
}
