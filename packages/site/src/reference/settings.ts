/** The `api` settings of the configuration that pages use. */
export interface ApiSettings {
  /** Objects within objects are expanded from the start. */
  readonly isExpanded: boolean;
  /** The base URL is shown even if there is only one. */
  readonly showsBaseUrl: boolean;
  readonly examples: {
    /** As authored; see `sampleLanguage`. Undefined for the default ones. */
    readonly languages?: readonly string[];
    /** Optional parameters and properties are omitted from generated examples. */
    readonly requiredOnly: boolean;
    readonly isGenerated: boolean;
  };
  /** For hand-written pages (`api: "POST /v1/x"`). */
  readonly manual: {
    readonly authMethod?: AuthMethod;
    readonly authName?: string;
    readonly servers: readonly string[];
  };
}

export type AuthMethod = "none" | "bearer" | "basic" | "key" | "cobo";

const authMethods: ReadonlySet<string> = new Set(["none", "bearer", "basic", "key", "cobo"]);

/** The method that `text` names. Pages name their own in the frontmatter's `authMethod`. */
export function parseAuthMethod(text: unknown): AuthMethod | undefined {
  const isKnown = typeof text === "string" && authMethods.has(text);
  return isKnown ? (text as AuthMethod) : undefined;
}

/**
 * Reads `api` of the configuration, as authored. Invalid values read as absent. Without zod: every render
 * child reads it once, and loading zod costs 40 ms of CPU.
 */
export function readApiSettings(api: unknown): ApiSettings {
  const { params, url, examples, mdx } = record(api);
  const { languages, defaults, autogenerate } = record(examples);
  const { server, auth } = record(mdx);
  const { method, name } = record(auth);
  const authMethod = parseAuthMethod(method);
  return {
    isExpanded: record(params)["expanded"] === "all",
    showsBaseUrl: url === "full",
    examples: {
      ...(Array.isArray(languages) ? { languages: texts(languages) } : {}),
      requiredOnly: defaults === "required",
      isGenerated: autogenerate !== false,
    },
    manual: {
      ...(authMethod === undefined ? {} : { authMethod }),
      ...(typeof name === "string" && name !== "" ? { authName: name } : {}),
      servers: texts(Array.isArray(server) ? server : [server]),
    },
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
