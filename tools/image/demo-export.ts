import { gunzipSync } from "node:zlib";
import { createApiClient } from "../../test/support/api-client.ts";

export interface DemoExport {
  readonly jobId: string;
  readonly pages: number;
  readonly bundleBytes: number;
}

/** Exports the demo project over HTTP, as a client does, and fetches its bundle. Throws if a step fails. */
export async function exportDemo(url: string, key: string): Promise<DemoExport> {
  const client = createApiClient(url, key);
  const jobs = "/v1/static-export/jobs";
  const { body: started } = await client.call<{ jobId: string }>("POST", jobs, {
    body: { domain: "demo.localhost" },
  });
  const job = await client.waitForExport(started.jobId);
  if (job.status === "failed") throw new Error(`The export failed: ${job.error}`);
  const { body: link } = await client.call<{ bundleUrl: string }>(
    "POST",
    `${jobs}/${job.jobId}/bundle`,
  );
  const bundle = await fetchBundle(link.bundleUrl);
  if (!gunzipSync(bundle).includes("index.html")) throw new Error("The bundle has no index.html");
  return { jobId: job.jobId, pages: job.pageCount, bundleBytes: bundle.length };
}

/** Reports whether an earlier export can still be fetched. */
export async function isExportKept(url: string, key: string, jobId: string): Promise<boolean> {
  const path = `/v1/static-export/jobs/${jobId}`;
  const { status, body } = await createApiClient(url, key).call<{ status: string }>("GET", path);
  return status === 200 && body.status === "completed";
}

async function fetchBundle(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${new URL(url).pathname} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
