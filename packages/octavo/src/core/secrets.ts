import { timingSafeEqual } from "node:crypto";

/** The minimum length of a secret. Shorter strings are not secrets and occur in ordinary text. */
const minSecretLength = 4;
const replacement = "[redacted]";

/** Patterns of private keys and of tokens for code hosts, model providers and clouds. */
const tokenPatterns: readonly RegExp[] = [
  /\b(?:gh[opsur]_|github_pat_|glpat-)\w{16,}/g,
  /\b(?:sk-|AIza)[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bnpm_\w{30,}/g,
];
const privateKeyPattern = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{1,16384}?-----END/g;

/**
 * Redacts secrets in text from another party, such as the server to which they were sent. Recognizes them in plain
 * form, percent-encoded as in a URL, and inside base64 as in the header `Authorization: Basic`.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < minSecretLength) continue;
    for (const form of listEncodings(secret)) clean = clean.replaceAll(form, replacement);
  }
  return clean;
}

function listEncodings(secret: string): Set<string> {
  const escaped = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  return new Set([secret, escaped, ...listBase64Forms(Buffer.from(secret))]);
}

/**
 * Returns the secret in base64 for each of three offsets, because base64 encodes three bytes as four characters.
 * Characters that also encode neighboring bytes are omitted.
 */
function listBase64Forms(secret: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), secret]).toString("base64");
    const sharedChars = (offset + secret.length) % 3 === 0 ? 0 : 1;
    const end = encoded.replace(/=+$/, "").length - sharedChars;
    return encoded.slice(offset === 0 ? 0 : offset + 1, end);
  });
}

/** Redacts text that has the form of a token or private key. `redactSecrets` redacts known secrets. */
export function redactTokens(text: string): string {
  let clean = text.replace(privateKeyPattern, "[redacted private key] -----END");
  for (const form of tokenPatterns) clean = clean.replace(form, "[redacted]");
  return clean;
}

/** Compares a value with a secret. The duration of the comparison reveals only the secret's length. */
export function isSameSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}
