import { setImmediate as nextTurn } from "node:timers/promises";
import { OctavoError, createInputError } from "@octavo/site/core";
import { isRefName } from "../../core/index.ts";
import { sortRefs } from "../copy/packed-refs.ts";
import type { RepositoryState } from "../repository-store.ts";

/** A line of a push: a command to move one ref. An all-zero commit hash means that the ref does not exist. */
export interface PushCommand {
  readonly oldCommit: string;
  readonly newCommit: string;
  /** The full name, such as `refs/heads/main`. */
  readonly ref: string;
}

export interface PushHeader {
  readonly commands: readonly PushCommand[];
  readonly capabilities: ReadonlySet<string>;
  /** All bytes that were read so far. They are passed to git. */
  readonly bytes: Buffer;
}

/** The maximum number of capabilities. Git's clients offer about ten. */
const maxCapabilities = 100;
/** The maximum number of refs, more than any legitimate push has. Large imports have thousands of tags. */
const maxCommands = 20_000;
/**
 * The maximum size of everything before the objects, including `shallow` lines. Enough for 20,000 refs with names of
 * 120 characters.
 */
const maxHeadBytes = 4 * 1024 * 1024;
/** Git's own limit on the length of a line (gitprotocol-common). */
export const maxLineBytes = 65_520;
/**
 * The number of bytes that are read, in about 2 ms, before other requests get a turn. Data that has already arrived is
 * read without waiting.
 */
const sliceBytes = 64 * 1024;

const commandPattern = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/;

/**
 * Reads the commands of a push, up to the flush packet before the objects (gitprotocol-pack). Throws `invalid_input`
 * for a malformed push, and `too_large` if it exceeds the limits. For any input, it keeps at most `maxHeadBytes` of
 * text, `maxCommands` commands and one chunk of `source` in memory.
 */
export async function readPushHeader(source: AsyncIterator<Buffer>): Promise<PushHeader> {
  const received = new GrowingBuffer();
  const commands: PushCommand[] = [];
  const capabilities = new Set<string>();
  for (let [offset, sliceEnd] = [0, sliceBytes]; ;) {
    if (offset > sliceEnd) {
      sliceEnd = offset + sliceBytes;
      await nextTurn();
    }
    const line = readNextLine(received.bytes, offset);
    if (line === undefined) {
      const chunk = await source.next();
      if (chunk.done) throw createMalformedError();
      received.append(chunk.value);
      continue;
    }
    offset += line.size;
    if (offset > maxHeadBytes) throw createCommandLimitError();
    if (line.text === undefined) {
      return checkHeader({ commands, capabilities, bytes: received.bytes });
    }
    const whole = line.text.endsWith("\n") ? line.text.slice(0, -1) : line.text;
    const [text = "", offered] = whole.includes("\0") ? whole.split("\0", 2) : [whole];
    if (offered !== undefined && capabilities.size === 0) addCapabilities(capabilities, offered);
    const command = readCommand(text);
    if (command) commands.push(command);
    if (commands.length > maxCommands) throw createCommandLimitError();
  }
}

/**
 * Collects bytes that arrive in pieces of any size. A list of small pieces would take a hundred times as much memory.
 */
class GrowingBuffer {
  #space = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  get bytes(): Buffer {
    return this.#space.subarray(0, this.#length);
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#space.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.#space.length * 2));
      this.#space.copy(larger, 0, 0, this.#length);
      this.#space = larger;
    }
    piece.copy(this.#space, this.#length);
    this.#length = length;
  }
}

/** Throws unless the client requests a report. Without a report, the client would consider every push successful. */
function checkHeader(head: PushHeader): PushHeader {
  const isReportRequested = ["report-status", "report-status-v2"].some((one) =>
    head.capabilities.has(one),
  );
  if (isReportRequested || head.commands.length === 0) return head;
  throw createInputError("The git client must request a status report for its push.");
}

/** Returns the next line, or undefined if it is not complete yet. The text of a flush packet is undefined. */
function readNextLine(
  bytes: Buffer,
  offset: number,
): { readonly size: number; readonly text?: string } | undefined {
  if (bytes.length < offset + 4) return undefined;
  let size = 0;
  for (let index = offset; index < offset + 4; index++)
    size = size * 16 + parseHexDigit(bytes[index] ?? 0);
  if (size === 0) return { size: 4 };
  if (!(size >= 5 && size <= maxLineBytes)) throw createMalformedError();
  if (bytes.length < offset + size) return undefined;
  return { size, text: bytes.toString("utf8", offset + 4, offset + size) };
}

/** Returns the value of a hexadecimal digit in ASCII; NaN for any other character. */
function parseHexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** Adds the capabilities of the first line that has any. On other lines, they have no meaning. */
function addCapabilities(capabilities: Set<string>, offered: string): void {
  const names = offered.split(" ", maxCapabilities + 1);
  if (names.length > maxCapabilities) throw createMalformedError();
  for (const name of names) capabilities.add(name);
}

function readCommand(text: string): PushCommand | undefined {
  if (/^shallow [0-9a-f]{40,64}$/.test(text)) return undefined;
  const [, oldCommit, newCommit, ref] = commandPattern.exec(text) ?? [];
  if (oldCommit === undefined || newCommit === undefined || ref === undefined)
    throw createMalformedError();
  return { oldCommit, newCommit, ref };
}

export function isDeletion({ newCommit }: PushCommand): boolean {
  return /^0+$/.test(newCommit);
}

/** Returns the reason why no one may push a ref, or undefined for a branch or tag with a valid name. */
export function refuseRefName({ ref }: PushCommand): string | undefined {
  const name = /^refs\/(?:heads|tags)\/(.+)$/s.exec(ref)?.[1];
  if (name === undefined) return "only branches and tags are accepted";
  const isValidName = isRefName(name) && name !== "HEAD" && !name.includes("\uFFFD");
  return isValidName ? undefined : "this is not a valid name";
}

/** Returns git's report for a push that was rejected as a whole. It shows the user the reason for each ref. */
export function formatRefusalReport(
  head: PushHeader,
  getReason: (command: PushCommand) => string,
): Buffer {
  const lines = head.commands.map((command) => formatRefusalLine(command.ref, getReason(command)));
  return formatReport(head, ["unpack ok\n", ...lines]);
}

/** Returns a line of a report, with the reason why a ref did not move. */
export function formatRefusalLine(ref: string, reason: string): string {
  return `ng ${ref} ${reason}\n`;
}

/** Returns a report in the format that the client requested. */
export function formatReport(head: PushHeader, lines: readonly string[]): Buffer {
  const report = Buffer.concat([...lines.map((line) => encodePacket(line)), Buffer.from("0000")]);
  if (!hasSideBand(head)) return report;
  const parts: Buffer[] = [];
  const step = maxLineBytes - 5;
  for (let offset = 0; offset < report.length; offset += step) {
    parts.push(
      encodePacket(Buffer.concat([Buffer.from([1]), report.subarray(offset, offset + step)])),
    );
  }
  return Buffer.concat([...parts, Buffer.from("0000")]);
}

/**
 * Returns a line that git shows to the person after `remote: `. The client must accept the channels of `hasSideBand`.
 */
export function formatMessage(line: string): Buffer {
  return encodePacket(Buffer.concat([Buffer.from([2]), Buffer.from(`${line}\n`)]));
}

/**
 * Reports whether the client accepts a response with separate channels for progress (2), errors (3) and the report (1).
 */
export function hasSideBand({ capabilities }: PushHeader): boolean {
  return capabilities.has("side-band-64k");
}

export function encodePacket(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

function createMalformedError(): OctavoError {
  return createInputError("This is not a valid push.");
}

function createCommandLimitError(): OctavoError {
  return new OctavoError(
    "too_large",
    `A push can have at most ${maxCommands.toLocaleString("en")} branches and tags.`,
  );
}

/**
 * The capabilities that `git receive-pack`, with the settings of a push, announces in every version that the service
 * runs.
 */
const capabilities = [
  "report-status",
  "report-status-v2",
  "delete-refs",
  "side-band-64k",
  "quiet",
  "atomic",
  "ofs-delta",
  "object-format=sha1",
  "agent=octavo",
].join(" ");
const flushPacket = Buffer.from("0000");

/**
 * Returns the list of refs that a client requests before a push (gitprotocol-http). Generated here, because git would
 * need three processes to read from a file the refs that the database has just returned.
 */
export function formatPushAdvertisement({ refs }: Pick<RepositoryState, "refs">): Buffer {
  const listed = sortRefs(refs).map(({ name, commit }) => `${commit} ${name}`);
  const [first = `${"0".repeat(40)} capabilities^{}`, ...rest] = listed;
  const lines = [`${first}\0${capabilities}`, ...rest];
  const service = encodePacket("# service=git-receive-pack\n");
  return Buffer.concat([
    service,
    flushPacket,
    ...lines.map((line) => encodePacket(`${line}\n`)),
    flushPacket,
  ]);
}
