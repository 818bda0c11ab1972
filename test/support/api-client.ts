import type { StaticExportJob } from "../../packages/octavo/src/jobs/static-export/job.ts";

export interface ClientResponse<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ApiClient {
  /** One call with the client's key; a body is sent as JSON. Never throws for a status. */
  call<Body = unknown>(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<ClientResponse<Body>>;
  /** Polls an export until it has ended. */
  waitForExport(jobId: string): Promise<StaticExportJob>;
}

/** A small client of a running service, for tests that speak HTTP only. */
export function createApiClient(baseUrl: string, key: string): ApiClient {
  const call: ApiClient["call"] = async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : (text as never),
    };
  };
  return {
    call,
    async waitForExport(jobId) {
      for (;;) {
        const path = `/v1/static-export/jobs/${jobId}`;
        const { status, body } = await call<StaticExportJob>("GET", path);
        if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
        if (body.status === "completed" || body.status === "failed") return body;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
