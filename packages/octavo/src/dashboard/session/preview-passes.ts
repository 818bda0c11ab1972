import { createHmac } from "node:crypto";
import { isSameSecret } from "../../core/index.ts";

/** The session that may view an export. */
export interface PreviewAccess {
  readonly sessionId: string;
  readonly jobId: string;
}

/**
 * Creates and reads the tokens in the addresses of previews. The content of a preview is untrusted, so it runs outside
 * the dashboard's origin and without its cookie. A signed token grants access instead. Tokens are not stored.
 */
export interface PreviewTokens {
  sign(access: PreviewAccess): string;
  /**
   * Returns the access that a token grants, or undefined if this service did not sign the token or it is older than an
   * hour.
   */
  read(token: string): PreviewAccess | undefined;
}

const maxAgeSeconds = 60 * 60;
const maxTokenLength = 500;

/**
 * Tokens have the form `<session>.<job>.<seconds>.<signature>`. Any change invalidates the signature. IDs contain no
 * dots or line breaks.
 */
export function createPreviewTokens(key: Buffer): PreviewTokens {
  const computeTokenSignature = (content: readonly string[]): string =>
    createHmac("sha256", key)
      .update(["preview", ...content].join("\n"))
      .digest("base64url");
  return {
    sign({ sessionId, jobId }) {
      const expires = String(Math.floor(Date.now() / 1000) + maxAgeSeconds);
      const content = [sessionId, jobId, expires];
      return [...content, computeTokenSignature(content)].join(".");
    },
    read(token) {
      if (token.length > maxTokenLength) return undefined;
      const content = token.split(".");
      const signature = content.pop() ?? "";
      if (!isSameSecret(signature, computeTokenSignature(content))) return undefined;
      const [sessionId, jobId, expires] = content;
      if (sessionId === undefined || jobId === undefined) return undefined;
      return Number(expires) * 1000 > Date.now() ? { sessionId, jobId } : undefined;
    },
  };
}
