import assert from "node:assert/strict";
import { request } from "node:http";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { startProbe } from "./probe.ts";
import { startVictim } from "./victim.ts";
import type { HostedSite, Victim } from "./victim.ts";

const isAll = process.env["OCTAVO_TEST_ALL"] === "1";
const pushes = 16;
const maxGrownMegabytes = 256;
/** The length of a body that does not end by itself. */
const endlessBytes = (isAll ? 64 : 8) * 1024 * 1024;
const zero = "0".repeat(40);
const one = "1".repeat(40);

/** A line of git's protocol. */
function packet(text: string): Buffer {
  return Buffer.from((text.length + 4).toString(16).padStart(4, "0") + text);
}

/** The same packets until `bytes` have been written. */
function* repeated(first: Buffer, line: Buffer, bytes: number): Generator<Buffer> {
  yield first;
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / line.length) }, () => line));
  for (let written = 0; written < bytes; written += chunk.length) yield chunk;
}

const firstCommand = packet(`${zero} ${one} refs/heads/a\0report-status side-band-64k`);
const heads: Readonly<Record<string, () => Iterable<Buffer>>> = {
  "`shallow` lines": () => repeated(firstCommand, packet(`shallow ${one}`), endlessBytes),
  commands: () => repeated(firstCommand, packet(`${zero} ${one} refs/heads/b`), endlessBytes),
  capabilities: () => {
    const offered = "a ".repeat(32_000);
    return repeated(firstCommand, packet(`${zero} ${one} refs/heads/b\0${offered}`), endlessBytes);
  },
  "lines of five bytes": () => repeated(firstCommand, packet("a"), endlessBytes),
};

describe("hostile bodies", { timeout: 600_000 }, () => {
  let victim: Victim;
  let site: HostedSite;
  before(async () => {
    victim = await startVictim();
    site = await victim.addProject({ "index.md": "# Plain\n" });
  });
  after(() => victim[Symbol.asyncDispose]());

  /** The status of the answer; 0 where the connection was closed before one came. */
  async function push(body: Iterable<Buffer>, encoding?: string): Promise<number> {
    const { url, key } = victim.service;
    const sent = request(`${url}/git/${site.id}.git/git-receive-pack`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/x-git-receive-pack-request",
        ...(encoding !== undefined && { "content-encoding": encoding }),
      },
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", () => resolve(0));
    const bytes = Readable.from(body);
    (encoding === "gzip" ? bytes.pipe(createGzip()) : bytes).pipe(sent);
    const status = await promise;
    sent.destroy();
    return status;
  }

  for (const encoding of [undefined, "gzip"]) {
    for (const [name, head] of Object.entries(heads)) {
      const isCheap = (name === "commands") === (encoding === "gzip");
      if (!isAll && !isCheap) continue;
      const words = `${pushes} pushes with endless ${name}${encoding ? ", compressed" : ""}`;
      it(`are refused: ${words}`, async (t) => {
        const start = await victim.usage();
        let peak = start.megabytes;
        const watch = setInterval(
          () => void victim.usage().then(({ megabytes }) => (peak = Math.max(peak, megabytes))),
          50,
        );
        const probe = startProbe(`${victim.service.url}/healthz`);
        const all = Array.from({ length: pushes }, () => push(head(), encoding));
        const statuses = await Promise.all(all);
        const delays = await probe.end();
        clearInterval(watch);
        const end = await victim.usage();
        t.diagnostic(
          `peak ${peak - start.megabytes} MB more, ${end.cpuMs - start.cpuMs} ms of CPU, /healthz ${JSON.stringify(delays)}`,
        );
        for (const status of statuses) assert.ok([400, 413].includes(status), `${status}`);
        assert.ok(peak - start.megabytes < maxGrownMegabytes, `${peak - start.megabytes} MB`);
      });
    }
  }

  it("leave no memory behind", { skip: !isAll }, async (t) => {
    const before = await victim.usage();
    for (const head of Object.values(heads)) {
      await Promise.all(Array.from({ length: pushes }, () => push(head(), "gzip")));
    }
    await sleep(10_000);
    const after = await victim.usage();
    t.diagnostic(`${after.megabytes - before.megabytes} MB more than before`);
    assert.ok(after.megabytes - before.megabytes < 64);
  });
});
