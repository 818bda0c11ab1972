/**
 * Measures the minimum cost of reading a job's status: node:http and the driver, with the statements that the service
 * runs, prepared in the same way, without its checks. A separate program, since its CPU is measured from outside.
 *
 *     node bench/bare-status.ts <database URL> <statement of the key> <statement of the job>
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "pg";

const [connectionString = "", findCaller = "", findJob = ""] = process.argv.slice(2);
/** As many connections as the service has. */
const pool = new Pool({ connectionString, max: 10 });
const path = "/v1/static-export/jobs/";

interface Row extends Readonly<Record<string, unknown>> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = (request.headers.authorization ?? "").slice("Bearer ".length);
  const hash = createHash("sha256").update(key).digest("hex");
  const callers = await pool.query<{ organization_id: string }>({
    name: "caller",
    text: findCaller,
    values: [hash],
  });
  const jobId = (request.url ?? "").slice(path.length);
  const values = [callers.rows[0]?.organization_id, jobId];
  const { rows } = await pool.query<Row>({ name: "job", text: findJob, values });
  const row = rows[0];
  const body = row ? JSON.stringify(jobOf(row)) : "";
  response
    .writeHead(row ? 200 : 404, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      etag: `"${String(row?.["revision"])}"`,
    })
    .end(body);
}

function jobOf(row: Row): Readonly<Record<string, unknown>> {
  return {
    jobId: row["id"],
    status: row["status"],
    progress: row["progress"],
    pageCount: row["page_count"],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    domain: row["domain"],
    version: row["version"],
    ref: row["ref"],
    commit: row["commit"],
    format: row["format"],
  };
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
