import { quoteJson, writeLiteral, type LiteralStyle } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const style: LiteralStyle = {
  quote: quoteJson,
  none: "None",
  yes: "True",
  no: "False",
  list: ["[", "]"],
  object: ["{", "}"],
  formatPair: (key, value) => `${key}: ${value}`,
  indent: 4,
  hasTrailingComma: true,
};

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]); // prettier-ignore

export const python: SampleLanguage = {
  label: "Python",
  grammar: "python",
  names: ["python", "py"],
  write({ method, url, headers, body }) {
    const call = methods.has(method)
      ? `requests.${method.toLowerCase()}(url`
      : `requests.request("${method}", url`;
    const { lines, argument } = writeBody(body);
    const hasHeaders = headers.length > 0;
    return [
      "import requests",
      "",
      `url = ${quoteJson(url)}`,
      ...(hasHeaders ? [`headers = ${writeLiteral(Object.fromEntries(headers), style)}`] : []),
      ...lines,
      "",
      `response = ${call}${hasHeaders ? ", headers=headers" : ""}${argument})`,
      "",
      "print(response.text)",
    ].join("\n");
  },
};

function writeBody(body: SampleBody | undefined): { lines: string[]; argument: string } {
  if (body === undefined) return { lines: [], argument: "" };
  switch (body.kind) {
    case "json":
      return {
        lines: [`payload = ${writeLiteral(body.value, style)}`],
        argument: ", json=payload",
      };
    case "form": {
      const payload = writeLiteral(Object.fromEntries(body.fields), style);
      return { lines: [`payload = ${payload}`], argument: ", data=payload" };
    }
    case "text":
      return { lines: [`payload = ${quoteJson(body.text)}`], argument: ", data=payload.encode()" };
    case "file":
      return { lines: [`payload = ${openFile(body.file)}`], argument: ", data=payload" };
    default: {
      const parts = body.parts.map(({ name, value, isFile }) => {
        const content = isFile ? openFile(value) : `(None, ${quoteJson(value)})`;
        return `    ${quoteJson(name)}: ${content},`;
      });
      return { lines: ["files = {", ...parts, "}"], argument: ", files=files" };
    }
  }
}

function openFile(name: string): string {
  return `open(${quoteJson(name)}, "rb")`;
}
