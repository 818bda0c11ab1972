/**
 * The bytes of an index that is being built or is cached. They are appended in sequence and read by offset. An index
 * grows with its site and is read in small pieces, so a store may keep most of it in a file.
 */
export interface ByteStore extends Disposable {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /**
   * Returns the bytes from one offset up to another. They must not be modified and are valid until the next call. Bytes
   * that represent numbers are aligned.
   */
  read(from: number, to: number): Uint8Array;
}

/** Creates an empty store, which can be read until it is disposed of or the export ends. */
export type CreateStore = () => ByteStore;

/** Creates a store that keeps everything in memory. */
export function createMemoryStore(): ByteStore {
  let content = Buffer.allocUnsafeSlow(1 << 16);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(bytes) {
      const end = length + bytes.length;
      if (end > content.length) {
        const larger = Buffer.allocUnsafeSlow(2 * end);
        content.copy(larger, 0, 0, length);
        content = larger;
      }
      content.set(bytes, length);
      length = end;
    },
    read: (from, to) => content.subarray(from, to),
    [Symbol.dispose]() {
      content = Buffer.alloc(0);
    },
  };
}

const bytesPerNumber = Uint32Array.BYTES_PER_ELEMENT;

/** Returns numbers that are valid until the next call. */
export function readNumbers(store: ByteStore, from: number, to: number): Uint32Array {
  const { buffer, byteOffset } = store.read(from * bytesPerNumber, to * bytesPerNumber);
  return new Uint32Array(buffer, byteOffset, to - from);
}
