import { stripNul, writeLiteral, type LiteralStyle } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const style: LiteralStyle = {
  quote,
  none: "null",
  yes: "true",
  no: "false",
  list: ["[", "]"],
  object: ["[", "]"],
  emptyObject: "new stdClass()",
  formatPair: (key, value) => `${key} => ${value}`,
  indent: 4,
  hasTrailingComma: true,
};

export const php: SampleLanguage = {
  label: "PHP",
  grammar: "php",
  names: ["php"],
  write({ method, url, headers, body }) {
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const payload = formatPayload(body);
    return [
      "<?php",
      "",
      "$curl = curl_init();",
      "",
      "curl_setopt_array($curl, [",
      `    CURLOPT_URL => ${quote(url)},`,
      "    CURLOPT_RETURNTRANSFER => true,",
      `    CURLOPT_CUSTOMREQUEST => "${method}",`,
      ...(lines.length === 0
        ? []
        : [`    CURLOPT_HTTPHEADER => ${writeLiteral(lines, style, 1)},`]),
      ...(payload === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${payload},`]),
      "]);",
      "",
      "$response = curl_exec($curl);",
      "curl_close($curl);",
      "",
      "echo $response;",
    ].join("\n");
  },
};

/** Escapes the only two characters that are special in single-quoted strings. */
function quote(text: string): string {
  return `'${stripNul(text).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function formatPayload(body: SampleBody | undefined): string | undefined {
  if (body === undefined) return undefined;
  switch (body.kind) {
    case "json":
      return `json_encode(${writeLiteral(body.value, style, 1)})`;
    case "form":
      return `http_build_query(${writeLiteral(Object.fromEntries(body.fields), style, 1)})`;
    case "text":
      return quote(body.text);
    case "file":
      return `file_get_contents(${quote(body.file)})`;
    default: {
      const parts = body.parts.map(
        ({ name, value, isFile }) =>
          `        ${quote(name)} => ${isFile ? `new CURLFile(${quote(value)})` : quote(value)},\n`,
      );
      return `[\n${parts.join("")}    ]`;
    }
  }
}
