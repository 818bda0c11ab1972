import { prettyJson } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const rust: SampleLanguage = {
  label: "Rust",
  grammar: "rust",
  names: ["rust", "rs"],
  write({ method, url, headers, body }) {
    const { before, call } = bodyParts(body);
    return [
      "#[tokio::main]",
      "async fn main() -> Result<(), Box<dyn std::error::Error>> {",
      ...before.map((line) => `    ${line}`),
      ...(before.length === 0 ? [] : [""]),
      "    let response = reqwest::Client::new()",
      `        .request(reqwest::Method::${method}, ${quote(url)})`,
      ...headers.map(([name, value]) => `        .header(${quote(name)}, ${quote(value)})`),
      ...(call === "" ? [] : [`        ${call}`]),
      "        .send()",
      "        .await?;",
      "",
      '    println!("{}", response.text().await?);',
      "    Ok(())",
      "}",
    ].join("\n");
  },
};

const special = /["\\\p{Cc}\u2028\u2029]/gu;
const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function quote(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(special, (letter) => named[letter] ?? `\\u{${letter.charCodeAt(0).toString(16)}}`);
  return `"${escaped}"`;
}

/** Lines as they are, between more number signs than stand behind any quote in them. */
function rawString(text: string): string {
  let length = 1;
  for (const [run] of text.matchAll(/"#*/g)) length = Math.max(length, run.length);
  const marks = "#".repeat(length);
  return `r${marks}"${text}"${marks}`;
}

function bodyParts(body: SampleBody | undefined): { before: string[]; call: string } {
  if (body === undefined) return { before: [], call: "" };
  switch (body.kind) {
    case "json":
      return {
        before: [`let body = ${rawString(prettyJson(body.value))};`],
        call: ".body(body)",
      };
    case "text":
      return { before: [], call: `.body(${quote(body.text)})` };
    case "file":
      return { before: [], call: `.body(std::fs::read(${quote(body.file)})?)` };
    case "form": {
      const fields = body.fields.map(([name, value]) => `(${quote(name)}, ${quote(value)})`);
      return { before: [], call: `.form(&[${fields.join(", ")}])` };
    }
    default: {
      const parts = body.parts.map(({ name, value, isFile }) =>
        isFile
          ? `    .file(${quote(name)}, ${quote(value)}).await?`
          : `    .text(${quote(name)}, ${quote(value)})`,
      );
      const last = parts.pop() ?? "";
      const before = ["let form = reqwest::multipart::Form::new()", ...parts, `${last};`];
      return { before, call: ".multipart(form)" };
    }
  }
}
