import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { loadConfig } from "../config/index.ts";
import { openIsolation } from "../isolation/index.ts";
import { createRenderSite } from "./render-site.ts";

interface Report {
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

suite("an export of the service asks the hosts that its operator names", () => {
  const cases: readonly [hosts: string, reason: RegExp][] = [
    ["", /OCTAVO_REMOTE_HOSTS=127\.0\.0\.1\)/],
    // The host is named, and still not one that sites may have asked.
    ["*", /OCTAVO_ALLOW/],
  ];
  for (const [OCTAVO_REMOTE_HOSTS, reason] of cases) {
    test(`OCTAVO_REMOTE_HOSTS=${OCTAVO_REMOTE_HOSTS}`, async (t) => {
      const openapi = "https://127.0.0.1:9/api.json";
      const root = await writeSite(t, {
        "docs/docs.json": JSON.stringify({ name: "A", navigation: { openapi } }),
      });
      const outDir = join(root, "bundle");
      await mkdir(outDir);
      const config = loadConfig({ env: { OCTAVO_REMOTE_HOSTS }, flags: {}, cwd: root });
      const isolation = openIsolation({ program: new URL("isolated.ts", import.meta.url) });
      await createRenderSite(
        isolation,
        config,
      )({
        siteDir: join(root, "docs"),
        outDir,
        workers: 1,
        onProgress: () => {},
        signal: new AbortController().signal,
      });
      const report = await readFile(join(outDir, "_octavo/report.json"), "utf8");
      const { problems } = JSON.parse(report) as Report;
      const [problem] = problems.filter(({ code }) => code === "description_not_fetched");
      assert.match(problem?.message ?? "", reason);
    });
  }
});
