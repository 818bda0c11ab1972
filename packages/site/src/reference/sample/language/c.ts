import { encodeText, type SampleBody, type SampleRequest } from "../request.ts";
import { formatJson, stripNul } from "../literal.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const c: SampleLanguage = { label: "C", grammar: "c", names: ["c"], write };

export const cpp: SampleLanguage = { label: "C++", grammar: "cpp", names: ["c++", "cpp"], write };

function write({ method, url, headers, body }: SampleRequest): string {
  const { lines, cleanup } = writeBody(body);
  const hasHeaders = headers.length > 0;
  return [
    ...(body?.kind === "file" ? ["#include <stdio.h>"] : []),
    "#include <curl/curl.h>",
    "",
    "int main(void) {",
    "  CURL *curl = curl_easy_init();",
    `  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "${method}");`,
    `  curl_easy_setopt(curl, CURLOPT_URL, ${quote(url)});`,
    ...(hasHeaders ? ["  struct curl_slist *headers = NULL;"] : []),
    ...headers.map(
      ([name, value]) => `  headers = curl_slist_append(headers, ${quote(`${name}: ${value}`)});`,
    ),
    ...(hasHeaders ? ["  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);"] : []),
    ...lines.map((line) => `  ${line}`),
    "",
    "  CURLcode result = curl_easy_perform(curl);",
    "",
    ...cleanup.map((line) => `  ${line}`),
    ...(hasHeaders ? ["  curl_slist_free_all(headers);"] : []),
    "  curl_easy_cleanup(curl);",
    "  return (int)result;",
    "}",
  ].join("\n");
}

const specialCharacter = /["\\\p{Cc}]|(?<=\?)\?/gu;
const namedEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  // Two question marks could begin a trigraph.
  "?": "\\?",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Octal escapes always have three digits, so a digit that follows is not part of the escape. */
function quote(text: string): string {
  const escaped = stripNul(text).replaceAll(
    specialCharacter,
    (letter) => namedEscapes[letter] ?? escapeAsOctal(letter),
  );
  return `"${escaped}"`;
}

function escapeAsOctal(letter: string): string {
  return Array.from(Buffer.from(letter), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(
    "",
  );
}

/** Quotes each line as a separate string. */
function quoteLines(text: string): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) => quote(index < lines.length - 1 ? `${line}\n` : line))
    .join("\n    ");
}

function writeBody(body: SampleBody | undefined): { lines: string[]; cleanup: string[] } {
  if (body === undefined) return { lines: [], cleanup: [] };
  switch (body.kind) {
    case "json":
      return writeTextBody(quoteLines(formatJson(body.value)));
    case "text":
      return writeTextBody(quote(body.text));
    case "form": {
      const pairs = body.fields.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`);
      return writeTextBody(quote(pairs.join("&")));
    }
    case "file":
      return {
        lines: [
          `FILE *file = fopen(${quote(body.file)}, "rb");`,
          "curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);",
          "curl_easy_setopt(curl, CURLOPT_READDATA, file);",
        ],
        cleanup: ["fclose(file);"],
      };
    default: {
      const parts = body.parts.flatMap(({ name, value, isFile }) => [
        "part = curl_mime_addpart(form);",
        `curl_mime_name(part, ${quote(name)});`,
        isFile
          ? `curl_mime_filedata(part, ${quote(value)});`
          : `curl_mime_data(part, ${quote(value)}, CURL_ZERO_TERMINATED);`,
      ]);
      return {
        lines: [
          "curl_mime *form = curl_mime_init(curl);",
          "curl_mimepart *part;",
          ...parts,
          "curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);",
        ],
        cleanup: ["curl_mime_free(form);"],
      };
    }
  }
}

function writeTextBody(text: string): { lines: string[]; cleanup: string[] } {
  const lines = [
    `const char *body = ${text.includes("\n") ? "\n    " : ""}${text};`,
    "curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);",
  ];
  return { lines, cleanup: [] };
}
