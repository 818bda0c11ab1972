import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger, redact } from "./log.ts";
import type { GaugeReadings } from "./metrics.ts";
import { createMetrics } from "./metrics.ts";

test("logs are JSON lines with a time, a level and no secret", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => lines.push(line) } });
  const key = `octavo_${"0123456789abcdef".repeat(3)}`;
  log.debug("not written");
  log.info(
    {
      headers: { authorization: `Bearer ${key}`, host: "a.example" },
      url: `https://ada:hunter2@git.example/docs.git?x=${key}`,
      credentials: "hunter2",
      changes: { signingKey: "hunter2" },
    },
    `asked with ${key}`,
  );
  log.error(new Error("fatal: could not read from ssh://git:hunter2@host/x"));
  assert.equal(lines.length, 2);
  assert.equal(lines.join("").includes("hunter2"), false);
  assert.equal(lines.join("").includes(key), false);
  const [info, error] = lines.map((line) => JSON.parse(line));
  assert.equal(info.level, "info");
  assert.match(info.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(info.headers.host, "a.example");
  assert.match(error.err.stack, /telemetry\.test/);
});

test("on a terminal, logs are lines of text without a secret or a control character", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLogger({ level: "info", destination: { write }, isForTerminal: true });
  log.info({ name: "demo", pages: 3, text: "a\u001B[2J b" }, "A deployment\u0007 completed");
  log.warn({ url: "https://ada:hunter2@git.example/x" }, "Asked");
  log.error(new Error("It broke"));
  assert.match(
    lines[0] ?? "",
    /^\d\d:\d\d:\d\d A deployment {2}completed name=demo pages=3 text="a\\u001b\[2J b"\n$/,
  );
  assert.match(lines[1] ?? "", /^\S+ warn: Asked url="https:\/\/\[redacted\]@git\.example\/x"\n$/);
  assert.match(lines[2] ?? "", /^\S+ error: It broke\nError: It broke\n {4}at /);
  assert.doesNotMatch(lines.join(""), /hunter2|[^\P{Cc}\n]/u);
});

const secrets: [text: string, expected: string][] = [
  ["signed with whsec_ab+/cdefgh=, sent", "signed with whsec_[redacted], sent"],
  ["Authorization: Bearer abcdefghijkl", "Authorization: Bearer [redacted]"],
  ["https://user:p%40ss@host/x", "https://[redacted]@host/x"],
  ["https://ghp_0123456789abcdef0123@github.com/x", "https://[redacted]@github.com/x"],
  ["ghp_0123456789abcdef0123 was refused", "[redacted] was refused"],
  ["sk-ant-api03-0123456789abcdef is no key", "[redacted] is no key"],
  ["/preview/ak_0123.se_0123.17000.c2ln/a.html", "/preview/[redacted]/a.html"],
  ["/previews/ak_0123.se_0123.17000.c2ln/a.html", "/previews/[redacted]/a.html"],
  ["/bundles/a?expires=1&signature=abc", "/bundles/a?expires=1&signature=[redacted]"],
  ["git@github.com:a/b and a@b.example", "git@github.com:a/b and a@b.example"],
];
for (const [text, expected] of secrets) {
  test(`redact: ${text}`, () => assert.equal(redact(text), expected));
}

const readings: GaugeReadings = {
  work: {
    queues: [{ queue: "agent", waiting: 3, running: 1, oldestSeconds: 7.5 }],
    jobs: [
      { kind: "agent", status: "active", count: 4, blocked: 1 },
      { kind: "agent", status: "failed", count: 2, blocked: 0 },
    ],
    nodes: [{ version: "0.1.0", roles: "api,worker", count: 2 }],
    deliveries: [{ state: "failed", count: 5 }],
    stored: [{ kind: "bundles", bytes: 9_000 }],
  },
  disks: [{ folder: "data", freeBytes: 5_000 }],
  connections: { inUse: 1, idle: 2, waiting: 3, max: 8 },
};
const gauges = [
  'octavo_queue_jobs{queue="agent",state="waiting"} 3',
  'octavo_queue_jobs{queue="agent",state="running"} 1',
  'octavo_queue_oldest_seconds{queue="agent"} 7.5',
  'octavo_jobs{kind="agent",status="active"} 4',
  'octavo_jobs_blocked{kind="agent"} 1',
  'octavo_nodes{version="0.1.0",roles="api,worker"} 2',
  'octavo_webhook_deliveries{state="failed"} 5',
  'octavo_stored_bytes{kind="bundles"} 9000',
  'octavo_disk_free_bytes{folder="data"} 5000',
  'octavo_database_connections{state="in_use"} 1',
  'octavo_database_connections{state="max"} 8',
  "octavo_database_waiting 3",
];

test("gauges show what was read last, and nothing of what could not be read", async () => {
  const metrics = createMetrics();
  const lines = (await metrics.expose(readings)).body.split("\n");
  for (const line of gauges) assert.ok(lines.includes(line), line);
  const { body } = await metrics.expose({ work: undefined, disks: [], connections: undefined });
  for (const line of gauges) assert.equal(body.includes(line), false, line);
});

test("two services have separate metrics, in the Prometheus format", async () => {
  const [metrics, other] = [createMetrics(), createMetrics()];
  metrics.requestEnded({ method: "GET", route: "/v1/x/:id", status: 200, seconds: 0.002 });
  metrics.jobEntered({ kind: "static_export", state: "completed", seconds: 3 });
  metrics.webhookAttemptEnded("retry");
  metrics.pagesWritten({ rendered: 3, cached: 4 });
  const { contentType, body } = await metrics.expose(readings);
  assert.match(contentType, /^text\/plain/);
  assert.match(
    body,
    /octavo_http_request_seconds_count{method="GET",route="\/v1\/x\/:id",status="200"} 1/,
  );
  assert.match(body, /octavo_jobs_total{kind="static_export",state="completed"} 1/);
  assert.match(body, /octavo_job_seconds_sum{kind="static_export",state="completed"} 3/);
  assert.match(body, /octavo_pages_total{source="cache"} 4/);
  assert.match(body, /octavo_webhook_attempts_total{outcome="retry"} 1/);
  assert.doesNotMatch(
    (await other.expose({ work: undefined, disks: [], connections: undefined })).body,
    /octavo_pages_total{/,
  );
});
