import { toHostName } from "../core/index.ts";

const localPartPattern = /^[^\s@<>"\p{Cc}]{1,64}$/u;

/**
 * Returns the form in which email addresses are stored and compared, or undefined for text that is not an address. Only
 * ASCII letters are lowercased, because Unicode's case folding would turn a look-alike, such as the Kelvin sign
 * (U+212A), into the `k` of another person's address. The domain is converted to punycode.
 */
export function normalizeEmailAddress(text: string): string | undefined {
  const [local = "", domain = "", ...rest] = text.trim().split("@");
  const host = toHostName(domain);
  const isComplete =
    rest.length === 0 && localPartPattern.test(local) && host?.includes(".") === true;
  if (!isComplete || host.length > 240) return undefined;
  return `${local.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}@${host}`;
}
