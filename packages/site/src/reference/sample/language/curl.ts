import { prettyJson, withoutNul } from "../literal.ts";
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
      ...bodyOptions(request.body),
    ];
    return `curl ${options.join(" \\\n  ")}`;
  },
};

/** Within single quotes a shell replaces nothing. */
function quote(text: string): string {
  return `'${withoutNul(text).replaceAll("'", "'\\''")}'`;
}

function bodyOptions(body: SampleRequest["body"]): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json":
      return [`--data ${quote(prettyJson(body.value))}`];
    case "text":
      // Unlike --data it takes a leading @ for text, not for the name of a file.
      return [`--data-raw ${quote(body.text)}`];
    case "file":
      return [`--data-binary ${quote(`@${body.file}`)}`];
    case "form":
      return body.fields.map(([name, value]) => {
        const key = encodeURIComponent(name.toWellFormed());
        return `--data-urlencode ${quote(`${key}=${value}`)}`;
      });
    default:
      return body.parts.map((part) => formOption(part));
  }
}

function formOption({ name, value, isFile }: MultipartPart): string {
  if (isFile) return `--form ${quote(`${name}=@${value}`)}`;
  // --form would read a file for @ and <, and take what follows a semicolon for its type.
  const option = /^[@<]|;/.test(value) ? "--form-string" : "--form";
  return `${option} ${quote(`${name}=${value}`)}`;
}

type MultipartPart = Extract<SampleBody, { kind: "multipart" }>["parts"][number];
