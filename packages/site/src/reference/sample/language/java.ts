import { formatJson, quoteJson } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]); // prettier-ignore

export const java: SampleLanguage = {
  label: "Java",
  grammar: "java",
  names: ["java"],
  write({ method, url, headers, body }) {
    const start = methods.has(method)
      ? `Unirest.${method.toLowerCase()}(${quoteJson(url)})`
      : `Unirest.request("${method}", ${quoteJson(url)})`;
    const calls = [
      ...headers.map(([name, value]) => `.header(${quoteJson(name)}, ${quoteJson(value)})`),
      ...writeBodyCalls(body),
      ".asString();",
    ];
    return [
      ...listImports(body).map((name) => `import ${name};`),
      "",
      `HttpResponse<String> response = ${start}`,
      ...calls.map((call) => `    ${call}`),
      "",
      "System.out.println(response.getBody());",
    ].join("\n");
  },
};

function listImports(body: SampleBody | undefined): string[] {
  const clientImports = ["kong.unirest.HttpResponse", "kong.unirest.Unirest"];
  if (body?.kind === "file") return ["java.nio.file.Files", "java.nio.file.Path", ...clientImports];
  const hasFile = body?.kind === "multipart" && body.parts.some(({ isFile }) => isFile);
  return hasFile ? ["java.io.File", ...clientImports] : clientImports;
}

function writeBodyCalls(body: SampleBody | undefined): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json":
      return [`.body(${writeTextBlock(formatJson(body.value))})`];
    case "text":
      return [`.body(${quoteJson(body.text)})`];
    case "file":
      return [`.body(Files.readAllBytes(Path.of(${quoteJson(body.file)})))`];
    case "form":
      return body.fields.map(([name, value]) => `.field(${quoteJson(name)}, ${quoteJson(value)})`);
    default:
      return [
        ".multiPartContent()",
        ...body.parts.map(({ name, value, isFile }) => {
          const content = isFile ? `new File(${quoteJson(value)})` : quoteJson(value);
          return `.field(${quoteJson(name)}, ${content})`;
        }),
      ];
  }
}

/** Writes lines unchanged. This is safe because JSON never contains three quotation marks in a row. */
function writeTextBlock(text: string): string {
  if (!text.includes("\n")) return quoteJson(text);
  const lines = text.replaceAll("\\", "\\\\").replaceAll("\n", "\n        ");
  return `"""\n        ${lines}"""`;
}
