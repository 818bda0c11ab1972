import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "@octavo/site/core";
import { startPostgres } from "../../../../test/support/postgres.ts";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { startService } from "../../../../test/support/service.ts";
import { writeFiles } from "../../../../test/support/temporary-folder.ts";
import {
  brokenSite,
  goodSite,
  run,
  runAlone,
  setUp,
  start,
  warnedSite,
} from "./cli.test-support.ts";
import { program } from "../../../../test/support/program.ts";

describe("octavo", () => {
  for (const args of [["--version"], ["-v"], ["-V"], ["version"]]) {
    it(`says its version for ${args.join(" ")}`, async (t) => {
      const { octavo } = await setUp(t);
      assert.match((await octavo(...args)).stdout, /^\d+\.\d+\.\d+\n$/);
    });
  }

  it("works on the folder in which it is run, if no site is named", async (t) => {
    const { cwd } = await setUp(t, brokenSite);
    const inSite = await run(["check"], { cwd: join(cwd, "docs") });
    assert.match(inSite.stdout, /^index\.mdx:5:5/);
    const above = await run(["check", "--strict"], { cwd });
    assert.match(above.stderr, /"\." has no docs\.json, but "docs" has one/);
    assert.match(above.stderr, /check --strict \S+\/docs`/);
  });
});

describe("octavo completion", () => {
  for (const [line, expected] of [
    ["exp", "export exports"],
    ["export docs --o", "--out"],
    ["keys cr", "create"],
    ["jobs create docs.example.com --w", "--watch"],
    ["dev --h", "--help"],
  ] as const) {
    it(`completes ${JSON.stringify(line)} in bash`, async (t) => {
      const { cwd, octavo } = await setUp(t);
      await writeFile(join(cwd, "completion"), (await octavo("completion", "bash")).stdout);
      const words = ["octavo", ...line.split(" ")];
      const script = `source completion; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _octavo; echo "\${COMPREPLY[*]}"`;
      const { stdout } = spawn("bash", ["-c", script], { cwd });
      assert.equal((await text(stdout)).trim(), expected);
    });
  }

  it("has a command of fish for each option", async (t) => {
    const { octavo } = await setUp(t);
    const { stdout } = await octavo("completion", "fish");
    assert.match(stdout, /-n "__fish_seen_subcommand_from export" -l fail-on$/m);
  });
});

describe("octavo export", () => {
  it("writes a folder, and again from the cache", async (t) => {
    const { cwd, octavo } = await setUp(t);
    const first = await octavo("export", "docs", "--out", "site");
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^Exported 2 pages to site: \S+ kB in .+ s\.\n$/);
    assert.match(await readFile(join(cwd, "site", "index.html"), "utf8"), /Read/);
    const second = await octavo("export", "docs", "--out", "site");
    assert.match(second.stdout, /^Exported 2 pages to site \(2 from the cache\): /);
    const third = await octavo("export", "docs", "--out", "site", "--no-cache");
    assert.match(third.stdout, /^Exported 2 pages to site/);
  });

  for (const name of ["site.tar.gz", "site.zip"]) {
    it(`writes ${name}, the same bytes each time, and says so in JSON`, async (t) => {
      const { cwd, octavo } = await setUp(t);
      const { stdout, code } = await octavo("export", "docs", "--out", name, "--json");
      assert.equal(code, 0);
      const { seconds, ...figures } = JSON.parse(stdout) as Record<string, unknown>;
      const file = await readFile(join(cwd, name));
      assert.equal(typeof seconds, "number");
      assert.deepEqual(figures, {
        out: join(cwd, name),
        format: name.slice("site.".length),
        pages: 2,
        rendered: 2,
        cached: 0,
        errors: 0,
        warnings: 0,
        bytes: file.length,
        sha256: sha256(file),
        problems: [],
      });
      await octavo("export", "docs", "--out", `again-${name}`, "--no-cache");
      assert.ok(file.equals(await readFile(join(cwd, `again-${name}`))));
      assert.deepEqual((await readdir(cwd)).toSorted(), [`again-${name}`, "docs", "home", name]);
    });
  }

  it("writes only the named pages, and does not report links to the others as broken", async (t) => {
    const { cwd, octavo } = await setUp(t);
    const { stdout } = await octavo(
      "export",
      "docs",
      "--out",
      "site",
      "--paths",
      " index ,",
      "--json",
    );
    const { pages, problems } = JSON.parse(stdout) as { pages: number; problems: unknown[] };
    assert.deepEqual({ pages, problems }, { pages: 1, problems: [] });
    await assert.rejects(stat(join(cwd, "site", "guides", "start.html")), { code: "ENOENT" });
  });

  it("says that there are problems, and fails for them only with --strict", async (t) => {
    const { octavo } = await setUp(t, warnedSite);
    const lenient = await octavo("export", "docs", "--out", "site");
    assert.equal(lenient.code, 0);
    const [, hint = ""] =
      /The site has 1 warning; `(.*)` lists them/.exec(lenient.stdout) ??
      assert.fail(lenient.stdout);
    const pasted = spawn("sh", ["-c", hint], { cwd: tmpdir(), env: { PATH: process.env["PATH"] } });
    assert.match(await text(pasted.stdout), /\[anchor_broken\]/);
    assert.equal((await octavo("export", "docs", "--out", "site", "--strict")).code, 1);
  });

  for (const [site, typed, env, expected] of [
    ["broken", "", {}, 0],
    ["broken", "", { CI: "true" }, 1],
    ["broken", "--fail-on never", { CI: "true" }, 0],
    ["broken", "--fail-on error", {}, 1],
    ["warned", "", { CI: "true" }, 0],
    ["warned", "--fail-on warning", {}, 1],
    ["warned", "--strict", { CI: "true" }, 1],
  ] as const) {
    const given = typed === "" ? "without --fail-on" : `with ${typed}`;
    it(`ends with ${expected} for a ${site} site ${given}${env.CI ? " in CI" : ""}`, async (t) => {
      const { cwd } = await setUp(t, site === "broken" ? brokenSite : warnedSite);
      const flags = typed === "" ? [] : typed.split(" ");
      const args = ["export", "docs", "--out", "site", ...flags];
      const { code, stderr } = await run(args, { cwd, env });
      assert.equal(code, expected);
      const reason = `The command failed because of ${typed || "the environment variable CI"}.`;
      assert.equal(stderr.includes(reason), expected === 1, stderr);
    });
  }

  it("does not touch folders with other content", async (t) => {
    const { cwd, octavo } = await setUp(t);
    await writeFiles(cwd, { "full/mine.txt": "mine", "a-file": "mine" });
    await mkdir(join(cwd, "folder.zip"));
    const refused: [out: string, words: RegExp][] = [
      ["full", /not empty and does not contain an earlier export/],
      ["docs", /would replace the site itself/],
      [".", /would replace the site itself/],
      ["a-file", /is a file/],
      ["folder.zip", /is a folder/],
    ];
    for (const [out, words] of refused) {
      const { code, stderr } = await octavo("export", "docs", "--out", out);
      assert.equal(code, 2, out);
      assert.match(stderr, words);
    }
    assert.deepEqual(await readdir(join(cwd, "full")), ["mine.txt"]);
    assert.deepEqual((await readdir(join(cwd, "docs"))).toSorted(), [
      "docs.json",
      "guides",
      "index.mdx",
    ]);
  });

  it("writes an archive into the site's own folder, which the next one does not contain", async (t) => {
    const { cwd } = await setUp(t);
    const bundle = join(cwd, "docs", "bundles", "site.zip");
    const hashes: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { code, stderr } = await run(["export", ".", "--out", bundle], {
        cwd: join(cwd, "docs"),
      });
      assert.equal(code, 0, stderr);
      hashes.push(sha256(await readFile(bundle)));
    }
    assert.equal(hashes[0], hashes[1]);
  });

  it("resolves paths against the person's folder, not against npm's", async (t) => {
    const { cwd } = await setUp(t);
    const elsewhere = join(cwd, "package");
    await mkdir(elsewhere);
    const env = { INIT_CWD: cwd, npm_package_json: join(elsewhere, "package.json") };
    const { code, stderr } = await runAlone(["export", "docs", "--out", "site"], {
      cwd: elsewhere,
      env,
    });
    assert.equal(code, 0, stderr);
    assert.ok((await stat(join(cwd, "site", "index.html"))).isFile());
  });

  it("ends with 130 when it is interrupted, and leaves no archive", async (t) => {
    // It takes the request and says nothing: the export is at it until it is interrupted.
    const host = createServer().listen(0, "127.0.0.1");
    t.after(() => {
      host.closeAllConnections();
      host.close();
    });
    await once(host, "listening");
    const place = `127.0.0.1:${(host.address() as AddressInfo).port}`;
    const { cwd } = await setUp(t, {
      ...goodSite,
      "index.mdx": `---\ntitle: Home\n---\n\n![Boat](http://${place}/boat.png)`,
    });
    const scratch = join(cwd, "scratch");
    await mkdir(scratch);
    const asked = once(host, "request");
    const args = ["export", "docs", "--out", "site.zip", "--remote-media", "vendor"];
    const running = start(args, { cwd, env: { TMPDIR: scratch, OCTAVO_ALLOW: place } });
    // Node keeps its compiled modules there too.
    const left = async () => (await readdir(scratch)).filter((name) => name.startsWith("octavo-"));
    await asked;
    assert.equal((await left()).length, 1);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.end();
    assert.equal(code, 130);
    assert.match(stderr, /octavo: Interrupted\.\n$/);
    assert.deepEqual(await left(), []);
    assert.ok(!(await readdir(cwd)).some((name) => name.startsWith("site.zip")));
  });
});

describe("octavo check", () => {
  it("lists what is broken with its lines, and exits with 1", async (t) => {
    const { octavo } = await setUp(t, brokenSite);
    const { code, stdout, stderr } = await octavo("check", "docs");
    assert.equal(code, 1);
    assert.deepEqual(stdout.split("\n"), [
      `index.mdx:5:5  error  The link "/nowhere" does not lead to a page or file of this site.  [link_broken]`,
      "    One [link](/nowhere).",
      "        ^",
      `index.mdx:7:9  warning  The link "/guides/start#gone" points to an anchor that the page /guides/start does not have.  [anchor_broken]`,
      "    Another [link](/guides/start#gone).",
      "            ^",
      "",
    ]);
    assert.match(stderr, /Checked 2 pages: 1 error and 1 warning\./);
  });

  it("prints the same as JSON", async (t) => {
    const { octavo } = await setUp(t, brokenSite);
    const { code, stdout } = await octavo("check", "docs", "--json");
    const { problems, ...counts } = JSON.parse(stdout) as { problems: { code: string }[] };
    assert.equal(code, 1);
    assert.deepEqual(counts, { pages: 2, errors: 1, warnings: 1 });
    assert.deepEqual(
      problems.map((problem) => problem.code),
      ["link_broken", "anchor_broken"],
    );
  });

  it("fails for warnings only with --strict", async (t) => {
    const { octavo } = await setUp(t, warnedSite);
    assert.equal((await octavo("check", "docs")).code, 0);
    assert.equal((await octavo("check", "docs", "--strict")).code, 1);
  });

  it("writes nothing beside the site", async (t) => {
    const { cwd, octavo } = await setUp(t);
    const { code, stdout } = await octavo("check", "docs", "--strict", "--no-cache");
    assert.deepEqual({ code, stdout }, { code: 0, stdout: "" });
    assert.deepEqual(await readdir(cwd), ["docs"]);
  });
});

describe("octavo agent", () => {
  it("prints the summary once, with its list on separate lines, and no failed step", async (t) => {
    const text = "This page describes what else there is, in a sentence of its own.";
    const { octavo } = await setUp(t, {
      ...goodSite,
      "more.mdx": `---\ntitle: M\n---\n\n${text}\n`,
    });
    const { code, stdout, stderr } = await octavo(
      "agent",
      "docs",
      "Fill in the missing descriptions",
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\+description: This page/m);
    assert.equal(stderr.match(/Added a description/g)?.length, 1, stderr);
    assert.ok(stderr.includes(`\n\nAdded:\n\n- \`more.mdx\`: ${text}\n`), stderr);
    assert.doesNotMatch(stderr, /^x /m);
    assert.match(stderr, /^- Listed the files \*\*\/\*\.mdx: 3 files$/m);
    assert.match(stderr, /^- Edited more\.mdx: 1 change$/m);
    assert.doesNotMatch(stderr, /[{}]/);
  });

  it("shows what a model would be sent first, with the repository's guides, and sends nothing", async (t) => {
    const { octavo, cwd } = await setUp(t);
    await mkdir(join(cwd, ".git"));
    await writeFile(join(cwd, "AGENTS.md"), "Say lamp.\n");
    await writeFile(join(cwd, "docs/CLAUDE.local.md"), "Of one person.\n");
    const shown = await octavo(
      "agent",
      "docs",
      "Greet the readers",
      "--show-request",
      "--no-cache",
    );
    assert.equal(shown.code, 0, shown.stderr);
    for (const part of ["task", "format", "guides", "settings", "map", "problems", "date"]) {
      assert.match(shown.stdout, new RegExp(`^=== system: ${part}$`, "m"));
    }
    assert.match(shown.stdout, /^From AGENTS\.md:\n\nSay lamp\.$/m);
    assert.match(shown.stdout, /^=== tool: edit\nReplaces .*\n\{.*"replacements"/m);
    assert.match(shown.stdout, /^=== message\nGreet the readers$/m);
    assert.doesNotMatch(shown.stdout, /Of one person/);
    assert.match(
      shown.stderr,
      /^tools +\d+ tokens\n(?:.*\n)*total +\d+ tokens\n.*Nothing was sent\.$/m,
    );
  });

  it("does not read a missing configuration, and prints its refusal as a list", async (t) => {
    const { octavo } = await setUp(t);
    const renamed = await octavo("agent", "docs", "Rename 'Start' to 'Begin'");
    assert.doesNotMatch(renamed.stderr, /mint\.json/);
    const { code, stderr } = await octavo("agent", "docs", "Make it nicer");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /do not understand “Make it nicer”.*\n- Fix the broken links \[in <scope>\]\n- /s,
    );
  });

  it("takes a page by the path that the person sees", async (t) => {
    const { octavo } = await setUp(t);
    const { code, stdout } = await octavo(
      "agent",
      "docs",
      'Set the title of docs/index.mdx to "Begin"',
    );
    assert.equal(code, 0);
    assert.match(stdout, /^\+title: Begin$/m);
  });
});

describe("descriptions of APIs on other hosts", () => {
  const files = {
    "docs.json": JSON.stringify({
      name: "A",
      navigation: { tabs: [{ tab: "API", openapi: "https://127.0.0.1:9/api.json" }] },
    }),
  };
  // The site is not allowed to have the reader's own machine asked, which shows that it would be.
  const cases: [command: string, reason: RegExp][] = [
    ["check docs", /was not fetched \(.* only with --remote-apis\); its pages show only/],
    ["check docs --remote-apis", /was not fetched \(.*OCTAVO_ALLOW.*\); its pages show only/],
    ["export docs --out site --json --remote-apis", /was not fetched \(.*OCTAVO_ALLOW/],
  ];
  for (const [command, reason] of cases) {
    it(command, async (t) => {
      const { octavo } = await setUp(t, files);
      const { code, stdout } = await octavo(...command.split(" "));
      assert.equal(code, 0);
      assert.match(stdout, reason);
    });
  }
});

describe("wrong use", () => {
  const cases: [args: string, words: RegExp][] = [
    ["exprot docs", /unknown command 'exprot' \(Did you mean export\?\)/],
    ["help exprot", /unknown command 'exprot' \(Did you mean export\?\)/],
    ["exprot docs --help", /unknown command 'exprot' \(Did you mean export\?\)/],
    ["export", /--out is missing; name/],
    ["agent docs \u00a0", /The prompt is blank; write what the agent should do\./],
    ["export docs", /--out is missing; name/],
    ["export docs --output site", /unknown option '--output' \(Did you mean --out\?\)/],
    [
      "export docs --out site --remote-media all",
      /--remote-media takes keep, vendor or link, not "all"/,
    ],
    [
      "export docs --out site --remote-scripts a.example,everybody/*",
      /"everybody\/\*" is not a host: write a name such as cdn\.example\.com/,
    ],
    [
      "export docs --out site.rar",
      /"site\.rar" has the extension of an archive .* \.tar\.gz, \.tgz or \.zip/,
    ],
    ["export docs more --out site", /too many arguments .* but got 2; see --help/],
    ["keys list", /There is no Octavo data in \S+\/\.octavo\. .*--data/],
    ["serve --data docs/index.mdx", /docs\/index\.mdx is a file, not a folder/],
    ["serve --data docs/index.mdx/data", /cannot be created: a part of the path is a file/],
    ["export docs --out site --formt zip", /unknown option '--formt'/],
    ["export docs --out site --srict", /unknown option '--srict' \(Did you mean --strict\?\)/],
    ["export nowhere --out site", /"nowhere" does not exist; name the folder/],
    ["export docs/index.mdx --out site", /is a file; name the folder/],
    ["export docs --out site --base-url docs", /--base-url takes an http or https address/],
    ["export docs --out site --paths index,nowhere,gone", /nowhere.*gone/],
    [
      "dev docs --host 0.0.0.0",
      /available only on this machine, at 127\.0\.0\.1, .* "node \S+ publish"/,
    ],
    ["serve --port many", /--port is "many", which must be a whole number/],
    ["serve --data data --storage s3://bucket", /region of the S3 bucket .* set OCTAVO_S3_REGION/],
    ["serve --data data --model gpt", /--model is "gpt", which must be the name of a model/],
    ["serve --data data --model nobody/gpt", /OCTAVO_MODEL: There is no model provider "nobody"/],
    [
      "serve --data data --model builtin/magic",
      /OCTAVO_MODEL: .* Built-in models: builtin\/recipes/,
    ],
    ["worker --data data", /A worker needs the database of the service .* Set DATABASE_URL/],
    [
      "orgs create Acme --plan gold --data data",
      /The plan must be free, pro or enterprise, not "gold"/,
    ],
  ];
  for (const [args, words] of cases) {
    it(`octavo ${args}`, async (t) => {
      const { octavo } = await setUp(t);
      const { code, stdout, stderr } = await octavo(...args.split(" "));
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
      assert.match(stderr, words);
      assert.match(stderr, /^octavo: [^\n]*\n$/, "one line, no stack");
    });
  }

  it("names the setting of a GitHub App whose key is invalid", async (t) => {
    const { cwd } = await setUp(t);
    const env = { OCTAVO_GITHUB_APP_ID: "12", OCTAVO_GITHUB_APP_KEY_FILE: "good/index.mdx" };
    const { code, stderr } = await run(["serve", "--data", "data"], { cwd, env });
    assert.equal(code, 2);
    assert.match(stderr, /^octavo: OCTAVO_GITHUB_APP_KEY_FILE names [^\n]*\.\n$/);
    assert.ok(!(await readdir(cwd)).includes("data"), "nothing is made before");
  });

  it("names an unknown setting, and the one that is like it", async (t) => {
    const { cwd } = await setUp(t);
    const { code, stderr } = await run(["serve"], { cwd, env: { OCTAVO_PROT: "1" } });
    assert.equal(code, 2);
    assert.equal(stderr, "octavo: There is no setting OCTAVO_PROT. Did you mean OCTAVO_PORT?\n");
    const other = await run(["serve"], { cwd, env: { OCTAVO_LAMPS: "1" } });
    assert.match(
      other.stderr,
      /^octavo: There is no setting OCTAVO_LAMPS\. .* under Settings\.\n$/,
    );
  });
});

describe("help", () => {
  const commands = [
    "",
    "export",
    "check",
    "serve",
    "worker",
    "orgs",
    "keys create",
    "projects create",
    "webhooks create",
  ];
  for (const command of commands) {
    it(`octavo ${command} --help`, async (t) => {
      const cwd = await folderFor(t);
      const args = [...command.split(" "), "--help"].filter((arg) => arg !== "");
      const { code, stdout, stderr } = await run(args, { cwd });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assert.match(stdout, new RegExp(`^Usage: octavo ${command}`));
    });
  }

  for (const args of [["-h"], ["help"], ["help", "export"], ["export", "-h"]]) {
    it(`octavo ${args.join(" ")}`, async (t) => {
      const { code, stdout } = await run(args, { cwd: await folderFor(t) });
      assert.equal(code, 0);
      assert.match(stdout, args.includes("export") ? /^Usage: octavo export/ : /^Usage: octavo \[/);
    });
  }

  it("octavo help keys create", async (t) => {
    const { code, stdout } = await run(["help", "keys", "create"], { cwd: await folderFor(t) });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Usage: octavo keys create [^]*\nExample:\n {2}octavo keys create --name ci/,
    );
  });

  it("octavo --version, and -v", async (t) => {
    const cwd = await folderFor(t);
    const manifest = JSON.parse(await readFile(resolve(program, "../../package.json"), "utf8")) as {
      version: string;
    };
    for (const flag of ["--version", "-v"]) {
      assert.equal((await runAlone([flag], { cwd })).stdout, `${manifest.version}\n`);
    }
  });
});

describe("the service's commands", () => {
  it("create and list organizations, keys and projects while the service is stopped", async (t) => {
    const { cwd, octavo } = await setUp(t);
    const data = ["--data", "data"];
    const none = await octavo("keys", "create", "--name", "ci", ...data);
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /There is no Octavo data in \S+\/data\. Set the service's data folder/,
    );
    assert.ok(!(await readdir(cwd)).includes("data"), "looking makes nothing");

    const made = await octavo("orgs", "create", "Acme", "--plan", "pro", "--json", ...data);
    const { id } = JSON.parse(made.stdout) as { id: string };
    await octavo("orgs", "set-plan", id, "enterprise", ...data);
    assert.match(
      (await octavo("orgs", "list", ...data)).stdout,
      new RegExp(`${id} +enterprise .* Acme\n`),
    );

    const create = ["--name", "Docs", "--domain", "docs.example.com", "--repository", "local"];
    const source = ["--source", "https://git.example/engine@v2.1:src"];
    const project = await octavo("projects", "create", ...create, ...source, "--json", ...data);
    const { id: projectId } = JSON.parse(project.stdout) as { id: string };
    const shown = (await octavo("projects", "show", projectId, ...data)).stdout;
    assert.match(shown, /domain: +docs\.example\.com/);
    assert.match(shown, /source: +https:\/\/git\.example\/engine@v2\.1:src$/m);

    const change = ["projects", "set-pull-requests", projectId, ...data];
    const author = "Docs Bot <docs@example.com>";
    const settings = [
      "--draft",
      "--author",
      author,
      "--branch-prefix",
      "docs/",
      "--commits",
      "plain",
    ];
    const changed = (await octavo(...change, ...settings)).stdout;
    assert.match(
      changed,
      /drafts: +yes\n(?:.*\n)*branches: +docs\/\.\.\.\nauthor: +Docs Bot <docs@example\.com>\ncommits: +plain\n/,
    );
    const back = await octavo(
      ...change,
      "--no-draft",
      "--author",
      "",
      "--commits",
      "history",
      "--json",
    );
    const { pullRequests } = JSON.parse(back.stdout) as { pullRequests: object };
    assert.deepEqual(pullRequests, {
      draft: false,
      labels: [],
      reviewers: [],
      branchPrefix: "docs/",
      author: null,
      commitConvention: null,
    });
    for (const [flag, value, says] of [
      ["--author", "Docs Bot", /--author must be a name and an email address/],
      ["--commits", "gitmoji", /--commits must be conventional, plain, or history/],
      ["--labels", "docs", /codeHost local\) do not support labels/],
    ] as const) {
      const refused = await octavo(...change, flag, value);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, says);
    }

    const key = await octavo(
      "keys",
      "create",
      "--name",
      "ci",
      "--project",
      projectId,
      "--json",
      ...data,
    );
    const { id: keyId, secret } = JSON.parse(key.stdout) as { id: string; secret: string };
    assert.match(secret, /^octavo_/);
    const listed = await octavo("keys", "list", ...data);
    assert.ok(listed.stdout.includes(keyId) && !listed.stdout.includes(secret));
    assert.equal((await octavo("keys", "revoke", keyId, ...data)).stdout, `Revoked ${keyId}.\n`);
    assert.equal((await octavo("keys", "revoke", keyId, ...data)).code, 1);

    const make = ["keys", "create", "--name", "ci", ...data];
    const limited = await octavo(
      ...make,
      "--scopes",
      "read, export",
      "--expires",
      "2100-01-31",
      "--json",
    );
    const { scopes, expiresAt } = JSON.parse(limited.stdout) as Record<string, unknown>;
    assert.deepEqual([scopes, expiresAt], [["read", "export"], "2100-01-31T00:00:00.000Z"]);
    assert.match((await octavo("keys", "list", ...data)).stdout, /read,export +2100-01-31T/);
    for (const [flag, value, says] of [
      ["--scopes", "write", /--scopes: "write" is not a scope; choose from read, export/],
      ["--expires", "soon", /--expires takes a day or time such as .*, not "soon"/],
      ["--expires", "2020-01-31", /expiresAt must be a time in the future/],
    ] as const) {
      const refused = await octavo(...make, flag, value);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, says);
    }

    const hook = ["webhooks", "create", "https://example.com/hooks"];
    const signing = (await octavo(...hook, "--events", "agent.failed", ...data)).stdout.trim();
    assert.match(signing, /^whsec_[\w+/=]{44}$/);
    const unknown = await octavo(...hook, "--events", "agent.failed,agent", ...data);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^octavo: --events takes .*, not "agent"\.\n$/);
    const hooks = await octavo("webhooks", "list", ...data);
    assert.match(hooks.stdout, /\nwh_\w+ +active +https:\/\/example\.com\/hooks +agent\.failed\n$/);
    assert.ok(!hooks.stdout.includes(signing));
    const hookId = /wh_\w+/.exec(hooks.stdout)?.[0] ?? "";
    const gone = await octavo("webhooks", "delete", hookId, ...data);
    assert.equal(gone.stdout, `Deleted ${hookId}.\n`);
    assert.equal((await octavo("webhooks", "list", "--json", ...data)).stdout, "[]\n");

    assert.equal((await octavo("projects", "delete", projectId, ...data)).code, 0);
    assert.equal((await octavo("projects", "list", "--json", ...data)).stdout, "[]\n");
    assert.ok((await readdir(cwd)).includes("data"));
  });

  it("serve a demo that its own three commands export", async (t) => {
    const cwd = await folderFor(t);
    const data = join(cwd, "data");
    await using service = await startService({ data, args: ["--demo"], isFirstStart: true });
    while (!service.output().includes("demo.tar.gz")) await sleep(20);
    assert.equal((await stat(join(data, "admin-key"))).mode & 0o777, 0o600);
    assert.ok(!service.output().includes(service.key), "a pipe gets no key");

    const commands = service.output().match(/^.*\bcurl .*$/gm) ?? [];
    assert.equal(commands.length, 3);
    const paste = async (lines: readonly string[]) => {
      const shell = spawn("sh", ["-c", lines.join("\n")], { cwd });
      return (await Promise.all([text(shell.stdout), text(shell.stderr)])).join("");
    };
    const shown = await paste(commands);
    assert.match(
      shown,
      /"status":"queued"[^]*"status":"completed"[^]*"bundleUrl":"http[^]*demo\.tar\.gz\n$/,
    );
    // Without the first one there is no job, and what is wrong is told.
    assert.match(await paste(commands.slice(1)), /{"error":"[^"]+"}\n/);
    const archive = await readFile(join(cwd, "demo.tar.gz"));
    assert.equal(archive.subarray(0, 2).toString("hex"), "1f8b");

    const meanwhile = await run(["keys", "list", "--data", data], { cwd });
    assert.equal(meanwhile.code, 0, meanwhile.stderr);
    assert.match(meanwhile.stdout, /First admin key/);
    const made = await run(["keys", "create", "--name", "ci", "--data", data, "--json"], { cwd });
    const { secret } = JSON.parse(made.stdout) as { secret: string };
    const authorization = `Bearer ${secret}`;
    const asked = await fetch(`${service.url}/v2/keys`, { headers: { authorization } });
    assert.equal(asked.status, 200);
    const orgs = ["orgs", "create", "Beside", "--data", data];
    assert.equal((await run(orgs, { cwd })).code, 0);
    assert.match(service.output(), /"pages":\d+.*"msg":"A static export completed"/);
    assert.equal(await service.end("SIGTERM"), 0, service.output());

    await using again = await startService({ data, args: ["--demo"] });
    while (!again.output().includes("demo.tar.gz")) await sleep(20);
    assert.equal(again.output().match(/^.*\bcurl .*$/gm)?.length, 3);
    await again.end("SIGTERM");
  });

  it("put nothing into the storage of another database", async (t) => {
    const data = join(await folderFor(t), "data");
    const other = { installation: randomUUID(), storage: randomUUID() };
    await writeFiles(join(data, "storage"), { "octavo-storage.json": JSON.stringify(other) });
    await assert.rejects(startService({ data, args: ["--demo"] }), /belongs to another database/);
    assert.ok(!(await readdir(join(data, "storage"))).includes("repositories"));
  });

  it("say at each start where the key is stored", async (t) => {
    const data = join(await folderFor(t), "data");
    for (let round = 0; round < 2; round++) {
      await using service = await startService({ data });
      while (!service.output().includes("admin-key")) await sleep(20);
      assert.ok(service.output().includes(`The admin key is in ${join(data, "admin-key")}\n`));
      assert.ok(service.output().includes(`and the manual at ${service.url}/manual/\n`));
      await service.end("SIGTERM");
    }
  });

  const isLinux = process.platform === "linux";
  it("hold no memory that they do not use", { skip: !isLinux }, async (t) => {
    await using service = await startService({ data: join(await folderFor(t), "data") });
    const environment = (await readFile(`/proc/${service.pid}/environ`, "utf8")).split("\0");
    assert.ok(environment.includes("MALLOC_MMAP_THRESHOLD_=131072"));
    const command = (await readFile(`/proc/${service.pid}/cmdline`, "utf8")).split("\0");
    assert.ok(command.includes("--max-semi-space-size=8"));
  });

  it("say which port is in use", async (t) => {
    const cwd = await folderFor(t);
    await using service = await startService({ data: join(cwd, "one") });
    const { port } = new URL(service.url);
    await putEmptyDatabase(join(cwd, "two"));
    const second = await run(["serve", "--port", port, "--data", join(cwd, "two")], { cwd });
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`octavo: Port ${port} is already in use`));
  });

  it("serve only the health and metrics of a worker", async (t) => {
    const { cwd } = await setUp(t);
    await using postgres = await startPostgres();
    const env = {
      DATABASE_URL: await postgres.createDatabase(),
      OCTAVO_SECRET: "0123456789abcdef0123456789abcdef",
      OCTAVO_METRICS_TOKEN: "a-token-of-the-monitoring",
    };
    const worker = start(["worker", "--port", "0", "--data", "data"], { cwd, env });
    let output = "";
    worker.child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    t.after(() => worker.child.kill("SIGKILL"));
    while (!output.includes("/metrics\n")) await once(worker.child.stdout, "data");
    assert.match(output, /^Octavo is running as a worker\.\n/);
    const url = /(http:\S+)\/metrics/.exec(output)?.[1] ?? "";
    const ask = async (path: string, method = "GET", token = "") => {
      const authorization = `Bearer ${token}`;
      const answer = await fetch(url + path, { method, headers: { authorization } });
      return [answer.status, await answer.text()] as const;
    };
    for (const path of ["/healthz", "/readyz"]) {
      assert.deepEqual(await ask(path), [200, '{"status":"ok"}']);
    }
    for (const token of ["", "another-token"]) {
      const [refused, why] = await ask("/metrics", "GET", token);
      assert.equal(refused, 401);
      assert.match(why, /OCTAVO_METRICS_TOKEN/);
    }
    const [status, metrics] = await ask("/metrics", "GET", env.OCTAVO_METRICS_TOKEN);
    assert.equal(status, 200);
    assert.match(metrics, /^# HELP /);
    assert.deepEqual((await ask("/metrics", "POST"))[0], 405);
    for (const path of ["/", "/v2/projects", "/docs", "/git/x"]) {
      const [code, body] = await ask(path);
      assert.equal(code, 404);
      assert.match(body, /^{"error":".*This node serves only .*\."}$/);
    }
    // One more on the same port works all the same.
    const { port } = new URL(url);
    const other = start(["worker", "--port", port, "--data", "data"], { cwd, env });
    let log = "";
    other.child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
    t.after(() => other.child.kill("SIGKILL"));
    while (!log.includes("not served")) await once(other.child.stderr, "data");
    other.child.kill("SIGTERM");
    const { code, stdout } = await other.end();
    assert.equal(code, 0);
    assert.match(stdout, /^Octavo is running as a worker\.\n(?!Its health)/);
    assert.match(log, /is already in use. Choose another port with --port/);
    worker.child.kill("SIGTERM");
    assert.equal((await worker.end()).code, 0);
  });
});
