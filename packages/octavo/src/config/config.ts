import { dirname, isAbsolute, join, resolve } from "node:path";
import { availableParallelism } from "node:os";
import { OctavoError } from "@octavo/site/core";
import { isHostWithin, parseAllowList, parseRemoteHosts, toHostName } from "../core/index.ts";
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
  collectSettings,
  listSettings,
  createSettingError,
  refuseUnknownVariables,
} from "./given-settings.ts";
import type { ConfigInput, EffectiveSetting } from "./given-settings.ts";
import { settingsSchema } from "./settings.ts";
import type { LogLevel, RemoteMediaSetting, Role, Settings } from "./settings.ts";

/** All of the operator's settings, validated and frozen. The whole process uses the same values. */
export interface Config {
  /** The port; 0 means any free port. */
  readonly port: number;
  readonly host: string;
  /** An absolute path. */
  readonly dataFolder: string;
  readonly database:
    | { readonly kind: "embedded"; readonly folder: string }
    | ({ readonly kind: "postgres"; readonly maxConnections: number } & PostgresSource);
  readonly storage:
    | { readonly kind: "fs"; readonly folder: string }
    | ({ readonly kind: "s3" } & S3Bucket);
  readonly roles: readonly Role[];
  readonly work: {
    /** The interval, in milliseconds, at which a worker polls for jobs if it receives no notification. */
    readonly pollIntervalMs: number;
    /** The interval, in milliseconds, at which external repositories are polled for new commits; 0 means never. */
    readonly repositoryPollIntervalMs: number;
    /** The number of jobs that one node runs at the same time. */
    readonly exportSlots: number;
    readonly agentSlots: number;
    readonly webhookSlots: number;
  };
  /** The quotas of organizations, keyed by plan. */
  readonly quotas: Quotas;
  /**
   * The limits of one attempt at an export: its time, and the CPU time and memory of the process that renders its
   * pages.
   */
  readonly exportBudget: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly memoryBytes: number;
  };
  /**
   * The minimum free space on a node's disks. With less free space, the node accepts no new work, and its jobs wait.
   */
  readonly minFreeBytes: number;
  readonly secret: SecretSource;
  /**
   * The external address, without a trailing slash. If undefined, it is derived from the host and port (see
   * `getBaseUrl`).
   */
  readonly baseUrl: string | undefined;
  /** The origin of previews, if they have a separate origin. */
  readonly previewUrl: string | undefined;
  readonly sites: {
    /**
     * The domain whose subdomains are the sites' hosts. If undefined, the domain is `localhost` with the server's port.
     */
    readonly domain: { readonly name: string; readonly port: number | undefined } | undefined;
    /** The maximum total size of the bundle copies that a node caches to serve sites. */
    readonly maxCacheBytes: number;
    /**
     * Addresses of the DNS servers that are queried to verify domains. If the list is empty, the system's servers are
     * queried.
     */
    readonly dnsServers: readonly string[];
  };
  /** The ACME settings with which the node obtains certificates; undefined if a proxy has the certificates. */
  readonly acme:
    | {
        readonly port: number;
        readonly directoryUrl: string;
        /** The absolute path of the CA certificate with which the ACME server is verified. */
        readonly caFile: string | undefined;
        readonly challengeType: "http-01" | "tls-alpn-01";
        readonly email: string | undefined;
      }
    | undefined;
  /** The provider for sign-ins, if there is one. */
  readonly openId: OpenIdSettings | undefined;
  /** Addresses and ranges of proxies whose forwarding headers are trusted. An empty list means none. */
  readonly trustedProxies: readonly string[];
  /** The token that `/metrics` requires. If undefined, the metrics are public. */
  readonly metricsToken: string | undefined;
  readonly allow: AllowList;
  readonly remoteHosts: RemoteHosts;
  readonly remoteMedia: RemoteMediaSetting;
  readonly github: {
    /** API URLs of enterprise servers, keyed by host. */
    readonly apiUrls: ReadonlyMap<string, string>;
    /** The App that is used for projects without a token. */
    readonly app: GitHubAppSource | undefined;
  };
  readonly gitlab: {
    /** The URLs of GitLab servers, keyed by host. */
    readonly serverUrls: ReadonlyMap<string, string>;
  };
  readonly gitea: {
    /** The URLs of Gitea and Forgejo servers, keyed by host. */
    readonly serverUrls: ReadonlyMap<string, string>;
  };
  /** The default model, as `provider/model`. */
  readonly model: string;
  /** The models that projects may choose. */
  readonly allowedModels: ModelList;
  readonly models: {
    /** API keys of model providers, keyed by provider name. */
    readonly keys: Readonly<Partial<Record<ModelProvider, string | undefined>>>;
    readonly baseUrls: Readonly<Partial<Record<ModelProvider, string | undefined>>>;
    /** The number of tokens that models can read and write in one call. Overrides the known sizes. */
    readonly contextTokens: PerModel<number> | undefined;
    readonly outputTokens: PerModel<number> | undefined;
    readonly effort: PerModel<ModelEffort> | undefined;
    readonly prices: PerModel<ModelPrice> | undefined;
  };
  readonly agent: {
    /** The maximum number of model replies in one turn. */
    readonly steps: number;
    /** The maximum number of input and output tokens in all turns of a job. */
    readonly tokens: number;
    /** The maximum number of input and output tokens in all jobs of a project per day (UTC). */
    readonly tokensPerDay: number;
    /** The maximum duration of one turn, in milliseconds. */
    readonly timeMs: number;
    /** The maximum number of files changed in one turn. */
    readonly changedFiles: number;
  };
  /** The browser that renders pages for models. */
  readonly browser: BrowserSettings | undefined;
  readonly logLevel: LogLevel;
  readonly bundleLinkSeconds: number;
  readonly retentionDays: number;
  readonly auditDays: number;
  /** The settings behind these values, for display to the operator. */
  readonly settings: readonly EffectiveSetting[];
}

/** The server of a GitHub App unless OCTAVO_GITHUB_APP_HOST names a different one. */
const publicGitHub = "github.com";

type ModelProvider = "anthropic" | "openai" | "google" | "ollama" | "compatible";

/** The location of the secret. `readSecret` reads the secret. */
export type SecretSource =
  | { readonly kind: "given"; readonly value: string }
  | { readonly kind: "file"; readonly path: string; readonly createIfMissing: boolean };

/** The location of PostgreSQL. `readDatabaseUrls` adds the password from its file. */
export interface PostgresSource {
  readonly url: string;
  /** The server's own address, if `url` leads to a pooler. */
  readonly directUrl: string | undefined;
  /** An absolute path. Undefined if the address contains the password or no password is needed. */
  readonly passwordFile: string | undefined;
}

/** An S3 bucket. The AWS SDK finds the credentials. */
interface S3Bucket {
  readonly bucket: string;
  /** The prefix without leading and trailing slashes. An empty string means no prefix. */
  readonly prefix: string;
  /** The address of the S3 API. If undefined, the SDK chooses it; the same applies to the region. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether URLs contain the bucket in their path. */
  readonly isPathStyle: boolean;
  /** Whether links to bundles redirect to the bucket. */
  readonly hasDirectLinks: boolean;
}

/** A GitHub App and the location of its private key. `readGitHubApp` reads the key. */
export interface GitHubAppSource {
  /** The server on which the App is registered. */
  readonly host: string;
  readonly appId: string;
  /** An absolute path. */
  readonly keyFile: string;
}

interface BrowserSettings {
  /** The absolute path of the browser. */
  readonly program: string;
  /**
   * The only environment variables that the browser receives. It needs them to find programs, libraries and fonts. None
   * of the variables is secret.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** An OpenID Connect provider and the rules for membership. */
interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The provider's display name. */
  readonly name: string;
  /** The scopes that are requested in addition to `openid`. */
  readonly scope: string;
  /** Roles, keyed by group name. */
  readonly groups: ReadonlyMap<string, MemberRole>;
  /** Roles, keyed by the domain of a verified email address. */
  readonly domains: ReadonlyMap<string, MemberRole>;
}

/** The number of jobs that one node runs at the same time. */
interface WorkSlots {
  readonly exportSlots: number;
  readonly agentSlots: number;
}

/**
 * Validates flags and environment variables without reading files. Flags take precedence. Throws an `invalid_input`
 * error that names a malformed or unknown setting. Messages never contain the value of a secret setting.
 */
export function loadConfig({ env, flags = {}, cwd }: ConfigInput): Config {
  refuseUnknownVariables(env);
  const given = collectSettings(env, flags);
  const result = settingsSchema.safeParse(given.values);
  if (!result.success) throw createSettingError(result.error.issues[0], given);
  const values = result.data;
  const startFolder = getInvocationFolder(env, cwd);
  const dataFolder = resolve(startFolder, values.OCTAVO_DATA);
  return Object.freeze({
    port: values.OCTAVO_PORT,
    host: values.OCTAVO_HOST,
    dataFolder,
    database: readDatabase(values, { startFolder, dataFolder }),
    storage: readStorage(values, dataFolder),
    roles: values.OCTAVO_ROLES,
    work: {
      pollIntervalMs: values.OCTAVO_POLL_SECONDS * 1_000,
      repositoryPollIntervalMs: values.OCTAVO_REPOSITORY_POLL_MINUTES * 60_000,
      ...getWorkSlots(values),
      webhookSlots: values.OCTAVO_WEBHOOK_SLOTS,
    },
    quotas: values.OCTAVO_QUOTAS,
    exportBudget: {
      wallMs: values.OCTAVO_EXPORT_MINUTES * 60_000,
      cpuMs: values.OCTAVO_EXPORT_CPU_MINUTES * 60_000,
      memoryBytes: values.OCTAVO_EXPORT_MEMORY_MB * 1e6,
    },
    minFreeBytes: values.OCTAVO_MIN_FREE_MB * 1_000_000,
    secret: readSecretSource(values, { startFolder, dataFolder }),
    baseUrl: values.OCTAVO_BASE_URL,
    previewUrl: values.OCTAVO_PREVIEW_URL,
    sites: {
      domain: readSitesDomain(values),
      maxCacheBytes: values.OCTAVO_SITES_CACHE_MB * 1_000_000,
      dnsServers: values.OCTAVO_DNS_SERVERS,
    },
    acme: readAcmeSettings(values, startFolder),
    openId: readOpenIdSettings(values),
    trustedProxies: values.OCTAVO_TRUST_PROXY,
    metricsToken: values.OCTAVO_METRICS_TOKEN,
    allow: parseAllowList(values.OCTAVO_ALLOW),
    remoteHosts: parseRemoteHosts(values.OCTAVO_REMOTE_HOSTS),
    remoteMedia: values.OCTAVO_REMOTE_MEDIA,
    github: { apiUrls: values.OCTAVO_GITHUB_HOSTS, app: readGitHubAppSource(values, startFolder) },
    gitlab: { serverUrls: values.OCTAVO_GITLAB_HOSTS },
    gitea: { serverUrls: values.OCTAVO_GITEA_HOSTS },
    model: values.OCTAVO_MODEL,
    allowedModels: values.OCTAVO_MODELS,
    models: readModels(values),
    agent: {
      steps: values.OCTAVO_AGENT_STEPS,
      tokens: values.OCTAVO_AGENT_TOKENS,
      tokensPerDay: values.OCTAVO_AGENT_DAY_TOKENS,
      timeMs: values.OCTAVO_AGENT_MINUTES * 60_000,
      changedFiles: values.OCTAVO_AGENT_FILES,
    },
    browser: readBrowser(values, env),
    logLevel: values.OCTAVO_LOG_LEVEL,
    bundleLinkSeconds: values.OCTAVO_BUNDLE_LINK_MINUTES * 60,
    retentionDays: values.OCTAVO_RETENTION_DAYS,
    auditDays: values.OCTAVO_AUDIT_DAYS,
    settings: listSettings(given),
  } satisfies Config);
}

function readBrowser(
  { OCTAVO_BROWSER: program }: Settings,
  env: ConfigInput["env"],
): BrowserSettings | undefined {
  if (program === undefined) return undefined;
  const names = ["PATH", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "LANG"];
  return { program, environment: Object.fromEntries(names.map((name) => [name, env[name]])) };
}

/** Returns the service's URL for clients, without a trailing slash. `port` is the bound port. */
export function getBaseUrl(config: Pick<Config, "baseUrl" | "host">, port: number): string {
  if (config.baseUrl !== undefined) return config.baseUrl;
  const bindsAllInterfaces = ["0.0.0.0", "::", "[::]"].includes(config.host);
  const host = bindsAllInterfaces ? "localhost" : config.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the host names that the operator has set for the dashboard, the API and previews. */
export function getOwnHosts({
  baseUrl,
  previewUrl,
}: Pick<Config, "baseUrl" | "previewUrl">): readonly string[] {
  return [baseUrl, previewUrl].flatMap((url) => URL.parse(url ?? "")?.hostname ?? []);
}

/** Returns the domain whose subdomains are the sites' hosts. `port` is the bound port. */
export function getSitesDomain(
  { sites, baseUrl, acme }: Pick<Config, "sites" | "baseUrl" | "acme">,
  port: number,
): {
  readonly protocol: "http:" | "https:";
  readonly name: string;
  readonly port: number | undefined;
} {
  // Without a domain, sites are available only on this machine, where no proxy serves them.
  if (!sites.domain) {
    return { protocol: "http:", name: "localhost", port: port === 80 ? undefined : port };
  }
  const isSecure = acme !== undefined || baseUrl?.startsWith("https:") === true;
  return { protocol: isSecure ? "https:" : "http:", ...sites.domain };
}

/**
 * Throws `invalid_input` if the dashboard's host and the sites' domain are equal or one is a subdomain of the other,
 * because their cookies must be kept separate.
 */
function readSitesDomain(values: Settings): Config["sites"]["domain"] {
  const { OCTAVO_SITES_DOMAIN: domain, OCTAVO_BASE_URL: baseUrl } = values;
  if (domain === undefined || baseUrl === undefined) return domain;
  const dashboard = new URL(baseUrl).hostname;
  const { name } = domain;
  if (!isHostWithin(name, dashboard) && !isHostWithin(dashboard, name)) return domain;
  throw new OctavoError(
    "invalid_input",
    `OCTAVO_SITES_DOMAIN is ${name}, but the dashboard is at ${dashboard} (OCTAVO_BASE_URL). They must differ, and ` +
      "neither may be a subdomain of the other: sites must never receive the dashboard's cookies. Choose a separate domain, such as " +
      "example-sites.com.",
  );
}

function readAcmeSettings(values: Settings, startFolder: string): Config["acme"] {
  if (values.OCTAVO_TLS === "off") return undefined;
  if (values.OCTAVO_SITES_DOMAIN === undefined)
    throw createMissingSettingError("OCTAVO_TLS", "OCTAVO_SITES_DOMAIN");
  const { OCTAVO_ACME_CA_FILE: caFile } = values;
  return {
    port: values.OCTAVO_TLS_PORT,
    directoryUrl: values.OCTAVO_ACME_DIRECTORY,
    caFile: caFile === undefined ? undefined : resolve(startFolder, caFile),
    challengeType: values.OCTAVO_ACME_CHALLENGE,
    email: values.OCTAVO_ACME_EMAIL,
  };
}

function readModels(values: Settings): Config["models"] {
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

function readDatabase(
  values: Settings,
  { startFolder, dataFolder }: { startFolder: string; dataFolder: string },
): Config["database"] {
  const {
    DATABASE_URL: url,
    DATABASE_PASSWORD_FILE: file,
    DATABASE_DIRECT_URL: directUrl,
    OCTAVO_DATABASE_POOL: maxConnections = computeMaxConnections(values),
  } = values;
  if (url === undefined) {
    if (file !== undefined)
      throw createMissingSettingError("DATABASE_PASSWORD_FILE", "DATABASE_URL");
    if (directUrl !== undefined)
      throw createMissingSettingError("DATABASE_DIRECT_URL", "DATABASE_URL");
    if (!values.OCTAVO_ROLES.includes("api")) throw createMissingDatabaseError();
    return { kind: "embedded", folder: join(dataFolder, "database") };
  }
  const passwordFile = file === undefined ? undefined : resolve(startFolder, file);
  if (passwordFile !== undefined && new URL(url).password !== "") {
    throw new OctavoError(
      "invalid_input",
      "DATABASE_URL contains a password, but DATABASE_PASSWORD_FILE is also set. Keep only one of them.",
    );
  }
  return { kind: "postgres", url, directUrl, passwordFile, maxConnections };
}

/**
 * Creates the error for a worker without PostgreSQL. Such a worker would wait for jobs in its own embedded database, to
 * which no other process can write.
 */
function createMissingDatabaseError(): OctavoError {
  return new OctavoError(
    "invalid_input",
    "A worker needs the database of the service whose jobs it runs. Set DATABASE_URL to the service's PostgreSQL. " +
      "Without PostgreSQL, `octavo serve` runs the jobs itself.",
  );
}

function readStorage(values: Settings, dataFolder: string): Config["storage"] {
  const {
    OCTAVO_STORAGE: bucket,
    OCTAVO_S3_ENDPOINT: endpoint,
    OCTAVO_S3_REGION: region,
    OCTAVO_S3_PATH_STYLE: pathStyle = endpoint === undefined ? "off" : "on",
    OCTAVO_S3_DIRECT_LINKS: directLinks,
  } = values;
  if (bucket !== undefined) {
    const isPathStyle = pathStyle === "on";
    return { ...bucket, endpoint, region, isPathStyle, hasDirectLinks: directLinks === "on" };
  }
  if (endpoint !== undefined) {
    throw new OctavoError(
      "invalid_input",
      "OCTAVO_S3_ENDPOINT is set, so OCTAVO_STORAGE must name a bucket, s3://bucket/prefix.",
    );
  }
  return { kind: "fs", folder: join(dataFolder, "storage") };
}

function readSecretSource(
  values: Settings,
  { startFolder, dataFolder }: { startFolder: string; dataFolder: string },
): SecretSource {
  if (values.OCTAVO_SECRET !== undefined && values.OCTAVO_SECRET_FILE !== undefined) {
    throw new OctavoError(
      "invalid_input",
      "OCTAVO_SECRET and OCTAVO_SECRET_FILE are both set. Keep only one of them.",
    );
  }
  if (values.OCTAVO_SECRET !== undefined) return { kind: "given", value: values.OCTAVO_SECRET };
  if (values.OCTAVO_SECRET_FILE !== undefined) {
    const path = resolve(startFolder, values.OCTAVO_SECRET_FILE);
    return { kind: "file", path, createIfMissing: false };
  }
  if (values.DATABASE_URL !== undefined) {
    // Without this check, each node would generate its own secret and could not decrypt values that another node
    // encrypted.
    throw new OctavoError(
      "invalid_input",
      "DATABASE_URL is set, so OCTAVO_SECRET or OCTAVO_SECRET_FILE must also be set, because every node that " +
        "shares the database needs the same secret. Generate one with `openssl rand -hex 32`.",
    );
  }
  return { kind: "file", path: join(dataFolder, "secret"), createIfMissing: true };
}

function readGitHubAppSource(values: Settings, startFolder: string): GitHubAppSource | undefined {
  const {
    OCTAVO_GITHUB_HOSTS: hosts,
    OCTAVO_GITHUB_APP_ID: appId,
    OCTAVO_GITHUB_APP_KEY_FILE: keyFile,
    OCTAVO_GITHUB_APP_HOST: host = publicGitHub,
  } = values;
  if (appId === undefined && keyFile === undefined) {
    if (values.OCTAVO_GITHUB_APP_HOST === undefined) return undefined;
    throw createMissingSettingError("OCTAVO_GITHUB_APP_HOST", "OCTAVO_GITHUB_APP_ID");
  }
  if (appId === undefined)
    throw createMissingSettingError("OCTAVO_GITHUB_APP_KEY_FILE", "OCTAVO_GITHUB_APP_ID");
  if (keyFile === undefined)
    throw createMissingSettingError("OCTAVO_GITHUB_APP_ID", "OCTAVO_GITHUB_APP_KEY_FILE");
  if (host !== publicGitHub && !hosts.has(host)) {
    throw new OctavoError(
      "invalid_input",
      `OCTAVO_GITHUB_APP_HOST names ${host}, which is neither ${publicGitHub} nor in OCTAVO_GITHUB_HOSTS. Add it ` +
        "to OCTAVO_GITHUB_HOSTS.",
    );
  }
  return { host, appId, keyFile: resolve(startFolder, keyFile) };
}

function createMissingSettingError(setting: string, missing: string): OctavoError {
  return new OctavoError("invalid_input", `${setting} is set, so ${missing} must also be set.`);
}

/**
 * Returns the folder in which the program was started. npm changes to the package's folder and sets INIT_CWD to the
 * original folder.
 */
export function getInvocationFolder(env: ConfigInput["env"], cwd: string): string {
  const { INIT_CWD: startFolder, npm_package_json: manifest } = env;
  const hasNpmChangedFolder = manifest !== undefined && dirname(manifest) === cwd;
  return startFolder !== undefined && isAbsolute(startFolder) && hasNpmChangedFolder
    ? startFolder
    : cwd;
}

/**
 * Returns the settings of the sign-in provider, or undefined if no provider is set. Throws `invalid_input` if only some
 * of the required settings are set.
 */
function readOpenIdSettings(values: Settings): OpenIdSettings | undefined {
  const { OCTAVO_OIDC_ISSUER: issuer } = values;
  const { OCTAVO_OIDC_CLIENT_ID: clientId, OCTAVO_OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  const requiredSettings = {
    OCTAVO_OIDC_ISSUER: issuer,
    OCTAVO_OIDC_CLIENT_ID: clientId,
    OCTAVO_OIDC_CLIENT_SECRET: clientSecret,
  };
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const missing = Object.entries(requiredSettings).flatMap(([name, value]) =>
      value ? [] : name,
    );
    throw new OctavoError(
      "invalid_input",
      `Sign-in with a provider also requires ${missing.join(" and ")}. Set all three settings, or none.`,
    );
  }
  return {
    issuer,
    clientId,
    clientSecret,
    name: values.OCTAVO_OIDC_NAME ?? new URL(issuer).host,
    scope: values.OCTAVO_OIDC_SCOPE,
    groups: values.OCTAVO_OIDC_GROUPS,
    domains: readDomains(values.OCTAVO_OIDC_DOMAINS),
  };
}

function readDomains(map: ReadonlyMap<string, MemberRole>): ReadonlyMap<string, MemberRole> {
  const domains = [...map].map(([name, role]) => {
    const domain = toHostName(name);
    if (domain !== undefined) return [domain, role] as const;
    throw new OctavoError(
      "invalid_input",
      `OCTAVO_OIDC_DOMAINS: ${JSON.stringify(name)} is not a domain such as example.com.`,
    );
  });
  return new Map(domains);
}

/**
 * Determines how many jobs of each kind a node runs at the same time. An export uses all cores that it gets, but an
 * agent job mostly waits for its model.
 */
function getWorkSlots(values: Settings): WorkSlots {
  const cores = availableParallelism();
  return {
    exportSlots: values.OCTAVO_EXPORT_SLOTS ?? Math.max(2, Math.floor(cores / 2)),
    agentSlots: values.OCTAVO_AGENT_SLOTS ?? Math.max(4, 2 * cores),
  };
}

/**
 * Computes the maximum number of database connections: one for each job and some for requests. With the minimum number
 * of slots, a server with 100 connections is enough for ten nodes.
 */
function computeMaxConnections(values: Settings): number {
  const { exportSlots, agentSlots } = getWorkSlots(values);
  return Math.max(8, exportSlots + agentSlots + 2);
}
