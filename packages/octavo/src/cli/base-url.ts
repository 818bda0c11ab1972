import { OctavoError } from "@octavo/site/core";

/** The value of `--base-url`. Throws `invalid_input` for what is no plain http address. */
export function readBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isPlain = url !== null && url.search === "" && url.hash === "" && url.username === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new OctavoError(
    "invalid_input",
    "--base-url takes an http or https address, e.g. https://docs.example.com.",
  );
}
