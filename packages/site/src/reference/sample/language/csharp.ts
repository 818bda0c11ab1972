import { formatJson, quoteJson } from "../literal.ts";
import type { SampleBody, SampleRequest } from "../request.ts";
import type { SampleLanguage } from "../sample-language.ts";

export const csharp: SampleLanguage = {
  label: "C#",
  grammar: "csharp",
  names: ["csharp", "c#", "cs"],
  write,
};

export const dotnet: SampleLanguage = {
  label: ".NET",
  grammar: "csharp",
  names: ["dotnet", ".net", "dot-net"],
  write,
};

function write({ method, url, headers, body }: SampleRequest): string {
  const type = headers.find(([name]) => name === "Content-Type")?.[1] ?? "text/plain";
  const requestHeaders = headers.filter(([name]) => name !== "Content-Type");
  return [
    "using System.Net.Http;",
    ...(body?.kind === "json" || body?.kind === "text" ? ["using System.Text;"] : []),
    "",
    "using var client = new HttpClient();",
    `using var request = new HttpRequestMessage(new HttpMethod("${method}"), ${quoteJson(url)});`,
    ...requestHeaders.map(
      ([name, value]) =>
        `request.Headers.TryAddWithoutValidation(${quoteJson(name)}, ${quoteJson(value)});`,
    ),
    ...writeContent(body, type),
    "",
    "using var response = await client.SendAsync(request);",
    "Console.WriteLine(await response.Content.ReadAsStringAsync());",
  ].join("\n");
}

function writeContent(body: SampleBody | undefined, type: string): string[] {
  if (body === undefined) return [];
  switch (body.kind) {
    case "json":
    case "text": {
      const text =
        body.kind === "json" ? writeRawString(formatJson(body.value)) : quoteJson(body.text);
      // `StringContent` itself adds the charset to the media type.
      const media = quoteJson(type.split(";")[0] ?? type);
      return [`request.Content = new StringContent(${text}, Encoding.UTF8, ${media});`];
    }
    case "form": {
      const fields = body.fields.map(
        ([name, value]) => `    [${quoteJson(name)}] = ${quoteJson(value)},`,
      );
      return [
        "request.Content = new FormUrlEncodedContent(new Dictionary<string, string>",
        "{",
        ...fields,
        "});",
      ];
    }
    case "file":
      return [`request.Content = new StreamContent(File.OpenRead(${quoteJson(body.file)}));`];
    default: {
      const parts = body.parts.map(({ name, value, isFile }) => {
        const key = quoteJson(name);
        const text = quoteJson(value);
        return isFile
          ? `form.Add(new StreamContent(File.OpenRead(${text})), ${key}, ${text});`
          : `form.Add(new StringContent(${text}), ${key});`;
      });
      return ["var form = new MultipartFormDataContent();", ...parts, "request.Content = form;"];
    }
  }
}

/** Writes lines unchanged. This is safe because JSON never contains three quotation marks in a row. */
function writeRawString(text: string): string {
  if (!text.includes("\n")) return quoteJson(text);
  return `"""\n    ${text.replaceAll("\n", "\n    ")}\n    """`;
}
