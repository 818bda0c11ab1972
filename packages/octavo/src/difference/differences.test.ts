import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { packFiles } from "../../../site/src/index.ts";
import {
  temporaryFolder,
  type TemporaryFolder,
} from "../../../../test/support/temporary-folder.ts";
import type { StoredArchive } from "../bundles/index.ts";
import { buildDifference, createDifferences, type DifferencesOptions } from "./index.ts";

function archive(name: string): StoredArchive {
  return { key: `bundles/${name}.zip`, format: "zip", bytes: 1 };
}

describe("differences on a machine", () => {
  let folder: TemporaryFolder;
  let count = 0;
  before(async () => {
    folder = await temporaryFolder();
    for (const name of ["one", "two", "three"]) {
      const page = `<title>Home</title><main><p>The word is ${name}.</p></main>`;
      const files = [{ path: "index.html", source: () => Buffer.from(page) }];
      await packFiles(files, "zip", join(folder.path, `${name}.zip`));
    }
  });
  after(() => folder[Symbol.asyncDispose]());

  const open = (own: Partial<DifferencesOptions> = {}) => {
    count += 1;
    return createDifferences({
      copies: { locate: async ({ key }) => join(folder.path, key.replace("bundles/", "")) },
      isolation: { run: (work) => work({ buildDifference }) },
      folder: join(folder.path, `differences-${count}`),
      maxBytes: 1e9,
      ...own,
    });
  };

  it("are built once for everybody who asks", async () => {
    let built = 0;
    using differences = open({
      isolation: {
        run: (work) =>
          work({ buildDifference: (request) => ((built += 1), buildDifference(request)) }),
      },
    });
    const pair = [archive("one"), archive("two")] as const;
    const opened = await Promise.all([differences.open(...pair), differences.open(...pair)]);
    assert.deepEqual(
      opened.map(({ list }) => list.pages[0]?.changes),
      [1, 1],
    );
    assert.equal(built, 1);
  });

  it("are built again if their file is damaged", async () => {
    const own = join(folder.path, "damaged");
    {
      using differences = open({ folder: own });
      await differences.open(archive("one"), archive("two"));
    }
    const [name = ""] = await readdir(own);
    await writeFile(join(own, name), "damaged");
    using differences = open({ folder: own });
    const { list } = await differences.open(archive("one"), archive("two"));
    assert.equal(list.pages.length, 1);
  });

  it("leave no more in the folder than they may, the oldest first", async () => {
    const own = join(folder.path, "small");
    using differences = open({ folder: own, maxBytes: 1 });
    await differences.open(archive("one"), archive("two"));
    const { bundle } = await differences.open(archive("two"), archive("three"));
    assert.deepEqual(await readdir(own), []);
    const entry = bundle.entries.get("index.html");
    assert.ok(entry && (await bundle.readWhole(entry)).includes("three"));
  });

  it("are tried again after a failure, but not at once after one that took too much", async () => {
    for (const [code, tries] of [
      ["unavailable", 2],
      ["too_large", 1],
    ] as const) {
      let tried = 0;
      using differences = open({
        isolation: {
          run: async () => {
            tried += 1;
            throw new OctavoError(code, "It failed.");
          },
        },
      });
      const fail = () => differences.open(archive("one"), archive("two"));
      await assert.rejects(fail(), (error) => isOctavoError(error, code));
      await assert.rejects(fail(), (error) => isOctavoError(error, code));
      assert.equal(tried, tries);
    }
  });
});
