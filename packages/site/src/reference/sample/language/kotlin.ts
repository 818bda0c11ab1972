import { formatJson, quoteJson } from "../literal.ts";
import type { SampleBody } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const kotlin: SampleLanguage = {
  label: "Kotlin",
  grammar: "kotlin",
  names: ["kotlin", "kt"],
  write({ method, url, headers, body }) {
    const type = headers.find(([name]) => name === "Content-Type")?.[1] ?? "text/plain";
    const { imports, before, value } = writeBody(body, type);
    return [
      "import okhttp3.OkHttpClient",
      "import okhttp3.Request",
      ...imports.map((name) => `import okhttp3.${name}`),
      "",
      ...before,
      "val request = Request.Builder()",
      `    .url(${quote(url)})`,
      `    .method("${method}", ${value})`,
      ...headers.map(([name, text]) => `    .addHeader(${quote(name)}, ${quote(text)})`),
      "    .build()",
      "",
      "OkHttpClient().newCall(request).execute().use { response ->",
      "    println(response.body?.string())",
      "}",
    ].join("\n");
  },
};

/** Quotes a string and escapes `$`, because `$name` is interpolated. Kotlin has no escape sequence for a form feed. */
function quote(text: string): string {
  return quoteJson(text)
    .replaceAll(/\\(?:f|.)/g, (escape) => (escape === "\\f" ? "\\u000c" : escape))
    .replaceAll("$", () => "\\$");
}

/** Writes lines unchanged, except for dollar signs, which cannot be escaped in a raw string, only interpolated. */
function writeRawString(text: string): string {
  if (!text.includes("\n")) return quote(text);
  const lines = text.replaceAll("$", () => "${'$'}").replaceAll("\n", "\n    ");
  return `"""\n    ${lines}\n""".trimIndent()`;
}

interface BodyParts {
  readonly imports: readonly string[];
  readonly before: readonly string[];
  readonly value: string;
}

const textImports = ["MediaType.Companion.toMediaType", "RequestBody.Companion.toRequestBody"];

function writeBody(body: SampleBody | undefined, type: string): BodyParts {
  if (body === undefined) return { imports: [], before: [], value: "null" };
  const media = `${quote(type)}.toMediaType()`;
  switch (body.kind) {
    case "json":
    case "text": {
      const text = body.kind === "json" ? writeRawString(formatJson(body.value)) : quote(body.text);
      const before = [`val body = ${text}`, `    .toRequestBody(${media})`, ""];
      return { imports: textImports, before, value: "body" };
    }
    case "file": {
      const before = [`val body = java.io.File(${quote(body.file)}).asRequestBody(${media})`, ""];
      const imports = ["MediaType.Companion.toMediaType", "RequestBody.Companion.asRequestBody"];
      return { imports, before, value: "body" };
    }
    case "form": {
      const fields = body.fields.map(
        ([name, value]) => `    .add(${quote(name)}, ${quote(value)})`,
      );
      const before = ["val body = FormBody.Builder()", ...fields, "    .build()", ""];
      return { imports: ["FormBody"], before, value: "body" };
    }
    default: {
      const parts = body.parts.map(({ name, value, isFile }) => {
        const key = quote(name);
        const file = `java.io.File(${quote(value)}).asRequestBody()`;
        const content = isFile ? `${quote(value)}, ${file}` : quote(value);
        return `    .addFormDataPart(${key}, ${content})`;
      });
      const start = ["val body = MultipartBody.Builder()", "    .setType(MultipartBody.FORM)"];
      const imports = ["MultipartBody", "RequestBody.Companion.asRequestBody"];
      return { imports, before: [...start, ...parts, "    .build()", ""], value: "body" };
    }
  }
}
