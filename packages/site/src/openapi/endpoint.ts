/**
 * One operation or webhook of an API description, cut out of it: everything that its page shows and
 * nothing else, as plain JSON. It is what a page depends on, what a render child is given, and what the
 * cache's key is made of. Versions 2.0, 3.0 and 3.1 have one form here: that of 3.1.
 *
 * What a description says is its author's text: it is Markdown or plain text, never HTML to be trusted.
 */
export interface Endpoint {
  readonly kind: "operation" | "webhook";
  /** Lower case: `get`; also of a webhook, as it is sent. */
  readonly method: string;
  /** As in the description, `/plants/{id}`; the name of a webhook. */
  readonly path: string;
  /** `summary`, else method and path: `GET /plants`; of a webhook its name. */
  readonly title: string;
  /** Markdown. */
  readonly description?: string;
  readonly isDeprecated: boolean;
  /** The operation's own, else its path's, else the document's; `{variables}` kept. */
  readonly servers: readonly Server[];
  /** Each holds schemes that are needed together; any one of the list suffices. Empty where none is needed. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** Those of the path and of the operation, each name and place once. */
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly responses: readonly ApiResponse[];
  /** Requests that the API makes to the caller. */
  readonly callbacks: readonly Endpoint[];
  /** `x-codeSamples`; they replace the generated ones of the same language. */
  readonly samples: readonly CodeSample[];
  /** The schemas that `$ref` below names, by that name; each only once, so that they may lead to each other. */
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
  /** Its key in the description. */
  readonly name: string;
  readonly type: "bearer" | "basic" | "key" | "oauth2" | "openIdConnect" | "mutualTLS" | "other";
  readonly description?: string;
  /** Of a `key`: where it travels and under which name. */
  readonly place?: "header" | "query" | "cookie";
  readonly keyName?: string;
  /** `bearerFormat`, e.g. `JWT`. */
  readonly format?: string;
  readonly scopes: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query" | "header" | "cookie";
  readonly description?: string;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly schema: Schema;
  /** Named examples, the first is shown. */
  readonly examples: readonly Example[];
  /** How a list or an object is written into the address: `form`, `deepObject`, ... */
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Body {
  readonly description?: string;
  readonly isRequired: boolean;
  /** In the description's order; the first is shown first. */
  readonly contents: readonly Content[];
}

export interface Content {
  /** `application/json` */
  readonly mediaType: string;
  readonly schema?: Schema;
  readonly examples: readonly Example[];
}

export interface Example {
  readonly name: string;
  readonly summary?: string;
  /** JSON, or text where the media type is not JSON. */
  readonly value: unknown;
}

export interface ApiResponse {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly description?: string;
  readonly headers: readonly Omit<Parameter, "place">[];
  readonly contents: readonly Content[];
}

export interface CodeSample {
  /** As a fence would say it: `bash`, `python`. */
  readonly language: string;
  readonly label: string;
  readonly source: string;
}

/**
 * JSON Schema as OpenAPI 3.1 has it, bounded in depth and size. What 3.0 says otherwise is said in 3.1's
 * words: `nullable` is a type `null`, `example` is in `examples`, an exclusive bound is a number.
 * `$ref` is the key of `Endpoint.schemas`; what stood beside it is kept and goes first.
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
  /** `false` is absent: it says nothing that a page shows. */
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
    /** Value to the key of `Endpoint.schemas`. */
    readonly mapping: Readonly<Record<string, string>>;
  };
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
   * Words that readers see before and after a name: `x-mint.pre` and `x-mint.post`, and of the values that
   * `api.params.post` asks for.
   */
  readonly pre?: readonly string[];
  readonly post?: readonly string[];
}
