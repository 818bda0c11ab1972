/** What tokens of code hosts, model providers and clouds look like, and private keys. */
const tokenForms: readonly RegExp[] = [
  /\b(?:gh[opsur]_|github_pat_|glpat-)\w{16,}/g,
  /\b(?:sk-|AIza)[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bnpm_\w{30,}/g,
];
const privateKey = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{1,16384}?-----END/g;

/** Removes what has the form of a secret, whoever's it is. Known secrets are `hideSecrets`' business. */
export function hideTokens(text: string): string {
  let clean = text.replace(privateKey, "[redacted private key] -----END");
  for (const form of tokenForms) clean = clean.replace(form, "[redacted]");
  return clean;
}
