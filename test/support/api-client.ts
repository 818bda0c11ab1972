import type {
  AddressedDeployment,
  AgentJob,
  StaticExportJob,
} from "../../packages/octavo/src/jobs/index.ts";

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
  /** An export when it has ended. */
  waitForExport(jobId: string): Promise<StaticExportJob>;
  /** Deploys a project's branch, and returns the deployment when it has ended. */
  deploy(projectId: string): Promise<AddressedDeployment>;
  /** The agent job at this path when it has ended. */
  waitForAgentJob(path: string): Promise<AgentJob>;
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
  /** The events of a job end when it does. To ask for it again and again would take the service 4 ms each time. */
  async function ended<Job>(path: string): Promise<Job> {
    await call("GET", `${path}/events`);
    const { status, body } = await call<Job>("GET", path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
    return body;
  }
  return {
    call,
    async waitForExport(jobId) {
      const path = `/v1/static-export/jobs/${jobId}`;
      const job = await ended<StaticExportJob>(path);
      if (job.status !== "completed" && job.status !== "failed") throw new Error(`${path} goes on`);
      return job;
    },
    async deploy(projectId) {
      const path = `/v2/projects/${projectId}/deployments`;
      const { body } = await call<AddressedDeployment>("POST", path, { body: {} });
      return await ended<AddressedDeployment>(`/v2/deployments/${body.id}`);
    },
    async waitForAgentJob(path) {
      const job = await ended<AgentJob>(path);
      if (job.status === "active") throw new Error(`${path} goes on`);
      return job;
    },
  };
}
