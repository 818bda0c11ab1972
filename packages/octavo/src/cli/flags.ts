import { OctavoError } from "@octavo/site/core";

/** The flag for source repositories, which the user repeats for each repository. */
export const sourceFlag = [
  "--source <repository[@ref][:directory]>",
  "repository that agents may read; repeat the option to add more",
  (text: string, others: readonly string[] = []) => [...others, text],
] as const;

/** Reads the value of `--base-url`. Throws `invalid_input` unless the value is a plain http or https address. */
export function readBaseUrl(text: string | undefined): string | undefined {
  return readAddress("--base-url", text, "https://docs.example.com");
}

/**
 * Returns the address of a service, without a trailing slash. Throws an `invalid_input` error that names the setting if
 * the address is not valid.
 */
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

/** Reads the value of a flag with a fixed set of choices. Throws `invalid_input` for any other value. */
export function readChoice<Word extends string>(
  flag: string,
  choices: readonly Word[],
  value: string,
): Word {
  const choice = choices.find((word) => word === value);
  if (choice !== undefined) return choice;
  const words = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}`;
  throw new OctavoError("invalid_input", `${flag} takes ${words}, not ${JSON.stringify(value)}.`);
}

/**
 * Formats the examples at the end of a command's help, for `addHelpText("after", ...)`. Pass the lines without the
 * program's name.
 */
export function formatExamples(...lines: readonly string[]): string {
  const heading = lines.length === 1 ? "Example:" : "Examples:";
  return ["", heading, ...lines.map((line) => `  octavo ${line}`)].join("\n");
}
