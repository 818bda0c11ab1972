import { quoteJson, writeLiteral, type LiteralStyle } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const style: LiteralStyle = {
  quote,
  none: "nil",
  yes: "true",
  no: "false",
  list: ["[", "]"],
  object: ["{", "}"],
  formatPair: (key, value) => `${key} => ${value}`,
  indent: 2,
  hasTrailingComma: false,
};

/** HTTP methods for which Ruby's library has a class. */
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]); // prettier-ignore

export const ruby: SampleLanguage = {
  label: "Ruby",
  grammar: "ruby",
  names: ["ruby", "rb"],
  write({ method, url, headers, body }) {
    const name = methods.has(method) ? method : "GET";
    return [
      ...(body?.kind === "json" ? ['require "json"'] : []),
      'require "net/http"',
      'require "uri"',
      "",
      `url = URI(${quote(url)})`,
      "",
      `request = Net::HTTP::${name.charAt(0)}${name.slice(1).toLowerCase()}.new(url)`,
      ...headers.map(([key, value]) => `request[${quote(key)}] = ${quote(value)}`),
      ...writeBody(body),
      "",
      'response = Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == "https") do |http|',
      "  http.request(request)",
      "end",
      "",
      "puts response.body",
    ].join("\n");
  },
};

/** Quotes a string and escapes `#`, because `#{...}`, `#$x` and `#@x` are interpolated in double quotation marks. */
function quote(text: string): string {
  return quoteJson(text).replaceAll(/#(?=[{$@])/g, "\\#");
}

function writeBody(body: SampleBody | undefined): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json": {
      const value = writeLiteral(body.value, style);
      const isPlain = typeof body.value !== "object" || body.value === null;
      return [
        isPlain ? `request.body = JSON.generate(${value})` : `request.body = ${value}.to_json`,
      ];
    }
    case "form":
      return [`request.set_form_data(${writeLiteral(Object.fromEntries(body.fields), style)})`];
    case "text":
      return [`request.body = ${quote(body.text)}`];
    case "file":
      return [`request.body = File.binread(${quote(body.file)})`];
    default: {
      const parts = body.parts.map(({ name, value, isFile }) => {
        const content = isFile ? `File.open(${quote(value)})` : quote(value);
        return `  [${quote(name)}, ${content}]`;
      });
      return ["request.set_form([", parts.join(",\n"), '], "multipart/form-data")'];
    }
  }
}
