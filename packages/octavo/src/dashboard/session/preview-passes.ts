import { createHmac } from "node:crypto";
import { isSameSecret } from "../../core/index.ts";

/** The session that may view an export. */
export interface PreviewAccess {
  readonly sessionId: string;
  readonly jobId: string;
}

/**
 * Tokens in the addresses of previews. The content of a preview is untrusted: it runs outside the dashboard's origin
 * and therefore without its cookie, so a signed token grants access instead. Tokens are not stored.
 */
export interface PreviewPasses {
  sign(access: PreviewAccess): string;
  /** Returns undefined if the token was not signed here or is older than an hour. */
  read(token: string): PreviewAccess | undefined;
}

const maxAgeSeconds = 60 * 60;
const maxTokenLength = 500;

/**
 * Creates tokens of the form `<session>.<job>.<seconds>.<signature>`; any change invalidates the signature. IDs contain
 * no dots or line breaks.
 */
export function createPreviewPasses(key: Buffer): PreviewPasses {
  const signatureOf = (content: readonly string[]): string =>
    createHmac("sha256", key)
      .update(["preview", ...content].join("\n"))
      .digest("base64url");
  return {
    sign({ sessionId, jobId }) {
      const expires = String(Math.floor(Date.now() / 1000) + maxAgeSeconds);
      const content = [sessionId, jobId, expires];
      return [...content, signatureOf(content)].join(".");
    },
    read(token) {
      if (token.length > maxTokenLength) return undefined;
      const content = token.split(".");
      const given = content.pop() ?? "";
      if (!isSameSecret(given, signatureOf(content))) return undefined;
      const [sessionId, jobId, expires] = content;
      if (sessionId === undefined || jobId === undefined) return undefined;
      return Number(expires) * 1000 > Date.now() ? { sessionId, jobId } : undefined;
    },
  };
}
