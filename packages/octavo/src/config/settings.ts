import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import {
  isModelName,
  memberRoles,
  modelEfforts,
  parseAllowList,
  parseModelList,
  parseModelPrice,
  parsePerModel,
  parseQuotas,
  parseRemoteHosts,
  toHostName,
} from "../core/index.ts";
import type { MemberRole } from "../core/index.ts";

const roles = ["api", "worker", "sites"] as const;
export type Role = (typeof roles)[number];
const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The values of `OCTAVO_REMOTE_MEDIA`: how exports treat images, videos and frames from other hosts. */
const remoteMedia = ["keep", "vendor", "link"] as const;
export type RemoteMediaSetting = (typeof remoteMedia)[number];

/** Prefixes of variables that only tests and benchmarks read, but that are inherited by the programs they start. */
export const developmentPrefixes = [
  "OCTAVO_TEST_",
  "OCTAVO_BENCH_",
  "OCTAVO_SITES",
  "OCTAVO_HISTORY",
] as const;

/**
 * Variables that people set for client commands and for their own API calls. A service started in the same shell
 * inherits them.
 */
export const clientVariables = ["OCTAVO_URL", "OCTAVO_KEY"] as const;

interface Setting {
  readonly variable: keyof Settings;
  /** The flag's name in camelCase, as the command-line parser returns it. */
  readonly flag?: string;
  /** Whether the value is secret and must never appear in a message. */
  readonly isSecret?: boolean;
}

export const settings: readonly Setting[] = [
  { variable: "OCTAVO_PORT", flag: "port" },
  { variable: "OCTAVO_HOST", flag: "host" },
  { variable: "OCTAVO_DATA", flag: "data" },
  { variable: "DATABASE_URL", flag: "databaseUrl", isSecret: true },
  { variable: "DATABASE_PASSWORD_FILE" },
  { variable: "DATABASE_DIRECT_URL", isSecret: true },
  { variable: "OCTAVO_DATABASE_POOL" },
  { variable: "OCTAVO_POLL_SECONDS" },
  { variable: "OCTAVO_REPOSITORY_POLL_MINUTES" },
  { variable: "OCTAVO_EXPORT_SLOTS" },
  { variable: "OCTAVO_AGENT_SLOTS" },
  { variable: "OCTAVO_WEBHOOK_SLOTS" },
  { variable: "OCTAVO_QUOTAS" },
  { variable: "OCTAVO_EXPORT_MINUTES" },
  { variable: "OCTAVO_EXPORT_CPU_MINUTES" },
  { variable: "OCTAVO_EXPORT_MEMORY_MB" },
  { variable: "OCTAVO_STORAGE", flag: "storage" },
  { variable: "OCTAVO_MIN_FREE_MB" },
  { variable: "OCTAVO_S3_ENDPOINT", isSecret: true },
  { variable: "OCTAVO_S3_REGION" },
  { variable: "OCTAVO_S3_PATH_STYLE" },
  { variable: "OCTAVO_S3_DIRECT_LINKS" },
  { variable: "OCTAVO_ROLES", flag: "roles" },
  { variable: "OCTAVO_SECRET", isSecret: true },
  { variable: "OCTAVO_SECRET_FILE" },
  { variable: "OCTAVO_BASE_URL", flag: "baseUrl", isSecret: true },
  { variable: "OCTAVO_PREVIEW_URL", isSecret: true },
  { variable: "OCTAVO_SITES_DOMAIN" },
  { variable: "OCTAVO_SITES_CACHE_MB" },
  { variable: "OCTAVO_DNS_SERVERS" },
  { variable: "OCTAVO_TLS" },
  { variable: "OCTAVO_TLS_PORT" },
  { variable: "OCTAVO_ACME_DIRECTORY", isSecret: true },
  { variable: "OCTAVO_ACME_CA_FILE" },
  { variable: "OCTAVO_ACME_CHALLENGE" },
  { variable: "OCTAVO_ACME_EMAIL" },
  { variable: "OCTAVO_OIDC_ISSUER" },
  { variable: "OCTAVO_OIDC_CLIENT_ID" },
  { variable: "OCTAVO_OIDC_CLIENT_SECRET", isSecret: true },
  { variable: "OCTAVO_OIDC_NAME" },
  { variable: "OCTAVO_OIDC_SCOPE" },
  { variable: "OCTAVO_OIDC_GROUPS" },
  { variable: "OCTAVO_OIDC_DOMAINS" },
  { variable: "OCTAVO_TRUST_PROXY" },
  { variable: "OCTAVO_METRICS_TOKEN", isSecret: true },
  { variable: "OCTAVO_ALLOW", isSecret: true },
  { variable: "OCTAVO_REMOTE_HOSTS" },
  { variable: "OCTAVO_REMOTE_MEDIA" },
  { variable: "OCTAVO_GITHUB_HOSTS", isSecret: true },
  { variable: "OCTAVO_GITHUB_APP_ID" },
  { variable: "OCTAVO_GITHUB_APP_KEY_FILE" },
  { variable: "OCTAVO_GITHUB_APP_HOST" },
  { variable: "OCTAVO_GITLAB_HOSTS", isSecret: true },
  { variable: "OCTAVO_GITEA_HOSTS", isSecret: true },
  { variable: "OCTAVO_MODEL", flag: "model" },
  { variable: "OCTAVO_MODELS" },
  { variable: "OCTAVO_MODEL_CONTEXT" },
  { variable: "OCTAVO_MODEL_OUTPUT" },
  { variable: "OCTAVO_MODEL_EFFORT" },
  { variable: "OCTAVO_MODEL_PRICES" },
  { variable: "OCTAVO_AGENT_STEPS" },
  { variable: "OCTAVO_AGENT_TOKENS" },
  { variable: "OCTAVO_AGENT_DAY_TOKENS" },
  { variable: "OCTAVO_AGENT_MINUTES" },
  { variable: "OCTAVO_AGENT_FILES" },
  { variable: "OCTAVO_BROWSER" },
  { variable: "ANTHROPIC_API_KEY", isSecret: true },
  { variable: "ANTHROPIC_BASE_URL", isSecret: true },
  { variable: "OPENAI_API_KEY", isSecret: true },
  { variable: "OPENAI_BASE_URL", isSecret: true },
  { variable: "GOOGLE_GENERATIVE_AI_API_KEY", isSecret: true },
  { variable: "GOOGLE_GENERATIVE_AI_BASE_URL", isSecret: true },
  { variable: "OLLAMA_API_KEY", isSecret: true },
  { variable: "OLLAMA_BASE_URL", isSecret: true },
  { variable: "OCTAVO_MODEL_KEY", isSecret: true },
  { variable: "OCTAVO_MODEL_URL", isSecret: true },
  { variable: "OCTAVO_LOG_LEVEL", flag: "logLevel" },
  { variable: "OCTAVO_BUNDLE_LINK_MINUTES" },
  { variable: "OCTAVO_RETENTION_DAYS" },
  { variable: "OCTAVO_AUDIT_DAYS" },
];

const modelTokensSchema = createPerModelSchema(
  (text) => (/^[1-9]\d{2,8}$/.test(text) ? Number(text) : undefined),
  "must be a number of tokens from 100 to 999999999, or a list such as 32768,ollama/qwen3=65536",
);

const modelEffortSchema = createPerModelSchema(
  (text) => modelEfforts.find((effort) => effort === text),
  `must be one of ${modelEfforts.join(", ")}, or a list such as low,openai/gpt-5=high`,
);

const modelPricesSchema = createPerModelSchema(
  parseModelPrice,
  "must be prices in dollars per million tokens, as input/output or input/cached/output, such as " +
    "anthropic/claude-sonnet-4-5=3/0.30/15",
);

function createNumberSchema(min: number, max: number): z.ZodType<number, string> {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

const hostSchema = z
  .string()
  .regex(/^[a-zA-Z0-9.:_-]+$/, "must be an address or a host name to bind, without a port");

const databaseUrlSchema = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && ["postgres:", "postgresql:"].includes(url.protocol);
}, "must be a PostgreSQL address: postgres://user:password@host:5432/database");

const browserSchema = z
  .string()
  .refine(isAbsolute, "must be the absolute path of Chromium, such as /usr/bin/chromium");

const storageSchema = z.string().transform((text, context) => {
  if (text === "fs") return undefined;
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/.exec(text);
  if (match?.[1]) {
    const prefix = (match[2] ?? "").replace(/^\/+|\/+$/g, "");
    return { kind: "s3" as const, bucket: match[1], prefix };
  }
  context.addIssue("must be fs (the data folder) or a bucket such as s3://bucket/prefix");
  return z.NEVER;
});

const s3RegionSchema = z
  .string()
  .regex(/^[\w-]{1,40}$/, "must be the name of a region, for example eu-central-1");
const onOffSchema = z.enum(["on", "off"], "must be on or off");

const roleListSchema = z.string().transform((text, context): readonly Role[] => {
  const roleNames = splitList(text);
  const listedRoles = roles.filter((role) => roleNames.includes(role));
  if (
    listedRoles.length > 0 &&
    roleNames.every((role) => listedRoles.some((name) => name === role))
  )
    return listedRoles;
  context.addIssue("must list one or more of the roles api, worker and sites, e.g. api,worker");
  return z.NEVER;
});

/**
 * Returns the normalized form of an http or https URL, without a trailing slash. Returns undefined for other text, and
 * if the URL has a query, a fragment or credentials.
 */
function normalizePlainUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isPlain =
    url !== null && url.search === "" && url.hash === "" && url.username + url.password === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href.replace(/\/+$/, "");
}

const baseUrlSchema = createUrlSchema("https://docs-api.example.com");
const previewUrlSchema = createUrlSchema("https://previews.example.com").refine(
  (address) => URL.parse(address)?.pathname === "/",
  "must be the address of a separate origin, without a path",
);
const sitesDomainSchema = z.string().transform((text, context) => {
  const [, hostText = "", port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const name = toHostName(hostText);
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
  if (name !== undefined && isPort)
    return { name, port: port === undefined ? undefined : Number(port) };
  context.addIssue(
    "must be a host name, with a port if it is not the default one, e.g. sites.example.com",
  );
  return z.NEVER;
});
const acmeDirectorySchema = createUrlSchema("https://acme.example.com/directory").refine(
  (address) => address.startsWith("https:"),
  "must be an https address",
);
const s3EndpointSchema = createUrlSchema("https://s3.example.com");

function createUrlSchema(example: string) {
  return z.string().transform((text, context) => {
    const url = normalizePlainUrl(text);
    if (url !== undefined) return url;
    context.addIssue(
      `must be an http or https address without a user name, query or fragment, e.g. ${example}`,
    );
    return z.NEVER;
  });
}

/** Returns a host's name or address in the form that parsed repository addresses contain. */
function findHostName(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? toHostName(text) : bare;
}

/** Creates the schema for a list of hosts, each with an address, which is `path` on the host by default. */
function createHostListSchema(path: string, advice: string) {
  return z.string().transform((text, context): ReadonlyMap<string, string> => {
    const urls = new Map<string, string>();
    for (const entry of splitList(text)) {
      const [name = "", ...rest] = entry.split("=");
      const host = findHostName(name);
      const url = normalizePlainUrl(rest.length === 0 ? `https://${name}${path}` : rest.join("="));
      if (host !== undefined && url !== undefined && !urls.has(host)) {
        urls.set(host, url);
        continue;
      }
      context.addIssue(`must list hosts, each only once and without a port, ${advice}`);
      return z.NEVER;
    }
    return urls;
  });
}

const gitHubHostsSchema = createHostListSchema(
  "/api/v3",
  "with the address of the API if it is not at /api/v3, e.g. github.corp.example=https://github.corp.example/api/v3",
);

const gitServerHostsSchema = createHostListSchema(
  "",
  "with the address of the server if it is below a path, e.g. git.corp.example=https://git.corp.example/path",
);

const gitHubAppIdSchema = z
  .string()
  .regex(/^[\w.]{1,100}$/, "must be the App ID or the client ID that GitHub shows for the App");

const gitHubAppHostSchema = z.string().transform((text, context) => {
  const host = findHostName(text);
  if (host !== undefined) return host;
  context.addIssue("must be a host name without a port, e.g. github.corp.example");
  return z.NEVER;
});

const dnsServersSchema = z.string().transform((text, context): readonly string[] => {
  const servers = splitList(text);
  if (servers.every(isDnsServer)) return servers;
  context.addIssue(
    "must list addresses of DNS servers, with a port if it is not 53, e.g. 10.0.0.2 or [fd00::2]:5353",
  );
  return z.NEVER;
});

function isDnsServer(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [, address = "", port = ""] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(entry) ?? [];
  const isBracketed = entry.startsWith("[");
  return isIP(address) === (isBracketed ? 6 : 4) && Number(port) >= 1 && Number(port) <= 65_535;
}

const proxyNames = ["loopback", "linklocal", "uniquelocal"];
const proxyListSchema = z.string().transform((text, context): readonly string[] => {
  const proxies = splitList(text);
  if (proxies.every(isProxy)) return proxies;
  context.addIssue(`must list addresses or ranges of proxies, or ${proxyNames.join(", ")}`);
  return z.NEVER;
});

function isProxy(entry: string): boolean {
  if (proxyNames.includes(entry)) return true;
  const [address = "", bits = "0", ...rest] = entry.split("/");
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
}

const allowListSchema = createParsedTextSchema(parseAllowList);
const remoteHostsSchema = createParsedTextSchema(parseRemoteHosts);

function createParsedTextSchema(parse: (text: string) => unknown) {
  return z.string().superRefine((text, context) => {
    try {
      parse(text);
    } catch (error) {
      if (!isOctavoError(error)) throw error;
      context.addIssue(`cannot be read: ${error.message.replace(/\.$/, "")}`);
    }
  });
}

const modelSchema = z
  .string()
  .refine(isModelName, "must be the name of a model, provider/model, e.g. builtin/recipes");

const modelListSchema = z.string().transform((text, context) => {
  const list = parseModelList(text);
  if (list) return list;
  context.addIssue(
    "must list models, e.g. builtin/recipes,openai/*,enterprise=anthropic/* where the last entry applies only to " +
      "one plan",
  );
  return z.NEVER;
});

const quotasSchema = z.string().transform((text, context) => {
  const parsed = parseQuotas(text);
  if (parsed) return parsed;
  context.addIssue(
    "must list quotas of plans, each a whole number above 0, e.g. free.openJobs=50,enterprise.exportsPerHour=500",
  );
  return z.NEVER;
});

/**
 * The issuer is not normalized, because it must exactly equal the issuer that the provider reports, including a
 * trailing slash.
 */
const oidcIssuerSchema = z.string().refine((text) => {
  const url = URL.parse(text);
  if (normalizePlainUrl(text) === undefined || !url) return false;
  return url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
}, "must be the https address of an OpenID Connect issuer, e.g. https://login.example.com; http only on this machine");

const oidcScopeSchema = z
  .string()
  .regex(/^[\w.:/-]+( [\w.:/-]+)*$/, "must be scope names, separated by spaces");

/** Creates the schema for `name=role, ...`, which is parsed to a map of roles, keyed by name. */
function createRoleMapSchema(example: string) {
  return z.string().transform((text, context): ReadonlyMap<string, MemberRole> => {
    const map = new Map<string, MemberRole>();
    for (const entry of splitList(text)) {
      const separator = entry.lastIndexOf("=");
      const role = memberRoles.find((known) => known === entry.slice(separator + 1));
      if (separator > 0 && role) {
        map.set(entry.slice(0, separator), role);
        continue;
      }
      context.addIssue(
        `must list names, each with one of the roles ${memberRoles.join(", ")}, e.g. ${example}`,
      );
      return z.NEVER;
    }
    return map;
  });
}

const secretSchema = z
  .string()
  .min(16, "must have at least 16 characters; generate one with `openssl rand -hex 32`");

export const settingsSchema = z.object({
  OCTAVO_PORT: createNumberSchema(0, 65_535).prefault("4400"),
  OCTAVO_HOST: hostSchema.default("127.0.0.1"),
  OCTAVO_DATA: z.string().default(".octavo"),
  DATABASE_URL: databaseUrlSchema.optional(),
  DATABASE_PASSWORD_FILE: z.string().optional(),
  DATABASE_DIRECT_URL: databaseUrlSchema.optional(),
  OCTAVO_DATABASE_POOL: createNumberSchema(2, 1_000).optional(),
  OCTAVO_POLL_SECONDS: createNumberSchema(1, 60).prefault("1"),
  OCTAVO_REPOSITORY_POLL_MINUTES: createNumberSchema(0, 1_440).prefault("5"),
  OCTAVO_EXPORT_SLOTS: createNumberSchema(1, 64).optional(),
  OCTAVO_AGENT_SLOTS: createNumberSchema(1, 256).optional(),
  OCTAVO_WEBHOOK_SLOTS: createNumberSchema(1, 256).prefault("4"),
  OCTAVO_QUOTAS: quotasSchema.prefault(""),
  OCTAVO_EXPORT_MINUTES: createNumberSchema(1, 235).prefault("60"),
  OCTAVO_EXPORT_CPU_MINUTES: createNumberSchema(1, 100_000).prefault("240"),
  OCTAVO_EXPORT_MEMORY_MB: createNumberSchema(100, 100_000_000).prefault("8000"),
  OCTAVO_STORAGE: storageSchema.prefault("fs"),
  OCTAVO_MIN_FREE_MB: createNumberSchema(0, 100_000_000).prefault("100"),
  OCTAVO_S3_ENDPOINT: s3EndpointSchema.optional(),
  OCTAVO_S3_REGION: s3RegionSchema.optional(),
  OCTAVO_S3_PATH_STYLE: onOffSchema.optional(),
  OCTAVO_S3_DIRECT_LINKS: onOffSchema.default("off"),
  OCTAVO_ROLES: roleListSchema.prefault("api,worker,sites"),
  OCTAVO_SECRET: secretSchema.optional(),
  OCTAVO_SECRET_FILE: z.string().optional(),
  OCTAVO_BASE_URL: baseUrlSchema.optional(),
  OCTAVO_PREVIEW_URL: previewUrlSchema.optional(),
  OCTAVO_SITES_DOMAIN: sitesDomainSchema.optional(),
  OCTAVO_SITES_CACHE_MB: createNumberSchema(100, 100_000_000).prefault("2000"),
  OCTAVO_DNS_SERVERS: dnsServersSchema.prefault(""),
  OCTAVO_TLS: z.enum(["off", "acme"], "must be off or acme").default("off"),
  OCTAVO_TLS_PORT: createNumberSchema(1, 65_535).prefault("443"),
  OCTAVO_ACME_DIRECTORY: acmeDirectorySchema.default(
    "https://acme-v02.api.letsencrypt.org/directory",
  ),
  OCTAVO_ACME_CA_FILE: z.string().optional(),
  OCTAVO_ACME_CHALLENGE: z
    .enum(["http-01", "tls-alpn-01"], "must be http-01 or tls-alpn-01")
    .default("http-01"),
  OCTAVO_ACME_EMAIL: z.email("must be an email address").optional(),
  OCTAVO_OIDC_ISSUER: oidcIssuerSchema.optional(),
  OCTAVO_OIDC_CLIENT_ID: z.string().max(500).optional(),
  OCTAVO_OIDC_CLIENT_SECRET: z.string().max(2_000).optional(),
  OCTAVO_OIDC_NAME: z.string().max(60).optional(),
  OCTAVO_OIDC_SCOPE: oidcScopeSchema.default("profile email"),
  OCTAVO_OIDC_GROUPS: createRoleMapSchema("writers=editor,admins=owner").prefault(""),
  OCTAVO_OIDC_DOMAINS: createRoleMapSchema("example.com=viewer").prefault(""),
  OCTAVO_TRUST_PROXY: proxyListSchema.prefault(""),
  OCTAVO_METRICS_TOKEN: secretSchema
    .regex(/^\S{1,500}$/, "must have at most 500 characters and no spaces")
    .optional(),
  OCTAVO_ALLOW: allowListSchema.default(""),
  OCTAVO_REMOTE_HOSTS: remoteHostsSchema.default(""),
  OCTAVO_REMOTE_MEDIA: z
    .enum(remoteMedia, `must be one of ${remoteMedia.join(", ")}`)
    .default("keep"),
  OCTAVO_GITHUB_HOSTS: gitHubHostsSchema.prefault(""),
  OCTAVO_GITHUB_APP_ID: gitHubAppIdSchema.optional(),
  OCTAVO_GITHUB_APP_KEY_FILE: z.string().optional(),
  OCTAVO_GITHUB_APP_HOST: gitHubAppHostSchema.optional(),
  OCTAVO_GITLAB_HOSTS: gitServerHostsSchema.prefault(""),
  OCTAVO_GITEA_HOSTS: gitServerHostsSchema.prefault(""),
  OCTAVO_MODEL: modelSchema.default("builtin/recipes"),
  OCTAVO_MODELS: modelListSchema.prefault(""),
  OCTAVO_MODEL_CONTEXT: modelTokensSchema.optional(),
  OCTAVO_MODEL_OUTPUT: modelTokensSchema.optional(),
  OCTAVO_MODEL_EFFORT: modelEffortSchema.optional(),
  OCTAVO_MODEL_PRICES: modelPricesSchema.optional(),
  OCTAVO_AGENT_STEPS: createNumberSchema(1, 10_000).prefault("100"),
  OCTAVO_AGENT_TOKENS: createNumberSchema(1, 999_999_999).prefault("4000000"),
  OCTAVO_AGENT_DAY_TOKENS: createNumberSchema(1, 999_999_999).prefault("20000000"),
  OCTAVO_AGENT_MINUTES: createNumberSchema(1, 180).prefault("30"),
  OCTAVO_AGENT_FILES: createNumberSchema(1, 10_000).prefault("500"),
  OCTAVO_BROWSER: browserSchema.optional(),
  // These variables are validated when a model is used, so that a service without agent jobs starts even if their
  // values are invalid.
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_BASE_URL: z.string().optional(),
  OLLAMA_API_KEY: z.string().optional(),
  OLLAMA_BASE_URL: z.string().optional(),
  OCTAVO_MODEL_KEY: z.string().optional(),
  OCTAVO_MODEL_URL: z.string().optional(),
  OCTAVO_LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
  OCTAVO_BUNDLE_LINK_MINUTES: createNumberSchema(1, 10_080).prefault("60"),
  OCTAVO_RETENTION_DAYS: createNumberSchema(1, 3_650).prefault("30"),
  OCTAVO_AUDIT_DAYS: createNumberSchema(1, 36_500).prefault("365"),
});
export type Settings = z.output<typeof settingsSchema>;

/** Creates the schema for a value for all models, values for named models, or both. */
function createPerModelSchema<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string().transform((text, context) => {
    const setting = parsePerModel(text, read);
    if (setting) return setting;
    context.addIssue(message);
    return z.NEVER;
  });
}
