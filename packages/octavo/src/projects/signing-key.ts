import { OctavoError } from "@octavo/site/core";

/** A key that signs commits. */
export interface SigningKey {
  /** As `ssh-keygen` writes it. */
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA...`, for the account that the commits are shown as verified for. */
  readonly publicKey: string;
}

const pattern =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z\d+/=\s]+?)\s+-----END OPENSSH PRIVATE KEY-----$/;
const magic = "openssh-key-v1\0";
/** Those whose signatures are the same each time: a commit that is made again after a crash is the same one. */
const types = new Set(["ssh-ed25519", "ssh-rsa"]);

/** Reads a private key in OpenSSH's own format; throws `invalid_input` for one that cannot be used, without repeating it. */
export function readSigningKey(text: string): SigningKey {
  const privateKey = text.trim().replaceAll("\r\n", "\n");
  const bytes = Buffer.from(pattern.exec(privateKey)?.[1] ?? "", "base64");
  const reader = createReader(bytes);
  if (reader.take(magic.length).toString("latin1") !== magic) {
    throw invalid("is not a private key as ssh-keygen writes it (BEGIN OPENSSH PRIVATE KEY)");
  }
  const cipher = reader.string().toString("latin1");
  if (cipher !== "none") throw invalid("has a passphrase; use one without");
  reader.string();
  reader.string();
  reader.take(4);
  const publicBytes = reader.string();
  const type = createReader(publicBytes).string().toString("latin1");
  if (!types.has(type)) throw invalid("is of a kind that cannot be used; use Ed25519 or RSA");
  return { privateKey, publicKey: `${type} ${publicBytes.toString("base64")}` };
}

/** Beyond the end everything is empty. */
function createReader(bytes: Buffer) {
  let at = 0;
  const take = (length: number): Buffer => {
    const part = bytes.subarray(at, at + length);
    at += length;
    return part;
  };
  return {
    take,
    string(): Buffer {
      const length = take(4);
      return length.length === 4 ? take(length.readUInt32BE()) : Buffer.alloc(0);
    },
  };
}

function invalid(what: string): OctavoError {
  return new OctavoError("invalid_input", `signingKey ${what}.`);
}
