import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentJob, StaticExportJob } from "../../packages/octavo/src/jobs/index.ts";
import type { Evidence } from "./kept-evidence.ts";
import { watchProcesses } from "./process-watch.ts";
import type { ProcessWatch, SeenProcess } from "./process-watch.ts";
import { startService } from "./service.ts";
import type { RunningService, TestServiceOptions } from "./service.ts";

/** The evidence from all runs of a service. */
export interface Record {
  readonly evidence: Evidence[];
  readonly processes: SeenProcess[];
}

/** One run of the service in a process of its own; everything that it answers is recorded. */
export interface RecordedRun extends AsyncDisposable {
  readonly service: RunningService;
  readonly watch: ProcessWatch;
  /** One call of the API with the admin key. */
  ask<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** A page of the dashboard. */
  visit(path: string, cookie: string): Promise<Response>;
  beginJob(projectId: string, prompt: string): Promise<AgentJob>;
  /** The job when it has ended; its events and its diff were asked for as well. */
  finishJob(projectId: string, job: AgentJob): Promise<AgentJob>;
  /** The export when it has ended. */
  exportSite(domain: string): Promise<StaticExportJob>;
  /** Ends the service and records what it wrote. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const pollMs = 40;

export async function startRecordedRun(
  options: TestServiceOptions,
  { evidence, processes }: Record,
): Promise<RecordedRun> {
  const service = await startService(options);
  const watch = watchProcesses(service.pid);

  async function send(kind: string, place: string, init: RequestInit): Promise<Response> {
    const [method = "", path = ""] = place.split(" ");
    const response = await fetch(service.url + path, { ...init, method, redirect: "manual" });
    const head = `${response.status} ${JSON.stringify([...response.headers])}`;
    evidence.push({ kind, place, content: `${head}\n${await response.clone().text()}` });
    return response;
  }

  async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const authorization = `Bearer ${service.key}`;
    const init: RequestInit =
      body === undefined
        ? { headers: { authorization } }
        : {
            headers: { authorization, "content-type": "application/json" },
            body: JSON.stringify(body),
          };
    const response = await send("answer", `${method} ${path}`, init);
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return (await (isJson ? response.json() : response.text())) as Body;
  }

  return {
    service,
    watch,
    ask,
    visit: (path, cookie) => send("page", `GET ${path}`, { headers: { cookie } }),
    beginJob: (projectId, prompt) => ask("POST", `/v2/agent/${projectId}/job`, { prompt }),
    async finishJob(projectId, { id }) {
      const path = `/v2/agent/${projectId}/job/${id}`;
      let job = await ask<AgentJob>("GET", path);
      for (; job.status === "active"; job = await ask("GET", path)) await wait(pollMs);
      await ask("GET", `${path}/events`);
      await ask("GET", `${path}/diff`);
      return job;
    },
    async exportSite(domain) {
      const started = await ask<StaticExportJob>("POST", "/v1/static-export/jobs", { domain });
      const path = `/v1/static-export/jobs/${started.jobId}`;
      let job = started;
      for (; isRunning(job); job = await ask("GET", path)) await wait(pollMs);
      await ask("GET", `${path}/events`);
      return job;
    },
    async end(signal) {
      processes.push(...watch.seen(), ...(await commandOf(service.pid)));
      watch[Symbol.dispose]();
      await service.end(signal);
      evidence.push({ kind: "output", place: "the service's output", content: service.output() });
    },
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

function isRunning({ status }: StaticExportJob): boolean {
  return status === "queued" || status === "running";
}

/** The service's own; its environment is the operator's. */
async function commandOf(pid: number): Promise<SeenProcess[]> {
  if (process.platform !== "linux") return [];
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8");
  return [{ command: command.replaceAll("\0", " "), environment: undefined }];
}
