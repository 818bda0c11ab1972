import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { OctavoError } from "@octavo/site/core";

/** The purpose of a key derived from the secret. Each purpose has a separate key. */
type KeyPurpose =
  | "credentials"
  | "bundle links"
  | "dashboard cookies"
  | "sign-ins"
  | "answers to comments"
  | "sites"
  | "certificates";

/** Derives 32 bytes for one purpose from the operator's secret (HKDF, SHA-256). */
export function deriveKey(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "octavo", purpose, 32));
}

/**
 * Encrypts values that must be readable later. `owner` is authenticated, so a value that was copied to another row
 * cannot be decrypted.
 */
export interface Vault {
  seal(text: string, owner: string): Uint8Array;
  /** Throws `unavailable` if the value was sealed with a different secret or for a different owner, or was altered. */
  open(sealed: Uint8Array, owner: string): string;
}

const cipher = "aes-256-gcm";
const formatVersion = 1;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a vault. A sealed value consists of one version byte, the nonce, the tag and the encrypted text
 * (AES-256-GCM).
 */
export function createVault(secret: string, purpose: KeyPurpose = "credentials"): Vault {
  const key = deriveKey(secret, purpose);
  return {
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([encryption.update(text, "utf8"), encryption.final()]);
      return Buffer.concat([Buffer.of(formatVersion), nonce, encryption.getAuthTag(), body]);
    },
    open(sealed, owner) {
      try {
        const bytes = Buffer.from(sealed);
        if (bytes[0] !== formatVersion) throw new Error(`Unknown version ${bytes[0]}`);
        const tagOffset = 1 + nonceBytes;
        const nonce = bytes.subarray(1, tagOffset);
        const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(owner))
          .setAuthTag(bytes.subarray(tagOffset, tagOffset + tagBytes));
        const text = decryption.update(bytes.subarray(tagOffset + tagBytes));
        return Buffer.concat([text, decryption.final()]).toString("utf8");
      } catch (cause) {
        throw new OctavoError(
          "unavailable",
          "Stored credentials cannot be decrypted because OCTAVO_SECRET is not the secret with which they were " +
            "encrypted. Restore that secret, or set the project's credentials again and recreate the webhook.",
          { cause },
        );
      }
    },
  };
}
