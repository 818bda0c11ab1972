import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeSigningKey } from "../../../../test/support/signing-key.ts";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { allModels, parseAllowList, parseModelList } from "../core/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { openDatabase } from "../db/index.ts";
import type { Database } from "../db/index.ts";
import { checkRef } from "./repository.ts";
import { createKeys } from "./keys.ts";
import { createOrganizations } from "./organizations.ts";
import { createProjects } from "./projects.ts";
import { createVault } from "./secrets.ts";
import { prepareFirstStart } from "./first-start.ts";
import type { KeyScope } from "./keys.ts";

let folder: string;
let database: Database;
const allow = parseAllowList("file:///srv/git,127.0.0.1:8443");
const knownHosts = new Map([
  ["github.com", "github"],
  ["git.corp.example", "github"],
  ["forge.corp.example", "gitea"],
  ["gitlab.com", "gitlab"],
] as const);
const allowedModels =
  parseModelList("builtin/recipes,openai/*,enterprise=anthropic/*") ?? allModels;
const secret = "0123456789abcdef0123456789abcdef";
/** The models that were tested. One of them cannot be used. */
const tested: string[] = [];

function testModel(model: string): Promise<void> {
  tested.push(model);
  if (model !== "openai/refused") return Promise.resolve();
  return Promise.reject(new OctavoError("invalid_input", "OpenAI has no model refused."));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "octavo-projects-"));
  const dataDir = join(folder, "data");
  await putEmptyDatabase(dataDir);
  database = await openDatabase({ dataDir });
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function rejects(code: ErrorCode, pattern: RegExp) {
  return (error: unknown) => isOctavoError(error, code) && pattern.test(error.message);
}

function open() {
  const db = database.kysely;
  return {
    db,
    keys: createKeys(database),
    organizations: createOrganizations(db),
    projects: createProjects({
      db,
      vault: createVault(secret),
      allow,
      allowedModels,
      knownHosts,
      testModel,
    }),
  };
}

async function openScope(): Promise<KeyScope> {
  const { id } = await open().organizations.create("Acme", "pro");
  return { organizationId: id, projectId: null };
}

let domains = 0;
function newDomain(): string {
  domains += 1;
  return `docs${domains}.acme.example`;
}

describe("prepareFirstStart", () => {
  test("creates one organization and one key, once, whichever node starts first", async () => {
    const { db, keys, organizations } = open();
    const starts = await Promise.all([
      prepareFirstStart(db, join(folder, "a")),
      prepareFirstStart(db, join(folder, "a")),
    ]);
    const [first, ...others] = starts.filter((start) => start !== undefined);
    assert.ok(first);
    assert.equal(others.length, 0);
    assert.equal(first.organization.plan, "enterprise");
    assert.equal((await stat(first.keyFile)).mode & 0o777, 0o600);
    const key = (await readFile(join(folder, "a", "admin-key"), "utf8")).trim();
    const caller = await keys.authenticate(key);
    assert.equal(caller?.organizationId, first.organization.id);
    assert.equal(caller?.projectId, null);
    assert.equal(await prepareFirstStart(db, join(folder, "a")), undefined);
    assert.equal((await organizations.list()).length, 1);
  });
});

describe("keys", () => {
  test("have a form that a scanner can check, and are stored as a hash", async () => {
    const { keys, db } = open();
    const scope = await openScope();
    const key = await keys.create(scope, "CI");
    assert.match(key.secret, /^octavo_[0-9a-f]{56}$/);
    assert.ok(key.secret.startsWith(key.prefix) && key.prefix.length < 20);
    const row = await db.selectFrom("api_keys").selectAll().where("id", "=", key.id).execute();
    assert.equal(JSON.stringify(row).includes(key.secret), false);
    assert.equal((await keys.authenticate(key.secret))?.plan, "pro");
  });

  test("refuse what is malformed, altered or unknown", async () => {
    const { keys, db } = open();
    const { id, secret: real } = await keys.create(await openScope(), "CI");
    const last = real.at(-1) === "0" ? "1" : "0";
    for (const key of ["", "octavo_", real.slice(0, -1) + last, `${real}0`, `x${real}`]) {
      assert.equal(await keys.authenticate(key), undefined, key);
    }
    assert.ok(await keys.authenticate(real));
    await db.deleteFrom("api_keys").where("id", "=", id).execute();
    assert.equal(await keys.authenticate(real), undefined);
  });

  test("say when they were last used, without a write for each use", async () => {
    const { keys, db } = open();
    const scope = await openScope();
    const key = await keys.create(scope, "CI");
    assert.equal(key.lastUsedAt, null);
    await keys.authenticate(key.secret);
    const [used] = (await keys.list(scope, { limit: 1 })).items;
    assert.ok(used?.lastUsedAt instanceof Date);
    await keys.authenticate(key.secret);
    const [again] = (await keys.list(scope, { limit: 1 })).items;
    assert.deepEqual(again?.lastUsedAt, used.lastUsedAt);
    const old = new Date(Date.now() - 61_000);
    await db.updateTable("api_keys").set({ last_used_at: old }).where("id", "=", key.id).execute();
    await keys.authenticate(key.secret);
    const [later] = (await keys.list(scope, { limit: 1 })).items;
    assert.ok(later?.lastUsedAt && later.lastUsedAt > old);
  });

  test("stop working when revoked, and only their own organization can revoke them", async () => {
    const { keys } = open();
    const [scope, stranger] = [await openScope(), await openScope()];
    await keys.create(scope, "Admin");
    const key = await keys.create(scope, "CI", { scopes: ["read"] });
    await assert.rejects(
      keys.revoke(stranger, key.id),
      rejects("not_found", /API key .* does not exist/),
    );
    assert.deepEqual([...(await keys.findValid([key.id]))], [key.id]);
    await keys.revoke(scope, key.id);
    assert.equal(await keys.authenticate(key.secret), undefined);
    assert.equal((await keys.findValid([key.id])).size, 0);
    const { items } = await keys.list(scope, { limit: 10 });
    assert.deepEqual(
      items.map(({ name }) => name),
      ["Admin"],
    );
    await assert.rejects(
      keys.revoke(scope, key.id),
      rejects("not_found", /API key .* does not exist/),
    );
  });

  test("have the scopes that they were given, all by default, and stop working when they expire", async () => {
    const { keys, db } = open();
    const scope = await openScope();
    const whole = await keys.create(scope, "Admin");
    assert.deepEqual(whole.scopes, ["read", "export", "agent", "admin"]);
    assert.equal(whole.expiresAt, null);
    const expiresAt = new Date(Date.now() + 3_600_000);
    const key = await keys.create(scope, "CI", { scopes: ["agent", "read"], expiresAt });
    assert.deepEqual([key.scopes, key.expiresAt], [["read", "agent"], expiresAt]);
    assert.deepEqual((await keys.authenticate(key.secret))?.scopes, ["read", "agent"]);
    await db
      .updateTable("api_keys")
      .set({ expires_at: new Date(Date.now() - 1_000) } as never)
      .where("id", "=", key.id)
      .execute();
    assert.equal(await keys.authenticate(key.secret), undefined);
    assert.equal(await keys.findHolder(key.id), undefined);
    assert.equal((await keys.findValid([key.id])).size, 0);
    await assert.rejects(
      keys.get(scope, key.id),
      rejects("not_found", /API key .* does not exist/),
    );
    const past = { expiresAt: new Date(0) };
    await assert.rejects(keys.create(scope, "CI", past), rejects("invalid_input", /future/));
    for (const name of ["", "x".repeat(201)]) {
      await assert.rejects(
        keys.create(scope, name),
        rejects("invalid_input", /1 to 200 characters/),
      );
    }
    await assert.rejects(
      keys.create(scope, "CI", { scopes: [] }),
      rejects("invalid_input", /at least one/),
    );
  });

  test("always leave one that can administer the organization and does not expire", async () => {
    const { keys, projects } = open();
    const scope = await openScope();
    const last = await keys.create(scope, "Admin");
    const fields = { name: "A", domain: newDomain(), repository: "https://git.example/a.git" };
    const { id: projectId } = await projects.create(scope.organizationId, fields);
    const expiresAt = new Date(Date.now() + 3_600_000);
    const others = [
      await keys.create({ ...scope, projectId }, "Of a project"),
      await keys.create(scope, "Without the scope", { scopes: ["read", "export", "agent"] }),
      await keys.create(scope, "For an hour", { expiresAt }),
    ];
    await assert.rejects(keys.revoke(scope, last.id), rejects("conflict", /last API key/));
    assert.ok(await keys.authenticate(last.secret));
    for (const { id } of others) await keys.revoke(scope, id);
    const next = await keys.create(scope, "Next");
    const ended = await Promise.allSettled([last, next].map(({ id }) => keys.revoke(scope, id)));
    assert.deepEqual(ended.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  });

  test("without the scope admin revoke only themselves", async () => {
    const { keys } = open();
    const scope = await openScope();
    const other = await keys.create(scope, "Admin");
    const { id, secret } = await keys.create(scope, "CI", { scopes: ["read", "agent"] });
    const caller = await keys.authenticate(secret);
    assert.ok(caller);
    const refused = rejects("forbidden", /revoke API keys, it needs the scope admin/);
    await assert.rejects(keys.revoke(caller, other.id), refused);
    await keys.revoke(caller, id);
    assert.equal(await keys.authenticate(secret), undefined);
  });

  test("limited to a project are deleted with it", async () => {
    const { keys, projects } = open();
    const scope = await openScope();
    const repository = "https://git.example/a.git";
    const project = await projects.create(scope.organizationId, {
      name: "A",
      domain: newDomain(),
      repository,
    });
    const limited = { ...scope, projectId: project.id };
    const key = await keys.create(limited, "CI");
    await keys.create(scope, "Admin");
    assert.deepEqual(
      (await keys.list(limited, { limit: 10 })).items.map(({ id }) => id),
      [key.id],
    );
    assert.equal((await keys.authenticate(key.secret))?.projectId, project.id);
    await projects.remove(scope, project.id);
    assert.equal(await keys.authenticate(key.secret), undefined);
  });
});

describe("projects", () => {
  test("test a new model before it is stored, unless the caller does not want it", async () => {
    const { projects } = open();
    const scope = await openScope();
    const fields = { name: "Docs", domain: newDomain(), repository: "https://x.example/docs" };
    const model = "openai/refused";
    tested.length = 0;
    const says =
      /^The model openai\/refused was not saved, because a test call to it failed\. OpenAI has no model refused\. To save it without a test, set testModel to false/;
    await assert.rejects(
      projects.create(scope.organizationId, { ...fields, model }),
      rejects("invalid_input", says),
    );
    const made = await projects.create(scope.organizationId, fields);
    await assert.rejects(
      projects.update(scope, made.id, { model, name: "Manual" }),
      rejects("invalid_input", says),
    );
    assert.deepEqual(await projects.get(scope, made.id), made);
    assert.deepEqual(tested, [model, model]);
    const limited = { ...scope, projectId: "pr_00000000000000000000000000" };
    await assert.rejects(projects.update(limited, made.id, { model }), rejects("not_found", /no/));
    const kept = await projects.update(scope, made.id, { model, testModel: false });
    assert.deepEqual(kept, { ...made, model });
    await projects.update(scope, made.id, { model, ref: "next" });
    await projects.update(scope, made.id, { model: null });
    assert.deepEqual(tested, [model, model]);
    await projects.update(scope, made.id, { model: "openai/gpt" });
    assert.deepEqual(tested, [model, model, "openai/gpt"]);
  });

  test("are created, read, changed and deleted in their own scope", async () => {
    const { projects } = open();
    const [scope, stranger] = [await openScope(), await openScope()];
    const domain = newDomain();
    const made = await projects.create(scope.organizationId, {
      name: "Docs",
      domain: domain.toUpperCase(),
      repository: "git@github.com:acme/docs.git",
      directory: "/docs/./site/",
    });
    assert.deepEqual(made, {
      id: made.id,
      organizationId: scope.organizationId,
      name: "Docs",
      domain,
      repository: "git@github.com:acme/docs.git",
      ref: null,
      directory: "docs/site",
      codeHost: "github",
      model: null,
      remoteScripts: [],
      pullRequests: {
        draft: false,
        labels: [],
        reviewers: [],
        branchPrefix: "octavo/",
        author: null,
        commitConvention: null,
      },
      signingPublicKey: null,
      sources: [],
      createdBy: null,
      createdAt: made.createdAt,
    });
    assert.deepEqual(await projects.get(scope, made.id), made);
    assert.deepEqual(await projects.findByDomain(scope, domain), made);
    assert.equal(await projects.findByDomain(stranger, domain), undefined);
    await assert.rejects(
      projects.get(stranger, made.id),
      rejects("not_found", /project .* does not exist/),
    );
    const other = { ...scope, projectId: "pr_00000000000000000000000000" };
    await assert.rejects(
      projects.get(other, made.id),
      rejects("not_found", /project .* does not exist/),
    );
    const changed = await projects.update(scope, made.id, { ref: "next", model: "openai/gpt" });
    assert.deepEqual(changed, { ...made, ref: "next", model: "openai/gpt" });
    await assert.rejects(
      projects.update(scope, made.id, { model: "anthropic/opus" }),
      rejects("invalid_input", /pro plan\. .*OCTAVO_MODELS/),
    );
    const reset = await projects.update(scope, made.id, { ref: null, name: "Manual" });
    assert.deepEqual(reset, { ...made, model: "openai/gpt", name: "Manual" });
    await assert.rejects(
      projects.remove(stranger, made.id),
      rejects("not_found", /project .* does not exist/),
    );
    await projects.remove(scope, made.id);
    await assert.rejects(
      projects.get(scope, made.id),
      rejects("not_found", /project .* does not exist/),
    );
  });

  test("have domains that are unique across organizations", async () => {
    const { projects } = open();
    const [scope, stranger] = [await openScope(), await openScope()];
    const fields = { name: "A", domain: newDomain(), repository: "local" };
    await projects.create(scope.organizationId, fields);
    const taken = rejects("conflict", /belongs to another project/);
    await assert.rejects(projects.create(stranger.organizationId, fields), taken);
    const second = await projects.create(scope.organizationId, { ...fields, domain: newDomain() });
    await assert.rejects(projects.update(scope, second.id, { domain: fields.domain }), taken);
  });

  test("are listed newest first, page by page", async () => {
    const { projects } = open();
    const scope = await openScope();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const fields = { name: "A", domain: newDomain(), repository: "local" };
      made.unshift((await projects.create(scope.organizationId, fields)).id);
      // IDs sort by the millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const seen: string[] = [];
    let next: string | null | undefined;
    do {
      const page = await projects.list(scope, { limit: 2, before: next ?? undefined });
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
    } while (next !== null);
    assert.deepEqual(seen, made);
  });

  test("keep credentials encrypted, for one repository", async () => {
    const { projects, db } = open();
    const scope = await openScope();
    const credentials = { password: "hunter2-hunter2" };
    const { id } = await projects.create(scope.organizationId, {
      name: "A",
      domain: newDomain(),
      repository: "https://git.example/a.git",
      credentials,
    });
    assert.deepEqual(await projects.readCredentials(id), credentials);
    const row = await db
      .selectFrom("projects")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal(Buffer.from(row.credentials ?? []).includes("hunter2"), false);
    await projects.update(scope, id, { name: "B" });
    assert.deepEqual(await projects.readCredentials(id), credentials);
    await projects.update(scope, id, { repository: "https://elsewhere.example/a.git" });
    assert.equal(await projects.readCredentials(id), undefined);
    await projects.update(scope, id, { credentials });
    await projects.update(scope, id, { credentials: null });
    assert.equal(await projects.readCredentials(id), undefined);
  });

  test("keep credentials of sources encrypted, each for its repository", async () => {
    const { projects, db } = open();
    const scope = await openScope();
    const [engine, cli] = ["https://git.example/engine", "https://github.com/acme/cli"];
    const credentials = { password: "hunter2-hunter2" };
    const { id } = await projects.create(scope.organizationId, {
      name: "A",
      domain: newDomain(),
      repository: "local",
      sources: [{ repository: cli }, { repository: engine, credentials }],
    });
    const place = { ref: null, directory: "." };
    assert.deepEqual(await projects.readSources(id), [
      { repository: cli, ...place, codeHost: "github" },
      { repository: engine, ...place, codeHost: "local", credentials },
    ]);
    const row = await db
      .selectFrom("projects")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.ok(row.source_credentials);
    assert.equal(Buffer.from(row.source_credentials).includes("hunter2"), false);
    // Neither list of credentials decrypts in the place of the other.
    await db
      .updateTable("projects")
      .set({ credentials: row.source_credentials })
      .where("id", "=", id)
      .execute();
    await assert.rejects(
      projects.readCredentials(id),
      rejects("unavailable", /cannot be decrypted/),
    );
    await projects.update(scope, id, { sources: [{ repository: engine }, { repository: cli }] });
    const kept = (await projects.readSources(id)).map((source) => source.credentials);
    assert.deepEqual(kept, [credentials, undefined]);
    await projects.update(scope, id, { sources: [{ repository: `${engine}.git` }] });
    assert.equal((await projects.readSources(id))[0]?.credentials, undefined);
    assert.deepEqual(await projects.readSources("pr_none"), []);
  });

  const accepted: [repository: string, codeHost: string][] = [
    ["https://github.com/acme/docs", "github"],
    ["ssh://git@github.com/acme/docs.git", "github"],
    ["https://git.corp.example/acme/docs", "github"],
    ["git@git.corp.example:acme/docs.git", "github"],
    ["https://git.corp.example:8443/acme/docs", "github"],
    ["https://forge.corp.example/acme/docs", "gitea"],
    ["https://forge.corp.example/git/acme/docs.git", "gitea"],
    ["git@forge.corp.example:acme/docs.git", "gitea"],
    ["https://other.corp.example/acme/docs", "local"],
    ["https://gitlab.com/acme/docs.git", "gitlab"],
    ["git@gitlab.com:acme/team/docs.git", "gitlab"],
    ["git@git.example:acme/docs.git", "local"],
    ["file:///srv/git/docs.git", "local"],
    ["https://127.0.0.1:8443/docs.git", "local"],
    ["local", "local"],
  ];
  for (const [repository, codeHost] of accepted) {
    test(`accept the repository ${repository}`, async () => {
      const { organizationId } = await openScope();
      const fields = { name: "A", domain: newDomain(), repository };
      const project = await open().projects.create(organizationId, fields);
      assert.deepEqual([project.repository, project.codeHost], [repository, codeHost]);
    });
  }

  const refused: [repository: string, pattern: RegExp][] = [
    ["git@git.example", /not a repository address/],
    ["https://hunter2@git.example/a", /user name or password/],
    ["https://ada:hunter2@git.example:99999/a", /not a repository address/],
    ["https://git.example/a?token=hunter2", /query/],
    ["hunter2", /not a repository address/],
    ["http://git.example/a", /use https/],
    ["http://127.0.0.1:8443/a", /use https/],
    ["https://localhost/a", /OCTAVO_ALLOW/],
    ["https://127.0.0.1/a", /OCTAVO_ALLOW/],
    ["https://2130706433/a", /OCTAVO_ALLOW/],
    ["https://[::ffff:10.0.0.1]/a", /OCTAVO_ALLOW/],
    ["git@10.0.0.1:a", /OCTAVO_ALLOW/],
    ["ssh://git@169.254.169.254/a", /OCTAVO_ALLOW/],
    ["file:///srv/other/a", /OCTAVO_ALLOW/],
    ["file:///srv/git/../other", /OCTAVO_ALLOW/],
    ["file:///srv/git/%2e%2e/other", /OCTAVO_ALLOW/],
  ];
  for (const [repository, pattern] of refused) {
    test(`refuse the repository ${JSON.stringify(repository)}`, () => {
      assert.throws(
        () => open().projects.check({ repository }),
        (error) => rejects("invalid_input", pattern)(error) && !String(error).includes("hunter2"),
      );
    });
  }

  test("refuse other invalid fields", async () => {
    const { projects } = open();
    assert.throws(() => projects.check({ domain: "https://a.example" }), /host name/);
    assert.throws(() => projects.check({ directory: "../x" }), /points outside/);
    assert.throws(() => projects.check({ ref: "-x" }), /valid Git ref name/);
    for (const model of ["gpt", "OpenAI/gpt", "openai/", "google/../files"]) {
      assert.throws(() => projects.check({ model }), /model ".*" must be provider\/model/);
    }
    const { organizationId } = await openScope();
    const fields = { name: "A", domain: newDomain(), repository: "local" };
    await assert.rejects(
      projects.create(organizationId, { ...fields, codeHost: "github" }),
      rejects("invalid_input", /owner\/name/),
    );
    const short = { ...fields, repository: "https://forge.corp.example/docs" };
    await assert.rejects(
      projects.create(organizationId, short),
      rejects("invalid_input", /codeHost gitea .*owner\/name/),
    );
  });
});

test("checkRef accepts names of branches, tags and commits, and nothing that git would read otherwise", () => {
  for (const ref of ["main", "feature/x-1", "v1.2.3", "0a1b2c3", "release@2", "ünïcode"]) {
    assert.equal(checkRef(ref), ref);
  }
  const bad = [
    "",
    "-x",
    "--upload-pack=x",
    "a..b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a*",
    "a\\b",
    "@",
    "/a",
  ];
  for (const ref of [
    ...bad,
    "a/",
    "a.",
    "a.lock",
    "a.lock/b",
    "a//b",
    "a/.b",
    "a@{1}",
    "a\0b",
    "x".repeat(256),
  ]) {
    assert.throws(() => checkRef(ref), /valid Git ref name/, ref);
  }
});

test("a vault opens only what it sealed, for whom it sealed it", () => {
  const vault = createVault(secret);
  const sealed = vault.seal("hunter2", "pr_a");
  assert.equal(vault.open(sealed, "pr_a"), "hunter2");
  assert.throws(() => vault.open(sealed, "pr_b"), rejects("unavailable", /OCTAVO_SECRET/));
  assert.throws(() => createVault(`${secret}x`).open(sealed, "pr_a"), /OCTAVO_SECRET/);
  const altered = Uint8Array.from(sealed, (byte, index) => (index === 40 ? byte ^ 1 : byte));
  assert.throws(() => vault.open(sealed.length > 40 ? altered : sealed.slice(1), "pr_a"));
  assert.throws(() => vault.open(new Uint8Array(5), "pr_a"), /OCTAVO_SECRET/);
});

describe("a signing key", () => {
  test("is kept encrypted, and gone with the repository that it was for", async () => {
    const { projects, db } = open();
    const scope = await openScope();
    const { privateKey, publicKey } = await makeSigningKey(folder);
    const fields = { name: "Docs", domain: newDomain(), repository: "https://git.example/a" };
    const made = await projects.create(scope.organizationId, { ...fields, signingKey: privateKey });
    assert.equal(made.signingPublicKey, publicKey);
    assert.equal(await projects.readSigningKey(made.id), privateKey.trim());
    const row = await db.selectFrom("projects").selectAll().where("id", "=", made.id).execute();
    const secretPart = privateKey.split("\n")[2] ?? "";
    assert.ok(!Buffer.from(row[0]?.signing_key ?? []).includes(secretPart));
    assert.ok(!JSON.stringify(made).includes(secretPart));
    await projects.update(scope, made.id, { name: "Same" });
    assert.equal(await projects.readSigningKey(made.id), privateKey.trim());
    const moved = { repository: "https://git.example/b" };
    assert.equal((await projects.update(scope, made.id, moved)).signingPublicKey, null);
    assert.equal(await projects.readSigningKey(made.id), undefined);
  });

  test("that cannot sign is refused with the reason, which does not repeat it", async () => {
    const { projects } = open();
    const keys: readonly (readonly [key: string, says: RegExp])[] = [
      ["", /is not a private key in the format that ssh-keygen writes/],
      ["hunter2", /is not a private key in the format that ssh-keygen writes/],
      [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
        /is not a private/,
      ],
      [
        (await makeSigningKey(folder, { type: "rsa", passphrase: "hunter2" })).privateKey,
        /has a passphrase/,
      ],
      [(await makeSigningKey(folder, { type: "ecdsa" })).privateKey, /use Ed25519 or RSA/],
      [(await makeSigningKey(folder, { type: "rsa" })).publicKey, /is not a private key/],
    ];
    for (const [signingKey, says] of keys) {
      assert.throws(
        () => projects.check({ signingKey }),
        (error) => rejects("invalid_input", says)(error) && !String(error).includes("hunter2"),
      );
    }
  });
});
