import { quoteWithBraces, formatJson } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const rust: SampleLanguage = {
  label: "Rust",
  grammar: "rust",
  names: ["rust", "rs"],
  write({ method, url, headers, body }) {
    const { before, call } = writeBody(body);
    return [
      "#[tokio::main]",
      "async fn main() -> Result<(), Box<dyn std::error::Error>> {",
      ...before.map((line) => `    ${line}`),
      ...(before.length === 0 ? [] : [""]),
      "    let response = reqwest::Client::new()",
      `        .request(reqwest::Method::${method}, ${quoteWithBraces(url)})`,
      ...headers.map(
        ([name, value]) => `        .header(${quoteWithBraces(name)}, ${quoteWithBraces(value)})`,
      ),
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

/** Writes lines unchanged, enclosed in more number signs than follow any quotation mark in them. */
function writeRawString(text: string): string {
  let length = 1;
  for (const [run] of text.matchAll(/"#*/g)) length = Math.max(length, run.length);
  const marks = "#".repeat(length);
  return `r${marks}"${text}"${marks}`;
}

function writeBody(body: SampleBody | undefined): { before: string[]; call: string } {
  if (body === undefined) return { before: [], call: "" };
  switch (body.kind) {
    case "json":
      return {
        before: [`let body = ${writeRawString(formatJson(body.value))};`],
        call: ".body(body)",
      };
    case "text":
      return { before: [], call: `.body(${quoteWithBraces(body.text)})` };
    case "file":
      return { before: [], call: `.body(std::fs::read(${quoteWithBraces(body.file)})?)` };
    case "form": {
      const fields = body.fields.map(
        ([name, value]) => `(${quoteWithBraces(name)}, ${quoteWithBraces(value)})`,
      );
      return { before: [], call: `.form(&[${fields.join(", ")}])` };
    }
    default: {
      const parts = body.parts.map(({ name, value, isFile }) =>
        isFile
          ? `    .file(${quoteWithBraces(name)}, ${quoteWithBraces(value)}).await?`
          : `    .text(${quoteWithBraces(name)}, ${quoteWithBraces(value)})`,
      );
      const last = parts.pop() ?? "";
      const before = ["let form = reqwest::multipart::Form::new()", ...parts, `${last};`];
      return { before, call: ".multipart(form)" };
    }
  }
}
