import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { PageCounts } from "@octavo/site";
import { extract } from "tar-stream";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { loadConfig } from "../config/index.ts";
import { openIsolation } from "../isolation/index.ts";
import type { IsolatedOperations } from "./isolated.ts";
import { createRenderSite } from "./render-site.ts";

interface Report {
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

async function readReport(archive: string): Promise<Report> {
  const entries = extract();
  entries.end(gunzipSync(await readFile(archive)));
  for await (const entry of entries) {
    const content = await text(entry);
    if (entry.header.name === "_octavo/report.json") return JSON.parse(content) as Report;
  }
  throw new Error("The bundle has no report.");
}

suite("an export of the service asks the hosts that its operator names", () => {
  const cases: readonly [hosts: string, reason: RegExp][] = [
    ["", /OCTAVO_REMOTE_HOSTS=127\.0\.0\.1\)/],
    // The host is listed, but it is still not one that sites may contact.
    ["*", /OCTAVO_ALLOW/],
  ];
  for (const [OCTAVO_REMOTE_HOSTS, reason] of cases) {
    test(`OCTAVO_REMOTE_HOSTS=${OCTAVO_REMOTE_HOSTS}`, async (t) => {
      const openapi = "https://127.0.0.1:9/api.json";
      const root = await writeSite(t, {
        "docs/docs.json": JSON.stringify({ name: "A", navigation: { openapi } }),
      });
      const [outDir, file] = [join(root, "scratch"), join(root, "bundle.tar.gz")];
      await mkdir(outDir);
      const packing: PageCounts[] = [];
      const config = loadConfig({ env: { OCTAVO_REMOTE_HOSTS }, flags: {}, cwd: root });
      const isolation = openIsolation<IsolatedOperations>({
        program: new URL("isolated.ts", import.meta.url),
      });
      const counts = await createRenderSite(
        isolation,
        config,
      )({
        signal: new AbortController().signal,
        prepare: async () => ({
          siteDir: join(root, "docs"),
          outDir,
          archive: { format: "tar.gz", file },
          workers: 1,
          onProgress: () => {},
          onPacking: (pages) => packing.push(pages),
        }),
      });
      const { pages, rendered } = counts;
      assert.deepEqual(packing, [{ pages, rendered }]);
      const { problems } = await readReport(file);
      const [problem] = problems.filter(({ code }) => code === "description_not_fetched");
      assert.match(problem?.message ?? "", reason);
    });
  }
});
