/** The settings in the configuration's `api` that pages use. */
export interface ApiSettings {
  /** Whether nested objects are initially expanded. */
  readonly isExpanded: boolean;
  /** Whether the base URL is shown even if there is only one base URL. */
  readonly showsBaseUrl: boolean;
  readonly examples: {
    /** The authored names of languages; see `findSampleLanguage`. Defaults to the default languages. */
    readonly languages?: readonly string[];
    /** Whether optional parameters and properties are omitted from generated examples. */
    readonly requiredOnly: boolean;
    readonly isGenerated: boolean;
  };
  /** Settings for hand-written pages (`api: "POST /v1/x"`). */
  readonly manual: {
    readonly authMethod?: AuthMethod;
    readonly authName?: string;
    readonly servers: readonly string[];
  };
}

export type AuthMethod = "none" | "bearer" | "basic" | "key" | "cobo";

const authMethods: ReadonlySet<string> = new Set(["none", "bearer", "basic", "key", "cobo"]);

/** Parses the name of an authentication method. A page may set its own method in the frontmatter's `authMethod`. */
export function parseAuthMethod(text: unknown): AuthMethod | undefined {
  const isKnown = typeof text === "string" && authMethods.has(text);
  return isKnown ? (text as AuthMethod) : undefined;
}

/**
 * Reads the configuration's `api` as authored. Invalid values are ignored. Does not use zod, because every render child
 * reads the settings once and loading zod costs 40 ms of CPU.
 */
export function readApiSettings(api: unknown): ApiSettings {
  const { params, url, examples, mdx } = toRecord(api);
  const { languages, defaults, autogenerate } = toRecord(examples);
  const { server, auth } = toRecord(mdx);
  const { method, name } = toRecord(auth);
  const authMethod = parseAuthMethod(method);
  return {
    isExpanded: toRecord(params)["expanded"] === "all",
    showsBaseUrl: url === "full",
    examples: {
      ...(Array.isArray(languages) ? { languages: filterTexts(languages) } : {}),
      requiredOnly: defaults === "required",
      isGenerated: autogenerate !== false,
    },
    manual: {
      ...(authMethod === undefined ? {} : { authMethod }),
      ...(typeof name === "string" && name !== "" ? { authName: name } : {}),
      servers: filterTexts(Array.isArray(server) ? server : [server]),
    },
  };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}

function filterTexts(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
