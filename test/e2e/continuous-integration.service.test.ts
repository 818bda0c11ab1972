import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { load, loadAll } from "js-yaml";
import { folderFor } from "../support/git-fixture.ts";
import { writeFiles } from "../support/temporary-folder.ts";
import { programArgs } from "../support/program.ts";

const repository = resolve(import.meta.dirname, "../..");

const goodSite = {
  "docs.json": JSON.stringify({ name: "Good", navigation: { pages: ["index"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nText.",
};
const brokenSite = {
  ...goodSite,
  "index.mdx": "---\ntitle: Home\n---\n\nA [link](/nowhere).",
};
const warnedSite = {
  ...goodSite,
  "index.mdx": "---\ntitle: Home\n---\n\nA [link](#nowhere).",
};

type Texts = Readonly<Record<string, string>>;

/** A repository with a site in `my docs`, in which scripts find this program as `octavo`. */
async function setUp(t: TestContext, site: Texts) {
  const root = await folderFor(t);
  const cwd = join(root, "checkout");
  await mkdir(join(cwd, ".git"), { recursive: true });
  await writeFiles(join(cwd, "my docs"), site);
  await mkdir(join(root, "bin"));
  const command = [process.execPath, ...programArgs([])].map((part) => `'${part}'`).join(" ");
  await writeFile(join(root, "bin/octavo"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  const path = `${join(root, "bin")}:${process.env["PATH"]}`;

  async function runScript(script: string, env: Texts) {
    // As the runners of both services start their shells.
    const args = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script];
    const options = { cwd, env: { PATH: path, HOME: root, ...env } };
    return await new Promise<{ code: number; stdout: string }>((done) => {
      execFile("bash", args, options, (error, stdout) => {
        done({ code: error === null ? 0 : Number(error.code), stdout });
      });
    });
  }
  return { cwd, runScript };
}

/** Puts values in the places of inputs, where they are not given their defaults. */
function fillIn(text: string, inputs: Texts, open: string): string {
  return text.replaceAll(
    /(\$\{\{|\$\[\[) inputs\.([\w-]+) (?:\}\}|\]\])/g,
    (whole, bracket, name) => {
      assert.equal(bracket, open);
      return inputs[String(name)] ?? assert.fail(whole);
    },
  );
}

type InputDefaults = Readonly<Record<string, { readonly default: unknown }>>;

function withDefaults(inputs: InputDefaults, given: Texts): Texts {
  for (const name of Object.keys(given)) assert.ok(name in inputs, name);
  const defaults = Object.entries(inputs).map(([name, input]) => [name, String(input.default)]);
  return { ...(Object.fromEntries(defaults) as Texts), ...given };
}

interface Action {
  readonly inputs: InputDefaults;
  readonly runs: {
    readonly steps: readonly {
      readonly name?: string;
      readonly run?: string;
      readonly env: Texts;
    }[];
  };
}

/** A step of the action for GitHub, as its runner prepares it. */
async function actionStep(name: string, given: Texts) {
  const { inputs, runs } = load(await readFile(join(repository, "action.yml"), "utf8")) as Action;
  const { run = "", env } = runs.steps.find((step) => step.name === name) ?? assert.fail(name);
  const values = withDefaults(inputs, given);
  const filled = Object.entries(env).map(([key, text]) => [key, fillIn(text, values, "${{")]);
  return { script: run, env: Object.fromEntries(filled) as Texts };
}

interface GitLabJob {
  readonly script: readonly string[];
  readonly variables: Texts;
}

/** A job of the template for GitLab, as its runner prepares it. */
async function gitLabJob(name: string, given: Texts) {
  const text = await readFile(join(repository, "packaging/gitlab-ci.yml"), "utf8");
  const [head] = loadAll(text) as [{ spec: { inputs: InputDefaults } }];
  const body = fillIn(
    text.slice(text.indexOf("\n---\n")),
    withDefaults(head.spec.inputs, given),
    "$[[",
  );
  const jobs = load(body) as Readonly<Record<string, GitLabJob>>;
  return {
    script: jobs[name]?.script.join("\n") ?? assert.fail(name),
    env: jobs[".octavo"]?.variables ?? assert.fail(),
  };
}

const site = "my docs";

describe("the action for GitHub", () => {
  it("shows problems at file and line, and fails", async (t) => {
    const { runScript } = await setUp(t, brokenSite);
    const { script, env } = await actionStep("Check the site", { site });
    const { code, stdout } = await runScript(script, env);
    assert.match(stdout, /^::error file=my docs\/index\.mdx,line=5,/m);
    assert.equal(code, 1);
  });

  it("lets warnings pass unless it is told not to", async (t) => {
    const { runScript } = await setUp(t, warnedSite);
    for (const [strict, expected] of [
      ["false", 0],
      ["true", 1],
    ] as const) {
      const { script, env } = await actionStep("Check the site", { site, strict });
      const { code, stdout } = await runScript(script, env);
      assert.match(stdout, /^::warning file=my docs\/index\.mdx,line=5,/m);
      assert.equal(code, expected);
    }
  });

  it("exports the site for its address", async (t) => {
    const { cwd, runScript } = await setUp(t, goodSite);
    const inputs = { site, "export-to": "out", "base-url": "https://docs.example.com" };
    const { script, env } = await actionStep("Export the site", inputs);
    assert.equal((await runScript(script, env)).code, 0);
    assert.match(
      await readFile(join(cwd, "out/sitemap.xml"), "utf8"),
      /https:\/\/docs\.example\.com/,
    );
  });
});

describe("the template for GitLab", () => {
  it("leaves a report with file and line, says it in the log, and fails", async (t) => {
    const { cwd, runScript } = await setUp(t, brokenSite);
    const { script, env } = await gitLabJob("octavo-check", { site });
    const { code, stdout } = await runScript(script, env);
    assert.equal(code, 1);
    assert.match(stdout, /^index\.mdx:5:\d+ +error/m);
    const report = JSON.parse(await readFile(join(cwd, "octavo.json"), "utf8")) as unknown[];
    assert.partialDeepStrictEqual(report, [
      { location: { path: "my docs/index.mdx", lines: { begin: 5 } } },
    ]);
  });

  it("lets warnings pass unless it is told not to", async (t) => {
    const { runScript } = await setUp(t, warnedSite);
    for (const [strict, expected] of [
      ["false", 0],
      ["true", 1],
    ] as const) {
      const { script, env } = await gitLabJob("octavo-check", { site, strict });
      assert.equal((await runScript(script, env)).code, expected);
    }
  });

  it("exports the site", async (t) => {
    const { cwd, runScript } = await setUp(t, goodSite);
    const { script, env } = await gitLabJob("octavo-export", { site, "export-to": "out" });
    assert.equal((await runScript(script, env)).code, 0);
    assert.ok((await stat(join(cwd, "out/index.html"))).isFile());
  });
});
