import { formatJson, stripNul } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const powershell: SampleLanguage = {
  label: "PowerShell",
  grammar: "powershell",
  names: ["powershell", "ps1", "pwsh"],
  write({ method, url, headers, body }) {
    const type = headers.find(([name]) => name === "Content-Type")?.[1];
    const requestHeaders = headers.filter(([name]) => name !== "Content-Type");
    const { before, argument } = writeBody(body);
    return [
      ...(requestHeaders.length === 0
        ? []
        : ["$headers = @{", ...requestHeaders.map(writeEntry), "}"]),
      ...before,
      [
        `Invoke-RestMethod -Method ${quote(method)} -Uri ${quote(url)}`,
        ...(requestHeaders.length === 0 ? [] : ["-Headers $headers"]),
        ...(type === undefined ? [] : [`-ContentType ${quote(type)}`]),
        ...(argument === "" ? [] : [argument]),
      ].join(" `\n  "),
    ].join("\n");
  },
};

/** A string that begins with one of these quotation marks ends at any of them. */
const singleQuotes = /['\u2018\u2019\u201a\u201b]/g;

function quote(text: string): string {
  return `'${stripNul(text).replaceAll(singleQuotes, "$&$&")}'`;
}

function writeEntry([name, value]: readonly [string, string]): string {
  return `  ${quote(name)} = ${quote(value)}`;
}

function writeBody(body: SampleBody | undefined): { before: string[]; argument: string } {
  if (body === undefined) return { before: [], argument: "" };
  switch (body.kind) {
    case "json":
      return { before: [`$body = ${quote(formatJson(body.value))}`], argument: "-Body $body" };
    case "text":
      return { before: [`$body = ${quote(body.text)}`], argument: "-Body $body" };
    case "file":
      return { before: [], argument: `-InFile ${quote(body.file)}` };
    case "form":
      return {
        before: ["$body = @{", ...body.fields.map(writeEntry), "}"],
        argument: "-Body $body",
      };
    default: {
      const parts = body.parts.map(({ name, value, isFile }) => {
        const content = isFile ? `Get-Item -Path ${quote(value)}` : quote(value);
        return `  ${quote(name)} = ${content}`;
      });
      return { before: ["$form = @{", ...parts, "}"], argument: "-Form $form" };
    }
  }
}
