import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { patience } from "../../../../../test/support/patience.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { defaultQuotas } from "../../core/index.ts";
import type { Quotas } from "../../core/index.ts";
import type { StaticExports } from "../static-export/exports.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import { addExportProject, openExportNode } from "../static-export/node.test-support.ts";
import type {
  ExportTestNode,
  ExportTestNodeOptions,
  ExportTestProject,
} from "../static-export/node.test-support.ts";
import { plainRenderer, writePlainCommit } from "../static-export/plain-ports.test-support.ts";

describe("quotas of an organization", { concurrency: true }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());

  test("never more jobs are open than the plan allows, however many are started at once on two nodes", async () => {
    await using service = await openService(postgres, { openJobs: 5 });
    const { node, project } = service;
    await using other = await service.openAnother();
    const outcomes = await startAtOnce([node.exports, other.exports], project, 20);
    const { accepted, refused } = outcomes;
    assert.equal(accepted.length, 5);
    for (const error of refused) {
      assert.match(
        error.message,
        /limit of unfinished jobs on the enterprise plan: 5\. Try again in 30 s/,
      );
      assert.equal(error.details["retryAfterSeconds"], 30);
    }
    await node.exports.cancel(project, accepted[0]?.jobId ?? "");
    assert.equal((await startAtOnce([node.exports], project, 3)).accepted.length, 1);
    await node.database.kysely.deleteFrom("projects").execute();
    assert.deepEqual(await usageOf(node, project), { open_jobs: 0, bundle_bytes: 0 });
  });

  test("never more exports start in an hour than the plan allows", async () => {
    await using service = await openService(postgres, { exportsPerHour: 4 });
    const { node, project } = service;
    const { accepted, refused } = await startAtOnce([node.exports], project, 10);
    assert.equal(accepted.length, 4);
    const seconds = Number(refused[0]?.details["retryAfterSeconds"]);
    assert.ok(seconds > 59 * 60 && seconds <= 61 * 60, String(seconds));
    assert.match(
      refused[0]?.message ?? "",
      /limit of exports in 60 minutes on the enterprise plan: 4\./,
    );
  });

  test("an export whose bundle is beyond what bundles may take fails, and the next is refused", async () => {
    // A bundle takes a few hundred bytes.
    await using service = await openService(postgres, { bundleMb: 0.001 }, { slots: 1 });
    const { node, project } = service;
    const first = await run(node, project);
    assert.equal(first.status, "completed");
    const { bundle_bytes: bytes } = await usageOf(node, project);
    assert.ok(bytes > 334 && bytes < 1000, String(bytes));
    await run(node, project);
    const third = await run(node, project);
    assert.match(third.error ?? "", /bundles of this organization use 1 MB.*enterprise.bundleMb/);
    const { bundle_bytes: afterwards } = await usageOf(node, project);
    assert.equal(afterwards, 2 * bytes);
    await node.database.kysely
      .updateTable("static_export_jobs")
      .set({ bundle_bytes: 1_000, bundle_key: "bundles/large" })
      .where("id", "=", first.jobId)
      .execute();
    const { refused } = await startAtOnce([node.exports], project, 1);
    assert.match(refused[0]?.message ?? "", /^The bundles of this organization use/);
  });

  test("a site with more pages than the plan allows, or one that takes too long, fails with what to do", async () => {
    let renderSite = plainRenderer(1);
    const budget = { wallMs: 600_000, cpuMs: 1, memoryBytes: 1 };
    await using service = await openService(
      postgres,
      { pages: 2 },
      {
        slots: 1,
        budget,
        renderSite: (settings) => renderSite(settings),
      },
    );
    const { node, project } = service;
    const large = await run(node, project);
    assert.match(large.error ?? "", /has 3 pages.*allows 2.*enterprise\.pages in OCTAVO_QUOTAS/);
    renderSite = async ({ signal }) => {
      // On a busy machine, the job's time may be up before it begins.
      if (!signal.aborted) await once(signal, "abort");
      throw signal.reason;
    };
    budget.wallMs = 50;
    const slow = await run(node, project);
    assert.match(slow.error ?? "", /time limit of 0\.05 s\. .* raise OCTAVO_EXPORT_MINUTES/);
    budget.wallMs = 600_000;
    renderSite = async (request) =>
      plainRenderer(0)({
        ...request,
        prepare: async () => ({ ...(await request.prepare()), onProgress: () => undefined }),
      });
    assert.equal((await run(node, project)).status, "completed");
  });
});

interface Service extends AsyncDisposable {
  readonly node: ExportTestNode;
  readonly project: ExportTestProject;
  openAnother(): Promise<ExportTestNode>;
}

/**
 * Opens a service with an organization on the enterprise plan, with the given quotas in addition to the default ones.
 */
async function openService(
  postgres: TestPostgres,
  quotas: Partial<Quotas["free"]>,
  options: Partial<ExportTestNodeOptions> = {},
): Promise<Service> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const all = { ...defaultQuotas, enterprise: { ...defaultQuotas.enterprise, ...quotas } };
  const url = await postgres.createDatabase();
  const place = { dataDir: folder.path, url, slots: 0, quotas: all, ...options };
  const node = opening.use(await openExportNode(place));
  const repository = join(folder.path, "repository");
  const files = { "one.md": "x".repeat(400), "two.md": "Two", "three.md": "Three" };
  await writePlainCommit(repository, "HEAD", files);
  const project = await addExportProject(node, repository);
  const opened = opening.move();
  return {
    node,
    project,
    openAnother: () => openExportNode(place),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startAtOnce(
  nodes: readonly StaticExports[],
  project: ExportTestProject,
  count: number,
) {
  const starts = Array.from({ length: count }, async (_, index) => {
    const { domain } = project;
    return (await nodes[index % nodes.length]?.start(project, { domain }))?.job;
  });
  const outcomes = await Promise.allSettled(starts);
  const accepted = outcomes.flatMap((outcome) =>
    outcome.status === "fulfilled" && outcome.value ? [outcome.value] : [],
  );
  const refused = outcomes.flatMap((outcome) => {
    if (outcome.status === "fulfilled") return [];
    assert.ok(isOctavoError(outcome.reason, "rate_limited"), String(outcome.reason));
    return [outcome.reason];
  });
  return { accepted, refused };
}

async function run(node: ExportTestNode, project: ExportTestProject): Promise<StaticExportJob> {
  const { job } = await node.exports.start(project, { domain: project.domain });
  const signal = patience();
  const seen = await Array.fromAsync(node.exports.watch(project, job.jobId, signal));
  return seen.at(-1)?.job ?? job;
}

async function usageOf({ database }: ExportTestNode, { organizationId }: ExportTestProject) {
  return await database.kysely
    .selectFrom("organization_usage")
    .select(["open_jobs", "bundle_bytes"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
}
