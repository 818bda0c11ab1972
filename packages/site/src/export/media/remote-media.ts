import {
  createTimeoutSignal,
  isOctavoError,
  limits,
  sha256,
  type BundleFile,
} from "../../core/index.ts";
import type { FetchRemote } from "../../load/index.ts";
import type { MediaCopies } from "../../site/index.ts";
import type { MediaCache } from "../cache/export-cache.ts";

/** Copies files from other hosts into an export's bundle. */
export interface RemoteMedia {
  /**
   * Fetches these addresses in order, each once, within the limits. Rejects only if the export is aborted; addresses
   * that cannot be fetched are in `failures`.
   */
  fetchCopies(addresses: Iterable<string>): Promise<void>;
  /** Returns the copies of these addresses, or undefined if no address was copied. */
  copiesOf(addresses: Iterable<string>): MediaCopies | undefined;
  /** The reason for each missing copy, by address, worded as the end of a sentence. */
  readonly failures: ReadonlyMap<string, string>;
}

export interface RemoteMediaOptions {
  readonly fetchRemote: FetchRemote;
  /** If omitted, nothing is cached. */
  readonly cache?: MediaCache | undefined;
  /** Called once per file. */
  readonly write: (file: BundleFile) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: RemoteLimits;
}

/** The fields of `limits` that apply here. */
type RemoteLimits = Readonly<
  Record<"remoteFileBytes" | "remoteBytes" | "remoteFiles" | "remoteMs", number>
>;

/** Maximum number of simultaneous requests; most addresses of a site are on one host. */
const concurrentRequests = 12;

type FetchOutcome =
  | { readonly bytes: Uint8Array; readonly isCached: boolean }
  | { readonly refused: string };

export function createRemoteMedia(options: RemoteMediaOptions): RemoteMedia {
  return new Media(options);
}

class Media implements RemoteMedia {
  readonly failures = new Map<string, string>();
  readonly #copies = new Map<string, string>();
  readonly #written = new Set<string>();
  readonly #options: RemoteMediaOptions;
  readonly #limits: RemoteLimits;
  #bytes = 0;
  #deadline: AbortSignal | undefined;

  constructor(options: RemoteMediaOptions) {
    this.#options = options;
    this.#limits = options.limits ?? limits;
  }

  async fetchCopies(addresses: Iterable<string>): Promise<void> {
    const newAddresses = [...new Set(addresses)].filter((address) => !this.#isKnown(address));
    // Fetch in batches and count in order: which file exceeds a limit must not depend on which host responds first.
    for (let start = 0; start < newAddresses.length; start += concurrentRequests) {
      this.#options.signal?.throwIfAborted();
      const batch = newAddresses.slice(start, start + concurrentRequests);
      const outcomes = await Promise.all(batch.map((address) => this.#fetch(address)));
      for (const [index, address] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) await this.#store(address, outcome);
      }
    }
  }

  copiesOf(addresses: Iterable<string>): MediaCopies | undefined {
    const copies: Record<string, string> = {};
    for (const address of addresses) {
      const path = this.#copies.get(address);
      if (path !== undefined) copies[address] = path;
    }
    return Object.keys(copies).length === 0 ? undefined : copies;
  }

  #isKnown(address: string): boolean {
    return this.#copies.has(address) || this.failures.has(address);
  }

  async #fetch(address: string): Promise<FetchOutcome> {
    const cached = await this.#options.cache?.get(address);
    if (cached !== undefined) return { bytes: cached, isCached: true };
    const { remoteBytes, remoteFileBytes, remoteMs } = this.#limits;
    if (this.#bytes >= remoteBytes) return { refused: sizeRefusal };
    this.#deadline ??= createTimeoutSignal(remoteMs);
    if (this.#deadline.aborted) return { refused: "the time limit for fetching was reached" };
    const { fetchRemote, signal } = this.#options;
    const abortSignal = signal ? AbortSignal.any([signal, this.#deadline]) : this.#deadline;
    try {
      const { bytes } = await fetchRemote(address, {
        maxBytes: remoteFileBytes,
        signal: abortSignal,
      });
      return { bytes, isCached: false };
    } catch (error) {
      signal?.throwIfAborted();
      return { refused: getRefusalReason(error) };
    }
  }

  async #store(address: string, outcome: FetchOutcome): Promise<void> {
    if ("refused" in outcome) {
      this.failures.set(address, outcome.refused);
      return;
    }
    const { bytes } = outcome;
    const extension = detectMediaExtension(bytes);
    const path = `_octavo/media/${sha256(bytes).slice(0, 32)}.${extension}`;
    const isNew = !this.#written.has(path);
    const refused =
      extension === undefined ? typeRefusal : this.#findRefusal(isNew ? bytes.length : 0);
    if (refused !== undefined) {
      this.failures.set(address, refused);
      return;
    }
    this.#copies.set(address, path);
    if (!outcome.isCached) await this.#options.cache?.put(address, bytes);
    if (!isNew) return;
    this.#written.add(path);
    this.#bytes += bytes.length;
    await this.#options.write({ path, content: bytes });
  }

  #findRefusal(bytes: number): string | undefined {
    const { remoteBytes, remoteFiles } = this.#limits;
    if (this.#bytes + bytes > remoteBytes) return sizeRefusal;
    if (this.#written.size < remoteFiles || bytes === 0) return undefined;
    return `an export copies at most ${remoteFiles.toLocaleString("en")} files from other hosts`;
  }
}

const typeRefusal = "it is not an image, audio, video or font file that can be copied";
const sizeRefusal = "the files from other hosts would exceed their total size limit";

function getRefusalReason(error: unknown): string {
  if (!isOctavoError(error)) return "it could not be fetched";
  const [sentence = ""] = error.message.split(/\.(?:\s|$)/, 1);
  return sentence;
}

/** The extension of a file in the bundle, such as `png`, detected from its content. */
type MediaExtension = string;

interface Signature {
  readonly offset: number;
  readonly bytes: string;
  readonly extension: MediaExtension;
}

/** The first bytes of files of each type, as Latin-1. They are checked because servers often send wrong media types. */
const signatures: readonly Signature[] = [
  { offset: 0, bytes: "\x89PNG\r\n\x1a\n", extension: "png" },
  { offset: 0, bytes: "\xff\xd8\xff", extension: "jpg" },
  { offset: 0, bytes: "GIF87a", extension: "gif" },
  { offset: 0, bytes: "GIF89a", extension: "gif" },
  { offset: 8, bytes: "WEBP", extension: "webp" },
  { offset: 8, bytes: "WAVE", extension: "wav" },
  { offset: 4, bytes: "ftypavif", extension: "avif" },
  { offset: 4, bytes: "ftypavis", extension: "avif" },
  { offset: 4, bytes: "ftypqt  ", extension: "mov" },
  { offset: 4, bytes: "ftypM4A ", extension: "m4a" },
  { offset: 4, bytes: "ftyp", extension: "mp4" },
  { offset: 0, bytes: "\x1a\x45\xdf\xa3", extension: "webm" },
  { offset: 0, bytes: "OggS", extension: "ogg" },
  { offset: 0, bytes: "fLaC", extension: "flac" },
  { offset: 0, bytes: "ID3", extension: "mp3" },
  { offset: 0, bytes: "\xff\xfb", extension: "mp3" },
  { offset: 0, bytes: "\xff\xf3", extension: "mp3" },
  { offset: 0, bytes: "\0\0\x01\0", extension: "ico" },
  { offset: 0, bytes: "BM", extension: "bmp" },
  { offset: 0, bytes: "wOFF", extension: "woff" },
  { offset: 0, bytes: "wOF2", extension: "woff2" },
  { offset: 0, bytes: "WEBVTT", extension: "vtt" },
];

/** Number of bytes up to the end of the longest signature. */
const headBytes = 16;
/** Maximum length of the text before `<svg`, such as a declaration, comments or a license. */
const prologueCharacters = 4_000;

/**
 * Returns the extension for the image, audio, video or font format of the bytes. Returns undefined for all other
 * content, such as pages and programs, and for SVG with active content, because readers may open the file on its own.
 */
export function detectMediaExtension(bytes: Uint8Array): MediaExtension | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1");
  const found = signatures.find((signature) => head.startsWith(signature.bytes, signature.offset));
  return found?.extension ?? (isSafeSvg(bytes) ? "svg" : undefined);
}

function isSafeSvg(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const start = text.slice(0, prologueCharacters).trimStart();
  if (!/^<(?:svg[\s>]|\?xml|!--|!DOCTYPE svg)/.test(start) || !/<svg[\s>]/.test(start))
    return false;
  return !activeContent.test(text);
}

/** Elements and attributes that run code, load files or contain other markup, and entities that could hide them. */
const activeContent =
  /<(?:[\w-]+:)?(?:script|foreignobject|iframe|embed|object|audio|video|handler)[\s/>]|\son\w+\s*=|(?:javascript|vbscript)\s*:|<!entity|<\?xml-stylesheet|<html|&#/i;
