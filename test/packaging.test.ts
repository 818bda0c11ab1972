import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { load, loadAll } from "js-yaml";
import { settings } from "../packages/octavo/src/config/testing.ts";
import { readBaseName } from "../tools/image/base-image.ts";

const repository = resolve(import.meta.dirname, "..");
const chart = "packaging/helm/octavo";

function read(path: string): Promise<string> {
  return readFile(join(repository, path), "utf8");
}

describe("what runs Octavo", () => {
  // The service refuses to start where a variable of its own is misspelt.
  for (const file of [
    "Containerfile",
    "compose.yaml",
    "packaging/octavo.service",
    `${chart}/values.yaml`,
    `${chart}/templates/deployment.yaml`,
  ]) {
    it(`sets only what is a setting: ${file}`, async () => {
      const known = new Set<string>(settings.map(({ variable }) => variable));
      // Comments name what Kubernetes would set.
      const text = (await read(file)).replaceAll(/^ *#.*\n/gm, "");
      const named = text.match(/\b(?:OCTAVO|DATABASE)_\w+/g) ?? [];
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
      );
    });
  }

  it("names the version that it belongs to", async () => {
    const { version } = load(await read("packages/octavo/package.json")) as { version: string };
    const { appVersion, version: chartVersion } = load(await read(`${chart}/Chart.yaml`)) as Record<
      string,
      string
    >;
    assert.deepEqual([appVersion, chartVersion], [version, version]);
    const [head] = loadAll(await read("packaging/gitlab-ci.yml")) as [
      { spec: { inputs: { package: { default: string } } } },
    ];
    const archives = `./tools/octavo-site-${version}.tgz ./tools/octavo-${version}.tgz`;
    assert.equal(head.spec.inputs.package.default, archives);
  });

  it("begins from a base that can be made of Debian's packages", async () => {
    assert.match((await readBaseName(join(repository, "Containerfile"))).release, /^[a-z]+$/);
  });
});
