import { formatJson, stripNul } from "../literal.ts";
import type { SampleBody, SampleRequest } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const curl: SampleLanguage = {
  label: "cURL",
  grammar: "bash",
  names: ["bash", "curl", "sh", "shell"],
  write(request) {
    const options = [
      `--request ${request.method}`,
      `--url ${quote(request.url)}`,
      ...request.headers.map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`),
      ...writeBodyOptions(request.body),
    ];
    return `curl ${options.join(" \\\n  ")}`;
  },
};

/** Quotes with single quotation marks, within which a shell does not expand anything. */
function quote(text: string): string {
  return `'${stripNul(text).replaceAll("'", "'\\''")}'`;
}

function writeBodyOptions(body: SampleRequest["body"]): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json":
      // JSON allows any whitespace between values, so the body is indented like the options.
      return [`--data ${quote(formatJson(body.value).replaceAll("\n", "\n  "))}`];
    case "text":
      // Unlike --data, --data-raw does not read a file if the text begins with @.
      return [`--data-raw ${quote(body.text)}`];
    case "file":
      return [`--data-binary ${quote(`@${body.file}`)}`];
    case "form":
      return body.fields.map(([name, value]) => {
        const key = encodeURIComponent(name.toWellFormed());
        return `--data-urlencode ${quote(`${key}=${value}`)}`;
      });
    default:
      return body.parts.map((part) => writeFormOption(part));
  }
}

function writeFormOption({ name, value, isFile }: MultipartPart): string {
  if (isFile) return `--form ${quote(`${name}=@${value}`)}`;
  // --form would read a file if the value begins with @ or <, and would parse a type after a semicolon.
  const option = /^[@<]|;/.test(value) ? "--form-string" : "--form";
  return `${option} ${quote(`${name}=${value}`)}`;
}

type MultipartPart = Extract<SampleBody, { kind: "multipart" }>["parts"][number];
