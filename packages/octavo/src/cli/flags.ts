import { OctavoError } from "@octavo/site/core";

/** The value of `--base-url`. Throws `invalid_input` for what is no plain http address. */
export function readBaseUrl(text: string | undefined): string | undefined {
  return readAddress("--base-url", text, "https://docs.example.com");
}

/** The address of a service, without a slash at its end. Throws `invalid_input`, with the name of what was set. */
export function readServiceUrl(name: string, text: string | undefined): string | undefined {
  return readAddress(name, text, "http://127.0.0.1:4400");
}

function readAddress(name: string, text: string | undefined, example: string): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isPlain = url !== null && url.search === "" && url.hash === "" && url.username === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new OctavoError(
    "invalid_input",
    `${name} takes an http or https address, e.g. ${example}.`,
  );
}
