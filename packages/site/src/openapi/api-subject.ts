/** The operation, webhook, channel or schema of an API description that a page shows after its own content. */
export type ApiSubject = Endpoint | AsyncChannel | DataModel;

/**
 * The page's share of the limits for the whole description. The fields are set only if the share is below the limits
 * for a page.
 */
interface SchemaShare {
  /** Maximum bytes of HTML for the schemas on the page. */
  readonly schemaBytes?: number;
  /** Maximum bytes of HTML for the schemas that load when readers expand them. */
  readonly deferredBytes?: number;
}

/** One schema of a description (`openapi-schema: Plant`). */
export interface DataModel extends SchemaShare {
  readonly kind: "model";
  readonly name: string;
  readonly schema: Schema;
  /** The schemas to which `schema` refers directly or indirectly, by key. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

/**
 * One operation or webhook, extracted from an API description: exactly the content of its page, as plain JSON. It is
 * sent to a render child and is part of the page key. Versions 3.0 and 3.1 are normalized to 3.1.
 *
 * The texts come from the author and are Markdown or plain text, never trusted HTML.
 */
export interface Endpoint extends SchemaShare {
  readonly kind: "operation" | "webhook";
  /** The method in lowercase, such as `get`. For a webhook, the method of its request. */
  readonly method: string;
  /** The path as written in the description (`/plants/{id}`), or the name of a webhook. */
  readonly path: string;
  /** The `summary`. Defaults to the method and path (`GET /plants`) or the name of a webhook. */
  readonly title: string;
  /** Markdown. */
  readonly description?: string;
  readonly isDeprecated: boolean;
  /** The servers of the operation or, if it has none, of its path or the document. URLs keep their `{variables}`. */
  readonly servers: readonly Server[];
  /** Alternatives, each of which lists all schemes that it requires. Empty if no authentication is required. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** The parameters of the path and the operation, one for each name and location. */
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly responses: readonly ApiResponse[];
  /** The requests that the API sends to the caller. */
  readonly callbacks: readonly Endpoint[];
  /** `x-codeSamples`, which replace the generated samples in the same language. */
  readonly samples: readonly CodeSample[];
  /** The schemas to which `$ref` values refer, by key. They may refer to each other. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface Server {
  readonly url: string;
  readonly description?: string;
  readonly variables: Readonly<
    Record<
      string,
      {
        readonly default: string;
        readonly values: readonly string[];
        readonly description?: string;
      }
    >
  >;
}

export interface SecurityScheme {
  /** The scheme's key in the description. */
  readonly name: string;
  readonly type: "bearer" | "basic" | "key" | "oauth2" | "openIdConnect" | "mutualTLS" | "other";
  readonly description?: string;
  /** Only for type `key`: the location and the name with which the key is sent. */
  readonly location?: "header" | "query" | "cookie";
  readonly keyName?: string;
  /** The `bearerFormat`, such as `JWT`. */
  readonly format?: string;
  readonly scopes: readonly string[];
  /** Descriptions of the scheme's scopes, by scope name. */
  readonly scopeDescriptions?: Readonly<Record<string, string>>;
  /** The addresses of the scheme's flows (`authorizationUrl`, `tokenUrl`, ...) and `openIdConnectUrl`, by name. */
  readonly addresses?: Readonly<Record<string, string>>;
}

export interface Parameter {
  readonly name: string;
  readonly location: "path" | "query" | "header" | "cookie";
  readonly description?: string;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly schema: Schema;
  readonly examples: readonly Example[];
  /** How a list or an object is serialized, such as `form` or `deepObject`. */
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Body {
  readonly description?: string;
  readonly isRequired: boolean;
  /** The contents, in the order of the description, which is also the order on the page. */
  readonly contents: readonly Content[];
}

export interface Content {
  /** The media type, such as `application/json`. */
  readonly mediaType: string;
  readonly schema?: Schema;
  readonly examples: readonly Example[];
}

export interface Example {
  readonly name: string;
  readonly summary?: string;
  /** Markdown. */
  readonly description?: string;
  /** A JSON value, or a string if the media type is not JSON. The address of the example if `isExternal`. */
  readonly value: unknown;
  /** Whether `value` is the address of the example (`externalValue`), which is not fetched. */
  readonly isExternal?: boolean;
}

export interface ApiResponse {
  /** A status such as `200`, `4XX` or `default`. */
  readonly status: string;
  readonly description?: string;
  readonly headers: readonly Omit<Parameter, "location">[];
  readonly contents: readonly Content[];
}

export interface CodeSample {
  /** The language, as in the info string of a fence, such as `bash` or `python`. */
  readonly language: string;
  readonly label: string;
  readonly source: string;
}

/**
 * JSON Schema of OpenAPI 3.1, limited in depth and size. Keywords of 3.0 are converted: `nullable` becomes the type
 * `null`, `example` becomes an item of `examples`, and an exclusive bound becomes a number. `$ref` is a key of
 * `Endpoint.schemas`. Keywords beside it override the keywords of the target.
 */
export interface Schema {
  readonly $ref?: string;
  readonly type?: readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** The schema of additional properties. Undefined for `false`, which pages do not show. */
  readonly additionalProperties?: true | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly discriminator?: {
    readonly propertyName: string;
    /** For each value of the property, the key of the schema in `Endpoint.schemas`. */
    readonly mapping: Readonly<Record<string, string>>;
  };
  /**
   * References to the schemas that extend this schema. Each of them refers to this schema in `allOf` or is listed in
   * the mapping of its discriminator. Set only for a schema that has a discriminator but does not list its own options.
   */
  readonly subtypes?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly contentMediaType?: string;
  readonly contentEncoding?: string;
  /**
   * Badges before and after a name: `x-mint.pre` and `x-mint.post`. `post` begins with the values of the keys in
   * `api.params.post`.
   */
  readonly pre?: readonly string[];
  readonly post?: readonly string[];
}

/**
 * One channel, extracted from an AsyncAPI description: exactly the content of its page. Versions 2 and 3 are
 * normalized to 3, from the point of view of the described application.
 */
export interface AsyncChannel extends SchemaShare {
  readonly kind: "channel";
  /** The address, such as `orders/{region}` or `/ws`. */
  readonly address: string;
  readonly title: string;
  /** Markdown. */
  readonly description?: string;
  readonly servers: readonly AsyncServer[];
  /** The security requirements of the servers; see `Endpoint.security`. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** The `{parameters}` in the address. */
  readonly parameters: readonly Omit<Parameter, "location">[];
  readonly operations: readonly AsyncOperation[];
  /** The schemas to which `$ref` values refer, by key. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface AsyncServer extends Server {
  /** The protocol, such as `wss`, `kafka` or `mqtt`. */
  readonly protocol: string;
}

export interface AsyncOperation {
  /** The action of the application. Clients receive the messages that it sends. */
  readonly action: "send" | "receive";
  readonly title: string;
  readonly description?: string;
  readonly messages: readonly AsyncMessage[];
}

export interface AsyncMessage {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly headers?: Schema;
  readonly payload?: Schema;
  /** The media type. Defaults to `application/json`. */
  readonly contentType: string;
  readonly examples: readonly Example[];
}
