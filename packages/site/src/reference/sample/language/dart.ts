import { quoteJson, writeLiteral, type LiteralStyle } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

const style: LiteralStyle = {
  quote,
  none: "null",
  yes: "true",
  no: "false",
  list: ["[", "]"],
  object: ["{", "}"],
  formatPair: (key, value) => `${key}: ${value}`,
  indent: 2,
  hasTrailingComma: true,
};

export const dart: SampleLanguage = {
  label: "Dart",
  grammar: "dart",
  names: ["dart", "flutter"],
  write({ method, url, headers, body }) {
    const { imports, lines } = writeBody(body);
    const type = body?.kind === "multipart" ? "MultipartRequest" : "Request";
    return [
      ...imports,
      "import 'package:http/http.dart' as http;",
      "",
      "Future<void> main() async {",
      `  final request = http.${type}('${method}', Uri.parse(${quote(url)}));`,
      ...headers.map(([name, value]) => `  request.headers[${quote(name)}] = ${quote(value)};`),
      ...lines.map((line) => `  ${line}`),
      "",
      "  final response = await http.Response.fromStream(await request.send());",
      "  print(response.body);",
      "}",
    ].join("\n");
  },
};

/** Quotes a string and escapes `$`, because `$name` is interpolated in every string. */
function quote(text: string): string {
  return quoteJson(text).replaceAll("$", () => "\\$");
}

function writeBody(body: SampleBody | undefined): { imports: string[]; lines: string[] } {
  if (body === undefined) return { imports: [], lines: [] };
  switch (body.kind) {
    case "json": {
      const value = writeLiteral(body.value, style, 1);
      return {
        imports: ["import 'dart:convert';"],
        lines: [`request.body = jsonEncode(${value});`],
      };
    }
    case "text":
      return { imports: [], lines: [`request.body = ${quote(body.text)};`] };
    case "file":
      return {
        imports: ["import 'dart:io';"],
        lines: [`request.bodyBytes = await File(${quote(body.file)}).readAsBytes();`],
      };
    case "form": {
      const fields = writeLiteral(Object.fromEntries(body.fields), style, 1);
      return { imports: [], lines: [`request.bodyFields = ${fields};`] };
    }
    default: {
      const lines = body.parts.map(({ name, value, isFile }) =>
        isFile
          ? `request.files.add(await http.MultipartFile.fromPath(${quote(name)}, ${quote(value)}));`
          : `request.fields[${quote(name)}] = ${quote(value)};`,
      );
      return { imports: [], lines };
    }
  }
}
