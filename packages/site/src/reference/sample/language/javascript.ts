import { quoteJson, writeLiteral, type LiteralStyle } from "../literal.ts";
import type { SampleBody, SampleRequest } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const style: LiteralStyle = {
  quote: quoteJson,
  none: "null",
  yes: "true",
  no: "false",
  list: ["[", "]"],
  object: ["{", "}"],
  formatPair: (key, value) => `${formatKey(key)}: ${value}`,
  indent: 2,
  hasTrailingComma: true,
};

const identifier = /^"([A-Za-z_$][\w$]*)"$/;

/** In an object literal, `"__proto__"` defines a property only if the name is computed. */
function formatKey(key: string): string {
  if (key === '"__proto__"') return `[${key}]`;
  return identifier.exec(key)?.[1] ?? key;
}

export const javascript: SampleLanguage = {
  label: "JavaScript",
  grammar: "javascript",
  names: ["javascript", "js"],
  write: (request) => writeFetch(request, "fileInput.files[0]"),
};

export const typescript: SampleLanguage = {
  label: "TypeScript",
  grammar: "typescript",
  names: ["typescript", "ts"],
  write: (request) => writeFetch(request, "fileInput.files[0]"),
};

export const node: SampleLanguage = {
  label: "Node.js",
  grammar: "javascript",
  names: ["node", "nodejs", "node.js"],
  write(request) {
    const code = writeFetch(request, 'await openAsBlob("example-file")');
    return code.includes("openAsBlob(") ? `import { openAsBlob } from "node:fs";\n\n${code}` : code;
  },
};

function writeFetch({ method, url, headers, body }: SampleRequest, file: string): string {
  const { before, value } = writeBody(body, file);
  return [
    ...before,
    `const response = await fetch(${quoteJson(url)}, {`,
    `  method: "${method}",`,
    ...(headers.length === 0
      ? []
      : [`  headers: ${writeLiteral(Object.fromEntries(headers), style, 1)},`]),
    ...(value === undefined ? [] : [`  body: ${value},`]),
    "});",
    "",
    "console.log(await response.text());",
  ].join("\n");
}

function writeBody(
  body: SampleBody | undefined,
  file: string,
): { readonly before: readonly string[]; readonly value?: string } {
  if (body === undefined) return { before: [] };
  switch (body.kind) {
    case "json":
      return { before: [], value: `JSON.stringify(${writeLiteral(body.value, style, 1)})` };
    case "form": {
      const fields = writeLiteral(Object.fromEntries(body.fields), style, 1);
      return { before: [], value: `new URLSearchParams(${fields})` };
    }
    case "text":
      return { before: [], value: quoteJson(body.text) };
    case "file":
      return { before: [], value: file };
    default: {
      const parts = body.parts.map(
        ({ name, value, isFile }) =>
          `form.append(${quoteJson(name)}, ${isFile ? file : quoteJson(value)});`,
      );
      return { before: ["const form = new FormData();", ...parts, ""], value: "form" };
    }
  }
}
