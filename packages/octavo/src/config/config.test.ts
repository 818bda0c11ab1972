import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { defaultQuotas } from "../core/index.ts";
import { getBaseUrl, getSitesDomain, loadConfig } from "./config.ts";
import { prepareDataFolder } from "./folders.ts";
import { readDatabaseUrls, readGitHubApp, readSecret } from "./secret-files.ts";

const cwd = "/home/ada/docs";
const secret = "0123456789abcdef0123456789abcdef";

function load(env: Record<string, string>, flags: Record<string, string> = {}) {
  return loadConfig({ env, flags, cwd });
}

describe("loadConfig", () => {
  test("has a default for everything", () => {
    const config = load({});
    const { work, allowedModels } = config;
    assert.ok(work.exportSlots >= 2 && work.agentSlots >= 4);
    assert.ok(allowedModels.allows("openai/gpt-5", "free"));
    assert.deepEqual(
      {
        ...config,
        settings: undefined,
        allow: undefined,
        remoteHosts: undefined,
        models: undefined,
        allowedModels: undefined,
      },
      {
        port: 4400,
        host: "127.0.0.1",
        dataFolder: "/home/ada/docs/.octavo",
        database: { kind: "embedded", folder: "/home/ada/docs/.octavo/database" },
        storage: { kind: "fs", folder: "/home/ada/docs/.octavo/storage" },
        roles: ["api", "worker", "sites"],
        work: { ...work, pollIntervalMs: 1000, webhookSlots: 4 },
        quotas: defaultQuotas,
        exportBudget: { wallMs: 3_600_000, cpuMs: 14_400_000, memoryBytes: 8e9 },
        minFreeBytes: 100_000_000,
        secret: { kind: "file", path: "/home/ada/docs/.octavo/secret", createIfMissing: true },
        baseUrl: undefined,
        previewUrl: undefined,
        sites: { domain: undefined, maxCacheBytes: 2e9, dnsServers: [] },
        acme: undefined,
        trustedProxies: [],
        metricsToken: undefined,
        allow: undefined,
        allowedModels: undefined,
        remoteHosts: undefined,
        github: { apiUrls: new Map(), app: undefined },
        gitlab: { serverUrls: new Map() },
        gitea: { serverUrls: new Map() },
        model: "builtin/recipes",
        models: undefined,
        agent: {
          steps: 100,
          tokens: 4_000_000,
          tokensPerDay: 20_000_000,
          timeMs: 1_800_000,
          changedFiles: 500,
        },
        browser: undefined,
        logLevel: "info",
        bundleLinkSeconds: 3600,
        remoteMedia: "keep",
        retentionDays: 30,
        auditDays: 365,
        openId: undefined,
        settings: undefined,
      },
    );
    assert.equal(Object.isFrozen(config), true);
  });

  test("takes a value for each model that is named, and one for the others", () => {
    const { models } = load({
      OCTAVO_MODEL_CONTEXT: "32768, ollama/qwen3:8b=65536",
      OCTAVO_MODEL_OUTPUT: "openai/gpt-5=100000",
      OCTAVO_MODEL_EFFORT: "low,openai/gpt-5=high",
      OCTAVO_MODEL_PRICES: "1/2, anthropic/claude=3/0.30/15",
    });
    assert.deepEqual(models.prices?.others, { input: 1, cachedInput: 1, output: 2 });
    const claude = { input: 3, cachedInput: 0.3, output: 15 };
    assert.deepEqual(models.prices.byModel.get("anthropic/claude"), claude);
    const byModel = new Map([["ollama/qwen3:8b", 65_536]]);
    assert.deepEqual(models.contextTokens, { others: 32_768, byModel });
    assert.deepEqual(models.outputTokens?.byModel.get("openai/gpt-5"), 100_000);
    assert.equal(models.effort?.others, "low");
    assert.equal(models.effort.byModel.get("openai/gpt-5"), "high");
  });

  test("prefers a flag to a variable, and ignores an empty variable", () => {
    const config = load({ OCTAVO_PORT: "1", OCTAVO_HOST: "" }, { port: "0" });
    assert.equal(config.port, 0);
    assert.equal(config.host, "127.0.0.1");
  });

  test("reads what is set", () => {
    const config = load({
      DATABASE_URL: "postgres://octavo:pw@db/octavo",
      DATABASE_DIRECT_URL: "postgres://octavo:pw@db-1/octavo",
      OCTAVO_DATABASE_POOL: "20",
      OCTAVO_SECRET: secret,
      OCTAVO_STORAGE: "s3://bundles/octavo/eu/",
      OCTAVO_ROLES: "worker",
      OCTAVO_BASE_URL: "https://docs.example.com/octavo/",
      OCTAVO_TRUST_PROXY: "10.0.0.0/8, loopback",
      OCTAVO_ALLOW: "file:///srv/git",
      OCTAVO_BUNDLE_LINK_MINUTES: "5",
    });
    assert.deepEqual(config.database, {
      kind: "postgres",
      url: "postgres://octavo:pw@db/octavo",
      directUrl: "postgres://octavo:pw@db-1/octavo",
      maxConnections: 20,
      passwordFile: undefined,
    });
    assert.deepEqual(config.storage, {
      kind: "s3",
      bucket: "bundles",
      prefix: "octavo/eu",
      endpoint: undefined,
      region: undefined,
      isPathStyle: false,
      hasDirectLinks: false,
    });
    assert.deepEqual(config.roles, ["worker"]);
    assert.equal(config.baseUrl, "https://docs.example.com/octavo");
    assert.deepEqual(config.trustedProxies, ["10.0.0.0/8", "loopback"]);
    assert.equal(config.allow.allowsFile("/srv/git/a.git"), true);
    assert.equal(config.bundleLinkSeconds, 300);
  });

  test("reads where the bucket is, with its name in the path on a server of one's own", () => {
    const bucket = { OCTAVO_STORAGE: "s3://bundles" };
    const endpoint = { OCTAVO_S3_ENDPOINT: "http://minio:9000/", OCTAVO_S3_REGION: "eu-west-1" };
    const expected = { kind: "s3", bucket: "bundles", prefix: "", region: "eu-west-1" };
    const own = { ...expected, endpoint: "http://minio:9000", isPathStyle: true };
    assert.deepEqual(load({ ...bucket, ...endpoint }).storage, { ...own, hasDirectLinks: false });
    const off = { OCTAVO_S3_PATH_STYLE: "off", OCTAVO_S3_DIRECT_LINKS: "on" };
    assert.deepEqual(load({ ...bucket, ...endpoint, ...off }).storage, {
      ...own,
      isPathStyle: false,
      hasDirectLinks: true,
    });
    assert.throws(() => load(endpoint), /OCTAVO_STORAGE must name a bucket/);
  });

  test("resolves relative paths against the folder that npm was called in", () => {
    const npm = { INIT_CWD: "/home/ada", npm_package_json: "/home/ada/docs/package.json" };
    assert.equal(load({ ...npm, OCTAVO_DATA: "data" }).dataFolder, "/home/ada/data");
    const elsewhere = { INIT_CWD: "/home/ada", npm_package_json: "/opt/other/package.json" };
    assert.equal(load({ ...elsewhere, OCTAVO_DATA: "data" }).dataFolder, "/home/ada/docs/data");
    assert.equal(load({ OCTAVO_DATA: "/var/lib/octavo" }).dataFolder, "/var/lib/octavo");
  });

  test("reads the settings of models as their packages do, and reveals none", () => {
    const planted = "sk-planted-4711";
    const { models } = load({
      ANTHROPIC_API_KEY: planted,
      OPENAI_API_KEY: "",
      OLLAMA_BASE_URL: "http://127.0.0.1:11434/v1",
      OCTAVO_MODEL_KEY: "k",
    });
    assert.equal(models.keys.anthropic, planted);
    assert.equal(models.keys.openai, undefined);
    assert.equal(models.keys.compatible, "k");
    assert.equal(models.baseUrls.ollama, "http://127.0.0.1:11434/v1");
    assert.throws(
      () => load({ ANTHROPIC_API_KEY: planted, OCTAVO_AGENT_STEPS: "0" }),
      (error) => isOctavoError(error) && !error.message.includes(planted),
    );
  });

  test("lists every setting with its value and who gave it, and nothing of secret ones", () => {
    const env = { OCTAVO_SECRET: secret, OCTAVO_RETENTION_DAYS: "7", OCTAVO_MODEL_KEY: "" };
    const { settings } = load(env, { port: "0" });
    const shown = new Map(settings.map(({ name, ...rest }) => [name, rest]));
    const plain = { isSecret: false };
    assert.deepEqual(shown.get("OCTAVO_PORT"), { ...plain, value: "0", setBy: "--port" });
    const variable = "OCTAVO_RETENTION_DAYS";
    assert.deepEqual(shown.get(variable), { ...plain, value: "7", setBy: variable });
    assert.deepEqual(shown.get("OCTAVO_AUDIT_DAYS"), { ...plain, value: "365", setBy: null });
    assert.deepEqual(shown.get("OCTAVO_HOST"), { ...plain, value: "127.0.0.1", setBy: null });
    assert.deepEqual(shown.get("OCTAVO_QUOTAS"), { ...plain, value: null, setBy: null });
    const hidden = { isSecret: true, value: null };
    assert.deepEqual(shown.get("OCTAVO_SECRET"), { ...hidden, setBy: "OCTAVO_SECRET" });
    assert.deepEqual(shown.get("OCTAVO_MODEL_KEY"), { ...hidden, setBy: null });
    assert.ok(!JSON.stringify(settings).includes(secret));
  });

  test("reads quotas of plans, and refuses plans, quotas and numbers that do not exist", () => {
    const { quotas } = load({ OCTAVO_QUOTAS: "free.openJobs=7, pro.share=3" });
    const { quotas: others } = load({});
    assert.deepEqual(quotas.free, { ...others.free, openJobs: 7 });
    assert.deepEqual(quotas.pro, { ...others.pro, share: 3 });
    for (const text of ["free.openJobs=0", "free.jobs=1", "gold.openJobs=1", "openJobs=1"]) {
      assert.throws(() => load({ OCTAVO_QUOTAS: text }), /OCTAVO_QUOTAS .*must list quotas/);
    }
  });

  test("reads where GitLab, Gitea and Forgejo are", () => {
    const { gitea, gitlab } = load({
      OCTAVO_GITLAB_HOSTS: "gitlab.corp.example",
      OCTAVO_GITEA_HOSTS: "git.corp.example,code.example.com=https://code.example.com/forge/",
    });
    assert.deepEqual(
      [...gitlab.serverUrls],
      [["gitlab.corp.example", "https://gitlab.corp.example"]],
    );
    assert.deepEqual(
      [...gitea.serverUrls],
      [
        ["git.corp.example", "https://git.corp.example"],
        ["code.example.com", "https://code.example.com/forge"],
      ],
    );
  });

  test("reads where GitHub is, and which App acts there", () => {
    const { github } = load({
      OCTAVO_GITHUB_HOSTS:
        "github.corp.example, GitHub.other.example=http://10.0.0.7:8080/api/v3/,10.0.0.7",
      OCTAVO_GITHUB_APP_ID: "Iv23liAbC",
      OCTAVO_GITHUB_APP_KEY_FILE: "app.pem",
      OCTAVO_GITHUB_APP_HOST: "github.corp.example",
    });
    assert.deepEqual(
      [...github.apiUrls],
      [
        ["github.corp.example", "https://github.corp.example/api/v3"],
        ["github.other.example", "http://10.0.0.7:8080/api/v3"],
        ["10.0.0.7", "https://10.0.0.7/api/v3"],
      ],
    );
    assert.deepEqual(github.app, {
      host: "github.corp.example",
      appId: "Iv23liAbC",
      keyFile: "/home/ada/docs/app.pem",
    });
    const id = { OCTAVO_GITHUB_APP_ID: "12" };
    const file = { OCTAVO_GITHUB_APP_KEY_FILE: "/etc/octavo/app.pem" };
    assert.equal(load({ ...id, ...file }).github.app?.host, "github.com");
    assert.throws(() => load(id), /OCTAVO_GITHUB_APP_KEY_FILE must also be set/);
    assert.throws(() => load(file), /OCTAVO_GITHUB_APP_ID must also be set/);
    const host = { OCTAVO_GITHUB_APP_HOST: "github.corp.example" };
    assert.throws(() => load(host), /OCTAVO_GITHUB_APP_ID must also be set/);
    assert.throws(() => load({ ...id, ...file, ...host }), /neither .* nor in OCTAVO_GITHUB_HOSTS/);
  });

  test("keeps the sites apart from the dashboard", () => {
    const at = (domain: string, baseUrl: string) =>
      load({ OCTAVO_SITES_DOMAIN: domain, OCTAVO_BASE_URL: baseUrl });
    const config = at("Sites.Example:8443", "https://octavo.example");
    assert.deepEqual(config.sites.domain, { name: "sites.example", port: 8443 });
    assert.deepEqual(getSitesDomain(config, 4400), { protocol: "https:", name: "sites.example", port: 8443 }); // prettier-ignore
    assert.deepEqual(getSitesDomain(load({}), 4400), { protocol: "http:", name: "localhost", port: 4400 }); // prettier-ignore
    for (const [domain, host] of [
      ["example.com", "example.com"],
      ["example.com", "octavo.example.com"],
      ["sites.octavo.example", "octavo.example"],
    ] as const) {
      assert.throws(() => at(domain, `https://${host}`), /neither may be a subdomain of the other/);
    }
    at("octavo-sites.example", "https://octavo.example");
  });

  const refused: [name: string, value: string][] = [
    ["OCTAVO_PORT", "65536"],
    ["OCTAVO_PORT", "4400x"],
    ["OCTAVO_PORT", "-1"],
    ["OCTAVO_HOST", "http://x"],
    ["DATABASE_URL", "mysql://root:hunter2@db/x"],
    ["OCTAVO_STORAGE", "s3:bucket"],
    ["OCTAVO_S3_ENDPOINT", "https://key:hunter2@s3.example.com"],
    ["OCTAVO_S3_REGION", "eu west"],
    ["OCTAVO_S3_PATH_STYLE", "true"],
    ["OCTAVO_S3_DIRECT_LINKS", "yes"],
    ["OCTAVO_ROLES", "api,web"],
    ["OCTAVO_ROLES", ","],
    ["OCTAVO_SECRET", "hunter2"],
    ["OCTAVO_BASE_URL", "ftp://x.example"],
    ["OCTAVO_PREVIEW_URL", "https://x.example/previews"],
    ["OCTAVO_SITES_DOMAIN", "https://sites.example"],
    ["OCTAVO_SITES_DOMAIN", "sites.example:0"],
    ["OCTAVO_SITES_DOMAIN", "127.0.0.1"],
    ["OCTAVO_SITES_CACHE_MB", "1"],
    ["OCTAVO_TLS", "on"],
    ["OCTAVO_TLS", "acme"],
    ["OCTAVO_TLS_PORT", "0"],
    ["OCTAVO_ACME_DIRECTORY", "http://acme.example/directory"],
    ["OCTAVO_ACME_CHALLENGE", "dns-01"],
    ["OCTAVO_ACME_EMAIL", "admin"],
    ["OCTAVO_DNS_SERVERS", "dns.example"],
    ["OCTAVO_DNS_SERVERS", "10.0.0.2:0"],
    ["OCTAVO_DNS_SERVERS", "fd00::2:99999999"],
    ["OCTAVO_BASE_URL", "https://me:hunter2@x.example"],
    ["OCTAVO_TRUST_PROXY", "10.0.0.0/99"],
    ["OCTAVO_ALLOW", "https://x.example"],
    ["OCTAVO_GITHUB_HOSTS", "https://github.corp.example"],
    ["OCTAVO_GITHUB_HOSTS", "github.corp.example:8443"],
    ["OCTAVO_GITHUB_HOSTS", "github.corp.example=https://ada:hunter2@github.corp.example"],
    ["OCTAVO_GITHUB_HOSTS", "github.corp.example=github.corp.example/api"],
    ["OCTAVO_GITHUB_HOSTS", "a.example,a.example"],
    ["OCTAVO_GITEA_HOSTS", "https://git.corp.example"],
    ["OCTAVO_GITEA_HOSTS", "git.corp.example=https://ada:hunter2@git.corp.example"],
    ["OCTAVO_GITHUB_APP_ID", "octavo app"],
    ["OCTAVO_GITHUB_APP_HOST", "https://github.com"],
    ["OCTAVO_MODEL_CONTEXT", "32k"],
    ["OCTAVO_MODEL_CONTEXT", "32768,65536"],
    ["OCTAVO_MODEL_OUTPUT", "gpt-5=4096"],
    ["OCTAVO_MODEL_EFFORT", "openai/gpt-5=hard"],
    ["OCTAVO_MODEL_PRICES", "openai/gpt-5=3"],
    ["OCTAVO_MODEL_PRICES", "$3/$15"],
    ["OCTAVO_MODEL", "gpt"],
    ["OCTAVO_MODEL", "google/../files"],
    ["OCTAVO_LOG_LEVEL", "loud"],
    ["OCTAVO_RETENTION_DAYS", "0"],
    ["OCTAVO_PROT", "4400"],
  ];
  for (const [name, value] of refused) {
    test(`refuses ${name}=${value} with a sentence that names it`, () => {
      assert.throws(
        () => load({ [name]: value }),
        (error) =>
          isOctavoError(error, "invalid_input") &&
          error.message.includes(name) &&
          /[.?]$/.test(error.message) &&
          !error.message.includes("hunter2"),
      );
    });
  }

  test("names the flag where the flag is malformed", () => {
    assert.throws(() => load({}, { baseUrl: "nowhere" }), /--base-url/);
  });

  test("requires a secret with DATABASE_URL, from one source", () => {
    const DATABASE_URL = "postgres://db/octavo";
    assert.throws(() => load({ DATABASE_URL }), /OCTAVO_SECRET/);
    assert.throws(() => load({ OCTAVO_SECRET: secret, OCTAVO_SECRET_FILE: "s" }), /both set/);
    assert.deepEqual(load({ DATABASE_URL, OCTAVO_SECRET_FILE: "s" }).secret, {
      kind: "file",
      path: "/home/ada/docs/s",
      createIfMissing: false,
    });
  });

  test("reads the database's password from a file if the address has none", () => {
    const file = { OCTAVO_SECRET: secret, DATABASE_PASSWORD_FILE: "pw" };
    assert.deepEqual(load({ ...file, DATABASE_URL: "postgres://octavo@db/octavo" }).database, {
      kind: "postgres",
      url: "postgres://octavo@db/octavo",
      directUrl: undefined,
      maxConnections: 8,
      passwordFile: "/home/ada/docs/pw",
    });
    assert.throws(
      () => load(file),
      /DATABASE_PASSWORD_FILE is set, so DATABASE_URL must also be set/,
    );
    assert.throws(
      () => load({ ...file, DATABASE_URL: "postgres://octavo:hunter2@db/octavo" }),
      (error) => isOctavoError(error, "invalid_input") && !error.message.includes("hunter2"),
    );
  });

  test("refuses a worker without the service's database", () => {
    assert.throws(() => load({ OCTAVO_ROLES: "worker" }), /Set DATABASE_URL/);
    assert.throws(() => load({ DATABASE_DIRECT_URL: "postgres://db/octavo" }), /DATABASE_URL must/);
  });

  test("ignores variables of other programs, of tests and benchmarks, and of clients", () => {
    load({ PATH: "/bin", OCTAVO_TEST_S3: "x", OCTAVO_SITES: "/sites", OCTAVO_KEY: "octavo_x" });
    load({ OCTAVO_HISTORY: "/history", OCTAVO_BENCH_DIR: "/bench" });
  });
});

test("baseUrlFor writes an address that can be opened", () => {
  assert.equal(getBaseUrl({ baseUrl: undefined, host: "127.0.0.1" }, 81), "http://127.0.0.1:81");
  assert.equal(getBaseUrl({ baseUrl: undefined, host: "::1" }, 81), "http://[::1]:81");
  assert.equal(getBaseUrl({ baseUrl: undefined, host: "0.0.0.0" }, 81), "http://localhost:81");
  assert.equal(getBaseUrl({ baseUrl: "https://a.example", host: "::" }, 81), "https://a.example");
});

describe("prepareDataFolder", () => {
  test("creates the folder for its owner only, or uses an existing one", async (t) => {
    const parent = await mkdtemp(join(tmpdir(), "octavo-data-"));
    t.after(() => rm(parent, { recursive: true }));
    const folder = join(parent, "srv", "data");
    prepareDataFolder(folder);
    prepareDataFolder(folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(folder), []);
  });

  test(
    "closes a folder to other users, and says so",
    { skip: process.platform === "win32" },
    async (t) => {
      const parent = await mkdtemp(join(tmpdir(), "octavo-data-"));
      t.after(() => rm(parent, { recursive: true }));
      const umask = process.umask();
      t.after(() => process.umask(umask));
      for (const [mode, says] of [
        [0o777, /could write to the data folder .* Replace its contents with a backup/],
        [0o770, /could write to the data folder/],
        [0o755, /could read the data folder .* Now only its owner can access it\.$/],
        [0o700, undefined],
      ] as const) {
        const folder = join(parent, mode.toString(8));
        await mkdir(folder);
        await chmod(folder, mode);
        const sentence = prepareDataFolder(folder);
        if (says) assert.match(sentence ?? "", says);
        else assert.equal(sentence, undefined);
        assert.equal((await stat(folder)).mode & 0o777, 0o700);
      }
    },
  );

  test("has this process create files for its owner only", async (t) => {
    const parent = await mkdtemp(join(tmpdir(), "octavo-data-"));
    t.after(() => rm(parent, { recursive: true }));
    const umask = process.umask();
    t.after(() => process.umask(umask));
    prepareDataFolder(join(parent, "data"));
    await writeFile(join(parent, "file"), "", { mode: 0o666 });
    assert.equal((await stat(join(parent, "file"))).mode & 0o777, 0o600);
  });

  test("says why a folder cannot be used", async (t) => {
    const parent = await mkdtemp(join(tmpdir(), "octavo-data-"));
    t.after(() => rm(parent, { recursive: true }));
    const file = join(parent, "file");
    await writeFile(file, "");
    const refused: [folder: string, says: RegExp][] = [
      [file, /is a file, not a folder/],
      [join(file, "data"), /cannot be created: a part of the path is a file/],
    ];
    if (process.platform === "linux") {
      refused.push([
        "/proc/octavo/data",
        /cannot be created: this file system does not accept new files/,
      ]);
      refused.push(["/proc", /cannot be written: this file system does not accept new files/]);
    }
    for (const [folder, says] of refused) assert.throws(() => prepareDataFolder(folder), says);
  });
});

describe("readSecret", () => {
  test("creates one secret, even for processes that start at once, readable only by its owner", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "octavo-secret-"));
    t.after(() => rm(folder, { recursive: true }));
    const source = { kind: "file", path: join(folder, "data", "secret"), createIfMissing: true };
    const ask = () => readSecret({ ...source, kind: "file" });
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    assert.ok(first !== undefined && first.length >= 32);
    assert.deepEqual(others, [first, first]);
    assert.equal((await readFile(source.path, "utf8")).trim(), first);
    assert.equal((await stat(source.path)).mode & 0o777, 0o600);
  });

  test("refuses a file that is missing or too short", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "octavo-secret-"));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, "secret");
    const ask = () => readSecret({ kind: "file", path, createIfMissing: false });
    await assert.rejects(ask, /does not exist/);
    await writeFile(path, "short");
    await assert.rejects(ask, /shorter than 16/);
  });
});

test("readDatabaseUrls adds the password from a file, whatever its characters", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "octavo-password-"));
  t.after(() => rm(folder, { recursive: true }));
  const passwordFile = join(folder, "password");
  const source = {
    url: "postgres://octavo@pooler:6432/octavo?sslmode=require",
    directUrl: "postgres://octavo@db:5432/octavo",
    passwordFile,
  };
  const { url, directUrl } = source;
  const unchanged = await readDatabaseUrls({ ...source, passwordFile: undefined });
  assert.deepEqual(unchanged, { url, directUrl });
  await assert.rejects(readDatabaseUrls(source), /cannot be read/);
  await writeFile(passwordFile, "\n");
  await assert.rejects(readDatabaseUrls(source), /is empty/);
  const password = "p@ss:w/rd?#%41[é";
  await writeFile(passwordFile, `${password}\n`);
  const read = await readDatabaseUrls(source);
  for (const [text = "", given] of [
    [read.url, url],
    [read.directUrl, directUrl],
  ]) {
    const full = new URL(text);
    assert.equal(decodeURIComponent(full.password), password);
    full.password = "";
    assert.equal(full.href, given);
  }
  const ofSocket = { ...source, directUrl: "postgres:///octavo?host=/run/postgresql" };
  await assert.rejects(
    readDatabaseUrls(ofSocket),
    (error) =>
      isOctavoError(error) &&
      /DATABASE_DIRECT_URL names no host/.test(error.message) &&
      !error.message.includes("w/rd"),
  );
});

test("readGitHubApp accepts a key from GitHub, and says what is not one", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "octavo-app-"));
  t.after(() => rm(folder, { recursive: true }));
  const keyFile = join(folder, "app.pem");
  const source = { host: "github.com", appId: "12", keyFile };
  await assert.rejects(readGitHubApp(source), /OCTAVO_GITHUB_APP_KEY_FILE .* cannot be read/);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const privateKey = rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  await writeFile(keyFile, privateKey);
  assert.deepEqual(await readGitHubApp(source), { host: "github.com", appId: "12", privateKey });
  const { privateKey: other } = generateKeyPairSync("ed25519");
  const wrong = ["hunter2", other.export({ type: "pkcs8", format: "pem" }).toString()];
  for (const text of [...wrong, rsa.publicKey.export({ type: "spki", format: "pem" }).toString()]) {
    await writeFile(keyFile, text);
    await assert.rejects(
      readGitHubApp(source),
      (error) =>
        isOctavoError(error, "invalid_input") &&
        /OCTAVO_GITHUB_APP_KEY_FILE .* not the App's private key/.test(error.message) &&
        !error.message.includes("hunter2"),
    );
  }
});
