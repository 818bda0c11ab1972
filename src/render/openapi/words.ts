import { languageTag } from "../theme/words.ts";

/** What a page of an API says itself, in the page's language. `{}` stands for what is put in. */
export interface ApiWords {
  readonly servers: string;
  readonly authorization: string;
  readonly pathParameters: string;
  readonly queryParameters: string;
  readonly headerParameters: string;
  readonly cookieParameters: string;
  readonly body: string;
  readonly response: string;
  readonly headers: string;
  readonly callbacks: string;
  readonly required: string;
  readonly deprecated: string;
  readonly readOnly: string;
  readonly writeOnly: string;
  readonly default: string;
  readonly options: string;
  readonly example: string;
  readonly constant: string;
  readonly childFields: string;
  readonly oneOf: string;
  readonly anyOf: string;
  readonly when: string;
  readonly repeats: string;
  readonly notShown: string;
  readonly more: string;
  readonly anyFields: string;
  readonly anyName: string;
  readonly noContent: string;
  readonly or: string;
  readonly scopes: string;
  readonly atLeast: string;
  readonly atMost: string;
  readonly between: string;
  readonly above: string;
  readonly below: string;
  readonly multipleOf: string;
  readonly length: string;
  readonly items: string;
  readonly distinct: string;
  readonly properties: string;
  readonly pattern: string;
  readonly encoded: string;
  readonly bearer: string;
  readonly basic: string;
  readonly oauth2: string;
  readonly openIdConnect: string;
  readonly mutualTls: string;
  readonly address: string;
  readonly send: string;
  readonly receive: string;
  readonly messages: string;
  readonly payload: string;
  readonly parameters: string;
}

const english: ApiWords = {
  servers: "Base URL",
  authorization: "Authorization",
  pathParameters: "Path parameters",
  queryParameters: "Query parameters",
  headerParameters: "Headers",
  cookieParameters: "Cookies",
  body: "Body",
  response: "Response",
  headers: "Headers",
  callbacks: "Callbacks",
  required: "required",
  deprecated: "deprecated",
  readOnly: "read-only",
  writeOnly: "write-only",
  default: "default",
  options: "Options",
  example: "Example",
  constant: "Always",
  childFields: "Child attributes",
  oneOf: "One of",
  anyOf: "Any of",
  when: "when {} is {}",
  repeats: "Has the fields of {}, in which it stands.",
  notShown: "Its fields are not shown here.",
  more: "{} more are not shown here.",
  anyFields: "Fields of any name.",
  anyName: "any name",
  noContent: "This response has no body.",
  or: "or",
  scopes: "Scopes",
  atLeast: "at least {}",
  atMost: "at most {}",
  between: "{} to {}",
  above: "more than {}",
  below: "less than {}",
  multipleOf: "a multiple of {}",
  length: "{} characters",
  items: "{} items",
  distinct: "no item twice",
  properties: "{} fields",
  pattern: "matches {}",
  encoded: "encoded as {}",
  bearer: "The token goes into the header as {}.",
  basic:
    "User name and password, joined by a colon and encoded as Base64, go into the header as {}.",
  oauth2: "An access token by OAuth 2.0 goes into the header as {}.",
  openIdConnect: "A token by OpenID Connect goes into the header as {}.",
  mutualTls: "The client shows a certificate (mutual TLS).",
  address: "Address",
  send: "Send",
  receive: "Receive",
  messages: "Messages",
  payload: "Payload",
  parameters: "Parameters",
};

const byLanguage: ReadonlyMap<string, ApiWords> = new Map([["en", english]]);

/** For a language as a site names it; English for those that are not here. */
export function apiWordsOf(language: string | undefined): ApiWords {
  const tag = languageTag(language).toLowerCase();
  return byLanguage.get(tag) ?? byLanguage.get(tag.split("-")[0] ?? "") ?? english;
}

/** `text` with each `{}` in turn replaced by the next value; values are not looked into. */
export function fillIn(text: string, ...values: readonly string[]): string {
  const [first = "", ...rest] = text.split("{}");
  return first + rest.map((part, index) => (values[index] ?? "") + part).join("");
}
