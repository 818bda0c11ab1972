import { quoteWithBraces, formatJson } from "../literal.ts";
import type { SampleBody, SamplePart } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const swift: SampleLanguage = {
  label: "Swift",
  grammar: "swift",
  names: ["swift"],
  write({ method, url, headers, body }) {
    return [
      "import Foundation",
      "",
      `var request = URLRequest(url: URL(string: ${quoteWithBraces(url)})!)`,
      `request.httpMethod = "${method}"`,
      ...headers.map(
        ([name, value]) =>
          `request.setValue(${quoteWithBraces(value)}, forHTTPHeaderField: ${quoteWithBraces(name)})`,
      ),
      ...writeBody(body),
      "",
      "let (data, _) = try await URLSession.shared.data(for: request)",
      "print(String(decoding: data, as: UTF8.self))",
    ].join("\n");
  },
};

/** Writes lines unchanged except for backslashes. JSON never contains three quotation marks in a row. */
function writeTextBlock(text: string): string {
  if (!text.includes("\n")) return quoteWithBraces(text);
  const lines = text.replaceAll("\\", "\\\\").replaceAll("\n", "\n    ");
  return `"""\n    ${lines}\n    """`;
}

function writeBody(body: SampleBody | undefined): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json":
      return [`request.httpBody = Data(${writeTextBlock(formatJson(body.value))}.utf8)`];
    case "text":
      return [`request.httpBody = Data(${quoteWithBraces(body.text)}.utf8)`];
    case "file":
      return [
        `request.httpBody = try Data(contentsOf: URL(fileURLWithPath: ${quoteWithBraces(body.file)}))`,
      ];
    case "form": {
      const items = body.fields.map(
        ([name, value]) =>
          `    URLQueryItem(name: ${quoteWithBraces(name)}, value: ${quoteWithBraces(value)}),`,
      );
      return [
        "var form = URLComponents()",
        "form.queryItems = [",
        ...items,
        "]",
        "request.httpBody = form.percentEncodedQuery.map { Data($0.utf8) }",
      ];
    }
    default:
      return writeMultipartBody(body.parts);
  }
}

const boundary = "example-boundary";

function writeMultipartBody(parts: readonly SamplePart[]): string[] {
  const lines = parts.flatMap(({ name, value, isFile }) => {
    // Quotation marks and line breaks would end the name of a part, so they are percent-encoded.
    const key = name.replaceAll(/["\r\n]/g, (letter) => encodeURIComponent(letter));
    const file = isFile ? `; filename="${value}"` : "";
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${key}"${file}\r\n\r\n`;
    const content = isFile
      ? `try Data(contentsOf: URL(fileURLWithPath: ${quoteWithBraces(value)}))`
      : `Data(${quoteWithBraces(value)}.utf8)`;
    return [
      `body.append(Data(${quoteWithBraces(head)}.utf8))`,
      `body.append(${content})`,
      `body.append(Data(${quoteWithBraces("\r\n")}.utf8))`,
    ];
  });
  return [
    `request.setValue("multipart/form-data; boundary=${boundary}", forHTTPHeaderField: "Content-Type")`,
    "var body = Data()",
    ...lines,
    `body.append(Data(${quoteWithBraces(`--${boundary}--\r\n`)}.utf8))`,
    "request.httpBody = body",
  ];
}
