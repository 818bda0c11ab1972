import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { OctavoError } from "../../core/index.ts";
import type { FetchRemote } from "../../load/index.ts";
import {
  createRemoteMedia,
  detectMediaExtension,
  type RemoteMediaOptions,
} from "./remote-media.ts";
import { createCopyFinder, normalizeRemoteAddress } from "../../site/index.ts";
import { createMediaCache } from "../cache/export-cache.ts";

const limits = { remoteFileBytes: 100, remoteBytes: 1_000, remoteFiles: 100, remoteMs: 10_000 };

function png(text: string): Uint8Array {
  return Buffer.from(`\x89PNG\r\n\x1a\n${text}`, "latin1");
}

/** Responds with a picture named by the address's last word; `none` does not exist. */
function setUp(options: Partial<RemoteMediaOptions> = {}) {
  const asked: string[] = [];
  const written: string[] = [];
  const media = createRemoteMedia({
    fetchRemote: async (url) => {
      asked.push(url);
      if (url.endsWith("none")) throw new OctavoError("unavailable", "It answers with 404. More.");
      if (url.endsWith("odd")) throw new TypeError("secret words of a library");
      return { bytes: png(url.split("/").at(-1) ?? ""), mediaType: undefined };
    },
    write: async ({ path }) => void written.push(path),
    limits,
    ...options,
  });
  return { media, asked, written };
}

/** A host that accepts the request and never responds. */
const never: FetchRemote = (_url, { signal }) => sleep(60_000, undefined, { signal }) as never;

const address = (name: string) => `https://a.example/${name}`;

describe("files of other hosts", () => {
  it("are copied once each, named by their content, and failures say why", async () => {
    const { media, asked, written } = setUp();
    const addresses = ["x", "none", "x", "y/x", "odd"].map(address);
    await media.fetchCopies(addresses);
    await media.fetchCopies(addresses);
    assert.deepEqual(asked.toSorted(), ["none", "odd", "x", "y/x"].map(address).toSorted());
    assert.equal(written.length, 1, "the same bytes are one file");
    const [file = ""] = written;
    assert.match(file, /^_octavo\/media\/[\da-f]{32}\.png$/);
    assert.deepEqual(media.copiesOf(addresses), { [address("x")]: file, [address("y/x")]: file });
    assert.equal(media.copiesOf([address("none")]), undefined);
    assert.deepEqual(Object.fromEntries(media.failures), {
      [address("none")]: "It answers with 404",
      [address("odd")]: "it could not be fetched",
    });
  });

  it("are copied in the order of the site up to the limits, whichever host responds first", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${String(index).padStart(2, "0")}`);
    const bytes = png("n00").length;
    const cases = [
      [{ ...limits, remoteFiles: 3 }, /at most 3 files/],
      [{ ...limits, remoteBytes: bytes * 3 }, /total size limit/],
    ] as const;
    for (const [own, reason] of cases) {
      const { media, written } = setUp({
        limits: own,
        fetchRemote: async (url) => {
          const turns = 20 - Number(url.slice(-2));
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          return { bytes: png(url.slice(-3)), mediaType: "image/png" };
        },
      });
      await media.fetchCopies(names.map(address));
      assert.equal(written.length, 3);
      assert.deepEqual(
        Object.keys(media.copiesOf(names.map(address)) ?? {}),
        names.slice(0, 3).map(address),
      );
      assert.match(media.failures.get(address("n03")) ?? "", reason);
      assert.match(media.failures.get(address("n19")) ?? "", reason);
    }
  });

  it("are not fetched after the time limit or the end of the export", async () => {
    const late = setUp({ fetchRemote: never, limits: { ...limits, remoteMs: 1 } });
    await late.media.fetchCopies(Array.from({ length: 13 }, (_, index) => address(String(index))));
    assert.equal(late.media.failures.size, 13);
    assert.match(late.media.failures.get(address("12")) ?? "", /time/);
    const controller = new AbortController();
    const aborted = setUp({ fetchRemote: never, signal: controller.signal });
    const bringing = aborted.media.fetchCopies([address("x")]);
    controller.abort(new Error("stopped"));
    await assert.rejects(bringing, { message: "stopped" });
  });

  it("are cached, and fetched again where the cached file is damaged or missing", async () => {
    await using folder = await temporaryFolder();
    const first = setUp({ cache: createMediaCache(folder.path) });
    await first.media.fetchCopies(["x", "none"].map(address));
    const second = setUp({ cache: createMediaCache(folder.path) });
    await second.media.fetchCopies(["x", "none"].map(address));
    assert.deepEqual(second.asked, [address("none")], "what failed is tried again");
    assert.deepEqual(second.written, first.written);
    const third = setUp({ cache: createMediaCache(`${folder.path}/addresses`) });
    await third.media.fetchCopies([address("x")]);
    assert.deepEqual(third.asked, [address("x")]);
  });
});

describe("remoteAddress", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["https://a.example/x.png#part", "https://a.example/x.png"],
    [" //a.example/x y.png ", "https://a.example/x%20y.png"],
    ["HTTP://A.example", "http://a.example/"],
    ["\\\\a.example/x", "https://a.example/x"],
    ["https://user:secret@a.example/x", undefined],
    ["/images/x.png", undefined],
    ["x.png", undefined],
    ["data:image/png;base64,AA", undefined],
    ["ftp://a.example/x", undefined],
    ["https://", undefined],
    ["", undefined],
  ];
  for (const [authored, expected] of cases) {
    it(JSON.stringify(authored), () => assert.equal(normalizeRemoteAddress(authored), expected));
  }

  it("finds copies only of normalized addresses, and none by names that every object has", () => {
    const find = createCopyFinder("vendor", { "https://a.example/x": "a" }, undefined);
    assert.equal(find?.("https://a.example/x"), "a");
    assert.equal(find?.("constructor"), undefined);
    assert.equal(createCopyFinder("keep", { x: "a" }), undefined);
    assert.equal(createCopyFinder("link")?.("https://a.example/x"), undefined);
  });
});

describe("mediaExtension", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg">';
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["\x89PNG\r\n\x1a\n...", "png"],
    ["\xff\xd8\xff\xe0", "jpg"],
    ["RIFF....WEBPVP8 ", "webp"],
    ["....ftypavif", "avif"],
    ["....ftypisom", "mp4"],
    ["\x1a\x45\xdf\xa3", "webm"],
    ["wOF2....", "woff2"],
    [`${svg}<path d="M0 0"/></svg>`, "svg"],
    [`<?xml version="1.0"?>\n<!-- by -->\n${svg}</svg>`, "svg"],
    [`${svg}<script>alert(1)</script></svg>`, undefined],
    [`${svg}<a href="javascript:alert(1)"/></svg>`, undefined],
    [`${svg}<a href="&#106;avascript:alert(1)"/></svg>`, undefined],
    [`${svg}<g onload="alert(1)"/></svg>`, undefined],
    [`${svg}<foreignObject/></svg>`, undefined],
    [`${svg}<x:script xmlns:x="http://www.w3.org/2000/svg"/></svg>`, undefined],
    [`<!DOCTYPE svg [<!ENTITY x "y">]>${svg}</svg>`, undefined],
    ["<!doctype html><html><svg ></svg></html>", undefined],
    ["<html><svg></svg></html>", undefined],
    ["#!/bin/sh", undefined],
    ["", undefined],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text.slice(0, 60)), () => {
      assert.equal(detectMediaExtension(Buffer.from(text, "latin1")), expected);
    });
  }
});
