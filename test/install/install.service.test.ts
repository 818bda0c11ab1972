/**
 * From nothing: both packages are built, packed and installed into an empty folder outside the repository, with an
 * empty cache of npm, and used there as their users do. `npm run test:install`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../support/api-client.ts";
import { openAuthor } from "../support/git-fixture.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";
import {
  findOldNode,
  makeInstallFolder,
  measureFolder,
  packPackages,
  repository,
} from "./packed.ts";
import type { InstallFolder, RunOutcome, PackedPackage } from "./packed.ts";

/** Apparent size of all that is installed; the Node that it runs on is not. */
const maxBytes = { octavo: 130_000_000, site: 50_000_000 };

const skip = await whyNot();

/** Returns the part of a file of the repository that matches. */
async function readLine(file: string, pattern: RegExp): Promise<string> {
  const text = await readFile(join(repository, file), "utf8");
  return pattern.exec(text)?.[0] ?? assert.fail(`${file} has no such line.`);
}

async function whyNot(): Promise<string | false> {
  if (process.env["OCTAVO_TEST_ALL"] !== "1") return "npm run test:install installs the packages";
  await using root = await temporaryFolder();
  const folder = await makeInstallFolder(root.path);
  const patience = ["--fetch-retries", "3", "--fetch-retry-mintimeout", "1000"];
  const { code, stderr } = await folder.run("npm", ["view", "zod", "version", ...patience]);
  return code === 0 ? false : `No registry of npm answers, where dependencies are from: ${stderr}`;
}

describe("what is installed", { skip }, () => {
  let root: TemporaryFolder;
  let packages: readonly PackedPackage[];
  before(async () => {
    root = await temporaryFolder();
    packages = await packPackages(root.path);
  });
  after(() => root[Symbol.asyncDispose]());

  async function install(name: string, ...wanted: string[]): Promise<InstallFolder> {
    const folder = await makeInstallFolder(join(root.path, name));
    await writeFiles(folder.path, { "package.json": '{ "private": true, "type": "module" }' });
    const tarballs = packages.filter((entry) => wanted.includes(entry.name));
    const args = ["install", ...tarballs.map(({ tarball }) => tarball)];
    assertDone(await folder.run("npm", args));
    return folder;
  }

  describe("by the lines of the manual", () => {
    let folder: InstallFolder;
    before(async () => {
      folder = await makeInstallFolder(join(root.path, "lines"));
      await writeFiles(folder.path, { "package.json": '{ "private": true }' });
      const archives = packages.map(({ tarball }) => tarball);
      assertDone(await folder.run("mkdir", ["tools"]));
      assertDone(await folder.run("cp", [...archives, "tools"]));
      assertDone(await folder.run("cp", [...archives, "."]));
    });

    it("are a dependency of a repository", async () => {
      const line = await readLine("docs/install.mdx", /npm install --save-dev .+/);
      assertDone(await folder.run("sh", ["-c", line]));
      const { stdout } = assertDone(await folder.run("npx", ["--no", "--", "octavo", "--version"]));
      assert.equal(stdout.trim(), packages[0]?.version);
    });

    it("are a command of the machine", async () => {
      const line = await readLine("docs/snippets/install.mdx", /npm install --global .+/);
      const prefix = join(folder.path, "global");
      assertDone(await folder.run("sh", ["-c", line], { npm_config_prefix: prefix }));
      const { stdout } = assertDone(await folder.run(join(prefix, "bin/octavo"), ["--version"]));
      assert.equal(stdout.trim(), packages[0]?.version);
    });

    it("are what the template for GitLab installs", async () => {
      const line = await readLine("packaging/gitlab-ci.yml", /npm install --global .+/);
      const archives = await readLine("packaging/gitlab-ci.yml", /(?<=default: )\.\/tools.+/);
      const prefix = join(folder.path, "gitlab");
      const env = { npm_config_prefix: prefix, PACKAGE: archives };
      assertDone(await folder.run("sh", ["-c", line], env));
      const { stdout } = assertDone(await folder.run(join(prefix, "bin/octavo"), ["--version"]));
      assert.equal(stdout.trim(), packages[0]?.version);
    });
  });

  describe("octavo", () => {
    let folder: InstallFolder;
    const octavo = (...args: string[]) => folder.run("npx", ["--no-install", "octavo", ...args]);
    before(async () => {
      folder = await install("program", "octavo", "@octavo/site");
    });

    it("is as small as promised", async (t) => {
      const { bytes, files } = await measureFolder(join(folder.path, "node_modules"));
      t.diagnostic(`octavo: ${(bytes / 1e6).toFixed(1)} MB in ${files} files`);
      assert(bytes <= maxBytes.octavo, `${bytes} bytes`);
    });

    it("says its version", async () => {
      const { stdout } = assertDone(await octavo("--version"));
      assert.equal(stdout.trim(), packages[0]?.version);
    });

    it("says in a sentence that a Node is too old", async (t) => {
      const old = await findOldNode();
      if (old === undefined) return t.skip("There is no older Node on this machine.");
      const program = join(folder.path, "node_modules/octavo/bin/octavo.js");
      const { code, stdout, stderr } = await folder.run(join(old, "node"), [program, "--version"]);
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(
        stderr,
        /^Octavo needs Node 24 and was started by Node [\d.]+\. Install [^\n]+\n$/,
      );
    });

    it("makes a site, exports it and finds nothing wrong with it", async () => {
      assertDone(await octavo("new", "docs"));
      assertDone(await octavo("check", "docs", "--strict"));
      assertDone(await octavo("export", "docs", "--out", "bundle", "--strict"));
      const page = await readFile(join(folder.path, "bundle/index.html"), "utf8");
      assert.match(page, /_octavo\/octavo\.js/);
      assertDone(await octavo("export", "docs", "--out", "bundle.zip"));
    });

    it("exits with 1 for a broken site, and with 2 for wrong use", async () => {
      await writeFiles(join(folder.path, "broken"), { "index.md": "[Nowhere](nowhere.md)\n" });
      const checked = await octavo("check", "broken");
      assert.equal(checked.code, 1);
      assert.match(checked.stdout, /index\.md:1:1 {2}error {2}.*\[link_broken\]/);
      assert.equal((await octavo("check", "missing")).code, 2);
      assert.equal((await octavo("export", "broken")).code, 2);
    });

    it("previews a site", async () => {
      await writeFiles(join(folder.path, "shown"), {
        "index.md": "# Shown\n\nWords of the page.\n",
      });
      const args = ["dev", "shown", "--port", "0", "--no-open"];
      await using preview = await start(folder, args, /at (http:[^\s,]+)/);
      const page = await fetch(preview.url);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /Words of the page\./);
    });

    it("serves: a job becomes a bundle", async () => {
      const data = join(folder.path, "data");
      const args = ["serve", "--demo", "--port", "0", "--data", data];
      await using service = await start(folder, args, /Octavo is ready at (\S+)/);
      const key = (await readFile(join(data, "admin-key"), "utf8")).trim();
      const client = createApiClient(service.url, key);
      const created = await client.call<{ jobId: string }>("POST", "/v1/static-export/jobs", {
        body: { domain: "demo.localhost" },
      });
      assert.equal(created.status, 202);
      const job = await client.waitForExport(created.body.jobId);
      assert.equal(job.status, "completed");
      const path = `/v1/static-export/jobs/${created.body.jobId}/bundle`;
      const { body } = await client.call<{ bundleUrl: string }>("POST", path);
      const bundle = new Uint8Array(await (await fetch(body.bundleUrl)).arrayBuffer());
      assert.deepEqual([...bundle.subarray(0, 2)], [0x1f, 0x8b]);
    });

    it("lets the agent that needs no network edit a folder", async () => {
      const site = join(folder.path, "edited");
      const author = await openAuthor(site);
      const page = "---\ntitle: Home\n---\n\nWelcome to Acme Cloud.\n";
      const navigation = { pages: ["index"] };
      await author.commit({
        "docs.json": JSON.stringify({ name: "Acme", navigation }),
        "index.mdx": page,
      });
      assertDone(await octavo("agent", site, 'Rename "Acme Cloud" to "Acme Platform"', "--write"));
      assert.match(await readFile(join(site, "index.mdx"), "utf8"), /Welcome to Acme Platform\./);
    });
  });

  describe("@octavo/site", () => {
    let folder: InstallFolder;
    before(async () => {
      folder = await install("library", "@octavo/site");
      await writeFiles(folder.path, { "docs/index.md": "# Home\n\n[Nowhere](nowhere.md)\n" });
    });

    it("is as small as promised", async (t) => {
      const { bytes, files } = await measureFolder(join(folder.path, "node_modules"));
      t.diagnostic(`@octavo/site: ${(bytes / 1e6).toFixed(1)} MB in ${files} files`);
      assert(bytes <= maxBytes.site, `${bytes} bytes`);
    });

    it("runs as its README shows", async () => {
      await writeFile(join(folder.path, "example.js"), await readExample());
      const { stdout } = assertDone(await folder.run("node", ["example.js"]));
      assert.match(stdout, /^error index\.md:3 .*\n1 pages, \d+ bytes\n$/);
      assert.match(await readFile(join(folder.path, "public/index.html"), "utf8"), /Home/);
    });

    it("has types that hold without looking away from libraries", async () => {
      assertDone(await folder.run("npm", ["install", "@types/node@24"]));
      const compilerOptions = {
        module: "nodenext",
        target: "es2024",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      await writeFiles(folder.path, {
        "example.ts": `${await readExample()}const count: number = pages;\nconsole.log(count);\n`,
        "wrong.ts":
          'import { renderSite } from "@octavo/site";\n// @ts-expect-error It is a path.\nawait renderSite({ siteDir: 1 });\n',
        "tsconfig.json": JSON.stringify({ compilerOptions, files: ["example.ts", "wrong.ts"] }),
      });
      const compiler = join(repository, "node_modules/.bin/tsc");
      assertDone(await folder.run(compiler, ["-p", folder.path]));
    });
  });
});

function assertDone(outcome: RunOutcome): RunOutcome {
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
  return outcome;
}

/** The first block of code in the library's README. */
async function readExample(): Promise<string> {
  const text = await readFile(join(repository, "packages/site/README.md"), "utf8");
  return /```js\n(.*?)```/s.exec(text)?.[1] ?? "";
}

interface Running extends AsyncDisposable {
  readonly url: string;
}

/** Starts the program as a shell does, and waits until it says where it listens. */
async function start(
  folder: InstallFolder,
  args: readonly string[],
  ready: RegExp,
): Promise<Running> {
  const program = join(folder.path, "node_modules/.bin/octavo");
  const child = spawn(program, args, {
    cwd: folder.path,
    env: folder.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return {
    url: await readyUrl(child, ready),
    async [Symbol.asyncDispose]() {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
  };
}

function readyUrl(child: ChildProcess, ready: RegExp): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const url = ready.exec(output)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    child.once("exit", (code) => reject(new Error(`It ended with ${String(code)}:\n${output}`)));
  });
}
