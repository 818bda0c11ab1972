import { toHostName } from "../core/index.ts";

const localPart = /^[^\s@<>"\p{Cc}]{1,64}$/u;

/**
 * Returns the form in which email addresses are stored and compared; undefined for text that is not an address. Only
 * ASCII letters are lowercased: Unicode's case folding would make a look-alike, such as U+212A, the letter `k` of
 * another person's address. The domain is the one that DNS resolves, in punycode.
 */
export function normalizeEmailAddress(text: string): string | undefined {
  const [local = "", domain = "", ...rest] = text.trim().split("@");
  const host = toHostName(domain);
  const isWhole = rest.length === 0 && localPart.test(local) && host?.includes(".") === true;
  if (!isWhole || host.length > 240) return undefined;
  return `${local.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}@${host}`;
}
