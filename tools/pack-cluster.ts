/**
 * Creates an empty database cluster with PGlite's `initdb` and packs it into the file that the embedded database starts
 * from. The same version of PGlite always produces the same bytes, because the clock and the random numbers are fixed
 * here; a test compares them with the committed file.
 */
import crypto from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { serialize } from "node:v8";
import { constants, zstdCompressSync } from "node:zlib";

const clock = Date.UTC(2026, 0, 1);

function fixClockAndRandomness(): void {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(value: number | string = clock) {
      super(value);
    }
    static override now(): number {
      return clock;
    }
  } as DateConstructor;
  performance.now = () => 0;
  crypto.randomFillSync = fillWithZeros;
  globalThis.crypto.getRandomValues = fillWithZeros;
  syncBuiltinESMExports();
}

function fillWithZeros<View extends NodeJS.ArrayBufferView>(view: View): View {
  Buffer.from(view.buffer, view.byteOffset, view.byteLength).fill(0);
  return view;
}

async function createCluster(folder: string): Promise<void> {
  // PGlite must be loaded after the clock and the random numbers are fixed.
  const { PGlite } = await import("@electric-sql/pglite");
  const { NodeFS } = await import("@electric-sql/pglite/nodefs");
  const database = await PGlite.create({ fs: new NodeFS(folder) });
  await database.close();
}

/** Returns what `engine/new-cluster.ts` unpacks. */
function readCluster(folder: string): [path: string, content?: Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(folder, file).replaceAll(sep, "/");
      return entry.isDirectory()
        ? ([path] as [string])
        : ([path, readFileSync(file)] as [string, Buffer]);
    })
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const committed = "packages/octavo/src/engine/new-cluster.zst";
const target = process.argv[2] ?? resolve(import.meta.dirname, "..", committed);
const folder = mkdtempSync(join(tmpdir(), "octavo-cluster-"));
try {
  fixClockAndRandomness();
  await createCluster(folder);
  const params = {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 25,
  };
  writeFileSync(target, zstdCompressSync(serialize(readCluster(folder)), { params }));
} finally {
  rmSync(folder, { recursive: true });
}
