import { formatJson, quoteJson } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const go: SampleLanguage = {
  label: "Go",
  grammar: "go",
  names: ["go", "golang"],
  write({ method, url, headers, body }) {
    const { imports, before, reader, after = [] } = writeBody(body);
    return [
      "package main",
      "",
      "import (",
      ...["fmt", "io", "net/http", ...imports].toSorted().map((name) => `\t"${name}"`),
      ")",
      "",
      "func main() {",
      `\taddress := ${quoteJson(url)}`,
      ...before.map((line) => `\t${line}`),
      "",
      `\trequest, _ := http.NewRequest("${method}", address, ${reader})`,
      ...headers.map(
        ([name, value]) => `\trequest.Header.Add(${quoteJson(name)}, ${quoteJson(value)})`,
      ),
      ...after.map((line) => `\t${line}`),
      "",
      "\tresponse, err := http.DefaultClient.Do(request)",
      "\tif err != nil {",
      "\t\tpanic(err)",
      "\t}",
      "\tdefer response.Body.Close()",
      "\tbody, _ := io.ReadAll(response.Body)",
      "",
      "\tfmt.Println(string(body))",
      "}",
    ].join("\n");
  },
};

interface BodyParts {
  readonly imports: readonly string[];
  readonly before: readonly string[];
  readonly reader: string;
  /** Lines of code after the headers. */
  readonly after?: readonly string[];
}

function writeBody(body: SampleBody | undefined): BodyParts {
  if (body === undefined) return { imports: [], before: [], reader: "nil" };
  switch (body.kind) {
    case "json":
      return writeTextBody(writeRawString(formatJson(body.value)));
    case "text":
      return writeTextBody(writeRawString(body.text));
    case "form":
      return writeFormBody(body);
    case "file":
      return {
        imports: ["os"],
        before: [`payload, _ := os.Open(${quoteJson(body.file)})`],
        reader: "payload",
      };
    default:
      return writeMultipartBody(body);
  }
}

function writeTextBody(text: string): BodyParts {
  const before = [`payload := strings.NewReader(${text})`];
  return { imports: ["strings"], before, reader: "payload" };
}

/** Writes a raw string, which cannot contain backticks and from which Go drops carriage returns. */
function writeRawString(text: string): string {
  return /[`\r\0\ufeff]/.test(text) ? quoteJson(text) : `\`${text.toWellFormed()}\``;
}

function writeFormBody({ fields }: Extract<SampleBody, { kind: "form" }>): BodyParts {
  return {
    imports: ["net/url", "strings"],
    before: [
      "form := url.Values{}",
      ...fields.map(([name, value]) => `form.Set(${quoteJson(name)}, ${quoteJson(value)})`),
    ],
    reader: "strings.NewReader(form.Encode())",
  };
}

function writeMultipartBody({ parts }: Extract<SampleBody, { kind: "multipart" }>): BodyParts {
  const hasFile = parts.some(({ isFile }) => isFile);
  const lines: string[] = [];
  let isFirst = true;
  for (const { name, value, isFile } of parts) {
    if (!isFile) {
      lines.push(`form.WriteField(${quoteJson(name)}, ${quoteJson(value)})`);
      continue;
    }
    const sign = isFirst ? ":=" : "=";
    isFirst = false;
    lines.push(
      `part, _ ${sign} form.CreateFormFile(${quoteJson(name)}, ${quoteJson(value)})`,
      `file, _ ${sign} os.Open(${quoteJson(value)})`,
      "io.Copy(part, file)",
    );
  }
  return {
    imports: ["bytes", "mime/multipart", ...(hasFile ? ["os"] : [])],
    before: [
      "payload := &bytes.Buffer{}",
      "form := multipart.NewWriter(payload)",
      ...lines,
      "form.Close()",
    ],
    reader: "payload",
    after: ['request.Header.Add("Content-Type", form.FormDataContentType())'],
  };
}
