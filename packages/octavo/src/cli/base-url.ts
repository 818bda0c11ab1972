import { OctavoError } from "@octavo/site/core";

/** Where a bundle will be served, as a person gives it; nothing where they do not. Throws `invalid_input`. */
export function readBaseUrl(text: string | undefined): { readonly baseUrl?: string } {
  if (text === undefined) return {};
  const url = URL.parse(text);
  const isPlain = url !== null && url.search === "" && url.hash === "" && url.username === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return { baseUrl: url.href.replace(/\/+$/, "") };
  throw new OctavoError(
    "invalid_input",
    "--base-url takes an http or https address, e.g. https://docs.example.com.",
  );
}
