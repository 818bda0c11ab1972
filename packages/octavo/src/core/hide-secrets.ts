/** What is shorter is no secret, and stands in half of all sentences. */
const shortestSecret = 4;
const instead = "[redacted]";

/**
 * Takes secrets out of words that somebody else wrote, such as a server to which they were sent: as they
 * are, escaped as in an address, and inside of base64, as in the header `Authorization: Basic`.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue;
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, instead);
  }
  return clean;
}

function formsOf(secret: string): Set<string> {
  const escaped = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  return new Set([secret, escaped, ...base64Forms(Buffer.from(secret))]);
}

/**
 * What stands for the secret in base64 wherever it begins in the text that was encoded: three bytes are
 * four characters, so there are three forms. Characters that tell of neighbouring bytes too are left out.
 */
function base64Forms(secret: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), secret]).toString("base64");
    const shared = (offset + secret.length) % 3 === 0 ? 0 : 1;
    const end = encoded.replace(/=+$/, "").length - shared;
    return encoded.slice(offset === 0 ? 0 : offset + 1, end);
  });
}
