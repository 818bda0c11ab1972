import assert from "node:assert/strict";
import { describe, it, before, after } from "node:test";
import { startProbe } from "./probe.ts";
import { hostileSites } from "./sites.ts";
import type { HostileSite } from "./sites.ts";
import { startVictim } from "./victim.ts";
import type { HostedSite, Victim } from "./victim.ts";

/**
 * Exports sites that were written to hold up a service. `npm run test:hostile` exports all of them, and measures what
 * each takes of the service's own process, and how long others wait meanwhile; `npm test` exports a part.
 */
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";
const sites = hostileSites.filter(({ isLong = false }) => isAll || !isLong);
/** The CPU time of the service's own process for one export: git, the database, the archive. */
const maxCpuMs = 2_000;
const maxMegabytes = 256;
const maxHealthMs = 100;

async function assertEnd(victim: Victim, { name, ends, says }: HostileSite, hosted: HostedSite) {
  const job = await victim.export(hosted);
  const error = job.status === "failed" ? job.error : undefined;
  assert.equal(job.status, ends, `${name}: ${error}`);
  if (error !== undefined) assert.match(error, says ?? /./, name);
  return job;
}

describe("hostile sites", { timeout: 1_800_000 }, () => {
  let victim: Victim;
  before(async () => {
    victim = await startVictim(isAll ? { OCTAVO_EXPORT_SLOTS: "4" } : {});
  });
  after(() => victim[Symbol.asyncDispose]());

  for (const site of sites) {
    it(`cost the service nothing: ${site.name}`, async (t) => {
      const hosted = await victim.addProject(site.files());
      const before = await victim.usage();
      const start = performance.now();
      const probe = isAll ? startProbe(`${victim.service.url}/healthz`) : undefined;
      await assertEnd(victim, site, hosted);
      const after = await victim.usage();
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      const cpuMs = after.cpuMs - before.cpuMs;
      const grown = after.megabytes - before.megabytes;
      const delays = await probe?.end();
      t.diagnostic(
        `${seconds} s; of the service ${cpuMs} ms of CPU, ${grown} MB; /healthz ${JSON.stringify(delays ?? {})}`,
      );
      assert.ok(cpuMs < maxCpuMs + Number(seconds) * 100, `${cpuMs} ms of CPU`);
      assert.ok(grown < maxMegabytes, `${grown} MB`);
      if (delays) assert.ok(delays.p99 < maxHealthMs, `p99 of /healthz: ${delays.p99} ms`);
    });
  }

  it("leave others alone, all at once", { skip: !isAll }, async (t) => {
    const plain = await victim.addProject({ "index.md": "# Plain\n" });
    const { jobId } = await victim.export(plain);
    const status = `${victim.service.url}/v1/static-export/jobs/${jobId}`;
    const headers = { authorization: `Bearer ${victim.service.key}` };
    const hosted = [];
    for (const site of sites) hosted.push({ site, project: await victim.addProject(site.files()) });
    const idle = startProbe(status, headers);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const before = await idle.end();
    const [health, reads] = [
      startProbe(`${victim.service.url}/healthz`),
      startProbe(status, headers),
    ];
    const usage = await victim.usage();
    await Promise.all(hosted.map(({ site, project }) => assertEnd(victim, site, project)));
    const [healthz, after] = await Promise.all([health.end(), reads.end()]);
    const { cpuMs, megabytes } = await victim.usage();
    const grown = megabytes - usage.megabytes;
    t.diagnostic(`idle ${JSON.stringify(before)}, attacked ${JSON.stringify(after)}`);
    t.diagnostic(
      `/healthz ${JSON.stringify(healthz)}; ${cpuMs - usage.cpuMs} ms of CPU, ${grown} MB`,
    );
    assert.ok(healthz.p99 < maxHealthMs, `p99 of /healthz: ${healthz.p99} ms`);
    assert.ok(after.p95 < 5 * Math.max(before.p95, 5), `p95 of a status: ${after.p95} ms`);
    assert.ok(grown < maxMegabytes, `${grown} MB`);
  });
});
