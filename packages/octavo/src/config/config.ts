import { dirname, isAbsolute, join, resolve } from "node:path";
import { availableParallelism } from "node:os";
import { OctavoError } from "@octavo/site/core";
import { parseAllowList, parseRemoteHosts } from "../core/index.ts";
import type {
  AllowList,
  MemberRole,
  ModelEffort,
  ModelList,
  ModelPrice,
  PerModel,
  Quotas,
  RemoteHosts,
} from "../core/index.ts";
import {
  gatherSettings,
  listSettings,
  malformedSetting,
  refuseUnknownVariables,
} from "./given-settings.ts";
import type { ConfigInput, SettingInForce } from "./given-settings.ts";
import { settingsSchema } from "./settings.ts";
import type { LogLevel, RemoteMediaSetting, Role, Settings } from "./settings.ts";

/** Every setting of the operator, validated. Frozen: the whole process uses the same values. */
export interface Config {
  /** 0 picks a free port. */
  readonly port: number;
  readonly host: string;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly database:
    | { readonly kind: "embedded"; readonly folder: string }
    | ({ readonly kind: "postgres"; readonly maxConnections: number } & PostgresSource);
  readonly storage:
    | { readonly kind: "fs"; readonly folder: string }
    | ({ readonly kind: "s3" } & S3Bucket);
  readonly roles: readonly Role[];
  readonly work: {
    /** How often a worker looks for jobs that no notification announced. */
    readonly pollMs: number;
    /** Jobs that one node runs at the same time. */
    readonly exportSlots: number;
    readonly agentSlots: number;
    readonly webhookSlots: number;
  };
  /** What organisations may use, by their plans. */
  readonly quotas: Quotas;
  /** What one attempt of an export may use: time, and CPU and memory of what renders its pages. */
  readonly exportBudget: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly memoryBytes: number;
  };
  /** With less free space on its disks a node takes no new work, and its jobs wait. */
  readonly minFreeBytes: number;
  readonly secret: SecretSource;
  /** Without a trailing slash; undefined means it follows from host and port (see `baseUrlFor`). */
  readonly baseUrl: string | undefined;
  /** The origin of previews, if they have one of their own. */
  readonly previewUrl: string | undefined;
  /** The provider that people sign in with, if there is one. */
  readonly openId: OpenIdSettings | undefined;
  /** Addresses and ranges of proxies whose forwarding headers are trusted; empty means none. */
  readonly trustedProxies: readonly string[];
  /** What `/metrics` asks for; undefined lets everybody read it. */
  readonly metricsToken: string | undefined;
  readonly allow: AllowList;
  readonly remoteHosts: RemoteHosts;
  readonly remoteMedia: RemoteMediaSetting;
  readonly github: {
    /** Enterprise servers: the API's address by host. */
    readonly apiUrls: ReadonlyMap<string, string>;
    /** Used for projects without a token of their own. */
    readonly app: GitHubAppSource | undefined;
  };
  /** `provider/model`. */
  readonly model: string;
  /** Those that projects may choose. */
  readonly allowedModels: ModelList;
  readonly models: {
    /** Keys and addresses of model providers, by the provider's name. */
    readonly keys: Readonly<Partial<Record<ModelProvider, string | undefined>>>;
    readonly baseUrls: Readonly<Partial<Record<ModelProvider, string | undefined>>>;
    /** What models can read and write in one call, in place of what is known of them. */
    readonly contextTokens: PerModel<number> | undefined;
    readonly outputTokens: PerModel<number> | undefined;
    readonly effort: PerModel<ModelEffort> | undefined;
    readonly prices: PerModel<ModelPrice> | undefined;
  };
  readonly agent: {
    /** Model replies in one turn. */
    readonly steps: number;
    /** Input and output, over all turns of a job. */
    readonly tokens: number;
    /** Input and output, over all jobs of a project in a day (UTC). */
    readonly tokensPerDay: number;
    /** For one turn. */
    readonly timeMs: number;
    /** In one turn. */
    readonly changedFiles: number;
  };
  readonly logLevel: LogLevel;
  readonly bundleLinkSeconds: number;
  readonly retentionDays: number;
  readonly auditDays: number;
  /** What the values above come from, for the operator to read. */
  readonly settings: readonly SettingInForce[];
}

/** The server of a GitHub App unless OCTAVO_GITHUB_APP_HOST names another. */
const publicGitHub = "github.com";

type ModelProvider = "anthropic" | "openai" | "google" | "ollama" | "compatible";

/** Where the secret is; `readSecret` reads it. */
export type SecretSource =
  | { readonly kind: "given"; readonly value: string }
  | { readonly kind: "file"; readonly path: string; readonly createIfMissing: boolean };

/** Where PostgreSQL is; `readDatabaseUrls` adds the password that lies in a file. */
export interface PostgresSource {
  readonly url: string;
  /** The server's own address, where `url` leads to a pooler. */
  readonly directUrl: string | undefined;
  /** Absolute path; undefined where the address holds the password or none is needed. */
  readonly passwordFile: string | undefined;
}

/** A bucket; the SDK finds the credentials for it. */
interface S3Bucket {
  readonly bucket: string;
  /** Without slashes at its ends; empty for none. */
  readonly prefix: string;
  /** Undefined leaves it to the SDK, as for the region. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether addresses name the bucket in their path. */
  readonly isPathStyle: boolean;
  /** Whether links to bundles lead on to the bucket. */
  readonly hasDirectLinks: boolean;
}

/** A GitHub App, and where its private key lies; `readGitHubApp` fetches it. */
export interface GitHubAppSource {
  /** The server that the App is registered on. */
  readonly host: string;
  readonly appId: string;
  /** Absolute path. */
  readonly keyFile: string;
}

/** A provider of OpenID Connect, and whom it makes a member. */
interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people know it by. */
  readonly name: string;
  /** Requested besides `openid`. */
  readonly scope: string;
  /** Roles by the names of groups. */
  readonly groups: ReadonlyMap<string, MemberRole>;
  /** Roles by the domains of verified e-mail addresses. */
  readonly domains: ReadonlyMap<string, MemberRole>;
}

/** Jobs that one node runs at the same time. */
interface WorkSlots {
  readonly exportSlots: number;
  readonly agentSlots: number;
}

/**
 * Validates flags and environment (flags take precedence); reads no file. Throws `invalid_input` with the name
 * of a malformed or unknown setting; messages never contain the value of a secret setting.
 */
export function loadConfig({ env, flags = {}, cwd }: ConfigInput): Config {
  refuseUnknownVariables(env);
  const given = gatherSettings(env, flags);
  const result = settingsSchema.safeParse(given.values);
  if (!result.success) throw malformedSetting(result.error.issues[0], given);
  const values = result.data;
  const startFolder = invocationFolder(env, cwd);
  const dataFolder = resolve(startFolder, values.OCTAVO_DATA);
  return Object.freeze({
    port: values.OCTAVO_PORT,
    host: values.OCTAVO_HOST,
    dataFolder,
    database: databaseOf(values, { startFolder, dataFolder }),
    storage: storageOf(values, dataFolder),
    roles: values.OCTAVO_ROLES,
    work: {
      pollMs: values.OCTAVO_POLL_SECONDS * 1_000,
      ...slotsOf(values),
      webhookSlots: values.OCTAVO_WEBHOOK_SLOTS,
    },
    quotas: values.OCTAVO_QUOTAS,
    exportBudget: {
      wallMs: values.OCTAVO_EXPORT_MINUTES * 60_000,
      cpuMs: values.OCTAVO_EXPORT_CPU_MINUTES * 60_000,
      memoryBytes: values.OCTAVO_EXPORT_MEMORY_MB * 1e6,
    },
    minFreeBytes: values.OCTAVO_MIN_FREE_MB * 1_000_000,
    secret: secretSourceOf(values, { startFolder, dataFolder }),
    baseUrl: values.OCTAVO_BASE_URL,
    previewUrl: values.OCTAVO_PREVIEW_URL,
    openId: openIdOf(values),
    trustedProxies: values.OCTAVO_TRUST_PROXY,
    metricsToken: values.OCTAVO_METRICS_TOKEN,
    allow: parseAllowList(values.OCTAVO_ALLOW),
    remoteHosts: parseRemoteHosts(values.OCTAVO_REMOTE_HOSTS),
    remoteMedia: values.OCTAVO_REMOTE_MEDIA,
    github: { apiUrls: values.OCTAVO_GITHUB_HOSTS, app: gitHubAppOf(values, startFolder) },
    model: values.OCTAVO_MODEL,
    allowedModels: values.OCTAVO_MODELS,
    models: modelsOf(values),
    agent: {
      steps: values.OCTAVO_AGENT_STEPS,
      tokens: values.OCTAVO_AGENT_TOKENS,
      tokensPerDay: values.OCTAVO_AGENT_DAY_TOKENS,
      timeMs: values.OCTAVO_AGENT_MINUTES * 60_000,
      changedFiles: values.OCTAVO_AGENT_FILES,
    },
    logLevel: values.OCTAVO_LOG_LEVEL,
    bundleLinkSeconds: values.OCTAVO_BUNDLE_LINK_MINUTES * 60,
    retentionDays: values.OCTAVO_RETENTION_DAYS,
    auditDays: values.OCTAVO_AUDIT_DAYS,
    settings: listSettings(given),
  } satisfies Config);
}

/** The service's address as clients see it, without a trailing slash. `port` is the bound port. */
export function baseUrlFor(config: Pick<Config, "baseUrl" | "host">, port: number): string {
  if (config.baseUrl !== undefined) return config.baseUrl;
  const isEverywhere = ["0.0.0.0", "::", "[::]"].includes(config.host);
  const host = isEverywhere ? "localhost" : config.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function modelsOf(values: Settings): Config["models"] {
  return {
    contextTokens: values.OCTAVO_MODEL_CONTEXT,
    outputTokens: values.OCTAVO_MODEL_OUTPUT,
    effort: values.OCTAVO_MODEL_EFFORT,
    prices: values.OCTAVO_MODEL_PRICES,
    keys: {
      anthropic: values.ANTHROPIC_API_KEY,
      openai: values.OPENAI_API_KEY,
      google: values.GOOGLE_GENERATIVE_AI_API_KEY,
      ollama: values.OLLAMA_API_KEY,
      compatible: values.OCTAVO_MODEL_KEY,
    },
    baseUrls: {
      anthropic: values.ANTHROPIC_BASE_URL,
      openai: values.OPENAI_BASE_URL,
      google: values.GOOGLE_GENERATIVE_AI_BASE_URL,
      ollama: values.OLLAMA_BASE_URL,
      compatible: values.OCTAVO_MODEL_URL,
    },
  };
}

function databaseOf(
  values: Settings,
  { startFolder, dataFolder }: { startFolder: string; dataFolder: string },
): Config["database"] {
  const {
    DATABASE_URL: url,
    DATABASE_PASSWORD_FILE: file,
    DATABASE_DIRECT_URL: directUrl,
    OCTAVO_DATABASE_POOL: maxConnections = connectionsFor(values),
  } = values;
  if (url === undefined) {
    if (file !== undefined) throw incomplete("DATABASE_PASSWORD_FILE", "DATABASE_URL");
    if (directUrl !== undefined) throw incomplete("DATABASE_DIRECT_URL", "DATABASE_URL");
    if (!values.OCTAVO_ROLES.includes("api")) throw withoutDatabase();
    return { kind: "embedded", folder: join(dataFolder, "database") };
  }
  const passwordFile = file === undefined ? undefined : resolve(startFolder, file);
  if (passwordFile !== undefined && new URL(url).password !== "") {
    throw new OctavoError(
      "invalid_input",
      "DATABASE_URL holds a password, and DATABASE_PASSWORD_FILE is set; keep one of them.",
    );
  }
  return { kind: "postgres", url, directUrl, passwordFile, maxConnections };
}

/** A worker would wait for jobs in an embedded database of its own, which nobody else can write to. */
function withoutDatabase(): OctavoError {
  return new OctavoError(
    "invalid_input",
    "A worker needs the database of the service whose jobs it runs: set DATABASE_URL to its PostgreSQL. " +
      "Without PostgreSQL, `octavo serve` runs the jobs itself.",
  );
}

function storageOf(values: Settings, dataFolder: string): Config["storage"] {
  const {
    OCTAVO_STORAGE: place,
    OCTAVO_S3_ENDPOINT: endpoint,
    OCTAVO_S3_REGION: region,
    OCTAVO_S3_PATH_STYLE: pathStyle = endpoint === undefined ? "off" : "on",
    OCTAVO_S3_DIRECT_LINKS: directLinks,
  } = values;
  if (place !== undefined) {
    const isPathStyle = pathStyle === "on";
    return { ...place, endpoint, region, isPathStyle, hasDirectLinks: directLinks === "on" };
  }
  if (endpoint !== undefined) {
    throw new OctavoError(
      "invalid_input",
      "OCTAVO_S3_ENDPOINT is set, so OCTAVO_STORAGE must name a bucket, s3://bucket/prefix.",
    );
  }
  return { kind: "fs", folder: join(dataFolder, "storage") };
}

function secretSourceOf(
  values: Settings,
  { startFolder, dataFolder }: { startFolder: string; dataFolder: string },
): SecretSource {
  if (values.OCTAVO_SECRET !== undefined && values.OCTAVO_SECRET_FILE !== undefined) {
    throw new OctavoError(
      "invalid_input",
      "OCTAVO_SECRET and OCTAVO_SECRET_FILE are both set; keep one of them.",
    );
  }
  if (values.OCTAVO_SECRET !== undefined) return { kind: "given", value: values.OCTAVO_SECRET };
  if (values.OCTAVO_SECRET_FILE !== undefined) {
    const path = resolve(startFolder, values.OCTAVO_SECRET_FILE);
    return { kind: "file", path, createIfMissing: false };
  }
  if (values.DATABASE_URL !== undefined) {
    // Otherwise each node would generate its own secret and could not read what another node encrypted.
    throw new OctavoError(
      "invalid_input",
      "DATABASE_URL is set, so OCTAVO_SECRET or OCTAVO_SECRET_FILE must be too: every node that shares the " +
        "database needs the same secret. Generate one with `openssl rand -hex 32`.",
    );
  }
  return { kind: "file", path: join(dataFolder, "secret"), createIfMissing: true };
}

function gitHubAppOf(values: Settings, startFolder: string): GitHubAppSource | undefined {
  const {
    OCTAVO_GITHUB_HOSTS: hosts,
    OCTAVO_GITHUB_APP_ID: appId,
    OCTAVO_GITHUB_APP_KEY_FILE: keyFile,
    OCTAVO_GITHUB_APP_HOST: host = publicGitHub,
  } = values;
  if (appId === undefined && keyFile === undefined) {
    if (values.OCTAVO_GITHUB_APP_HOST === undefined) return undefined;
    throw incomplete("OCTAVO_GITHUB_APP_HOST", "OCTAVO_GITHUB_APP_ID");
  }
  if (appId === undefined) throw incomplete("OCTAVO_GITHUB_APP_KEY_FILE", "OCTAVO_GITHUB_APP_ID");
  if (keyFile === undefined) throw incomplete("OCTAVO_GITHUB_APP_ID", "OCTAVO_GITHUB_APP_KEY_FILE");
  if (host !== publicGitHub && !hosts.has(host)) {
    throw new OctavoError(
      "invalid_input",
      `OCTAVO_GITHUB_APP_HOST names ${host}, which is neither ${publicGitHub} nor in OCTAVO_GITHUB_HOSTS; add it there.`,
    );
  }
  return { host, appId, keyFile: resolve(startFolder, keyFile) };
}

function incomplete(given: string, missing: string): OctavoError {
  return new OctavoError("invalid_input", `${given} is set, so ${missing} must be too.`);
}

/** The folder that the program was called from: npm changes to the package's folder and sets INIT_CWD to the original one. */
export function invocationFolder(env: ConfigInput["env"], cwd: string): string {
  const { INIT_CWD: startFolder, npm_package_json: manifest } = env;
  const isMovedByNpm = manifest !== undefined && dirname(manifest) === cwd;
  return startFolder !== undefined && isAbsolute(startFolder) && isMovedByNpm ? startFolder : cwd;
}

/** Undefined without a provider. Throws `invalid_input` if a part is missing. */
function openIdOf(values: Settings): OpenIdSettings | undefined {
  const { OCTAVO_OIDC_ISSUER: issuer } = values;
  const { OCTAVO_OIDC_CLIENT_ID: clientId, OCTAVO_OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  const given = {
    OCTAVO_OIDC_ISSUER: issuer,
    OCTAVO_OIDC_CLIENT_ID: clientId,
    OCTAVO_OIDC_CLIENT_SECRET: clientSecret,
  };
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : name));
    throw new OctavoError(
      "invalid_input",
      `Sign-in with a provider needs ${missing.join(" and ")} too: set all three, or none.`,
    );
  }
  return {
    issuer,
    clientId,
    clientSecret,
    name: values.OCTAVO_OIDC_NAME ?? new URL(issuer).host,
    scope: values.OCTAVO_OIDC_SCOPE,
    groups: values.OCTAVO_OIDC_GROUPS,
    domains: lowerCased(values.OCTAVO_OIDC_DOMAINS),
  };
}

function lowerCased(map: ReadonlyMap<string, MemberRole>): ReadonlyMap<string, MemberRole> {
  return new Map([...map].map(([name, role]) => [name.toLowerCase(), role]));
}

/** An export uses what cores it gets; an agent job mostly waits for its model. */
function slotsOf(values: Settings): WorkSlots {
  const cores = availableParallelism();
  return {
    exportSlots: values.OCTAVO_EXPORT_SLOTS ?? Math.max(2, Math.floor(cores / 2)),
    agentSlots: values.OCTAVO_AGENT_SLOTS ?? Math.max(4, 2 * cores),
  };
}

/** One for each job, and some for requests: with the least of slots ten nodes fit a server of 100 connections. */
function connectionsFor(values: Settings): number {
  const { exportSlots, agentSlots } = slotsOf(values);
  return Math.max(8, exportSlots + agentSlots + 2);
}
