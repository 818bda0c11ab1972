import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite } from "../../../../../test/support/agent-site.ts";
import { createPictureTool } from "./picture.ts";

const bytes = (text: string, length: number) => {
  const buffer = Buffer.alloc(length);
  buffer.write(text, "latin1");
  return buffer;
};

function png(width: number, height: number, length = 24): Buffer {
  const buffer = bytes("\x89PNG\r\n\x1a\n", length);
  buffer.writeUInt32BE(width, 16);
  buffer.writeUInt32BE(height, 20);
  return buffer;
}

function gif(): Buffer {
  const buffer = bytes("GIF89a", 10);
  buffer.writeUInt16LE(7, 6);
  buffer.writeUInt16LE(5, 8);
  return buffer;
}

/** A segment of metadata, followed by the frame. */
const jpeg = Buffer.from([
  0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0, 9, 0, 12, 1, 1, 0x11, 0, 0xff, 0xd9,
]);

function webp(): Buffer {
  const buffer = bytes("RIFF    WEBPVP8X", 30);
  buffer.writeUIntLE(639, 24, 3);
  buffer.writeUIntLE(479, 27, 3);
  return buffer;
}

const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30.4"><title>Flow</title><g><text x="1">Start <tspan>here</tspan></text></g></svg>`;

const pages = {
  "index.mdx": `---\ntitle: I\n---\n\n![A lamp](/images/lamp.png) ![Other](/images/big-lamp.png)\n\n<img src="/images/lamp.png" alt='Lit' />\n`,
  "guides/a.mdx": "---\ntitle: A\n---\n\n<img src='../images/lamp.png' />\n",
  "images/lamp.png": png(640, 480),
  "images/big-lamp.png": png(9_000, 10),
  "images/heavy.png": png(10, 10, 1_500_001),
  "images/a.gif": gif(),
  "images/a.jpg": jpeg,
  "images/a.webp": webp(),
  "images/a.svg": svg,
  "images/open.svg": "<svg><desc/><!-- x --><text>A</text>no<title>\nB &lt;</title><text>C<text>",
  "images/fake.png": "#!/bin/sh\n",
  "images/short.png": bytes("\x89PNG\r\n\x1a\n", 9),
  "video.mp4": "x",
};

describe("picture", () => {
  const { signal } = new AbortController();

  it("gives size and uses of every kind of picture", async (t) => {
    const site = await openAgentSite(t, pages);
    const size = async (path: string) => {
      const { mediaType, width, height } = await site.call("picture", { path });
      return [mediaType, width, height];
    };
    assert.deepEqual(await size("images/a.gif"), ["image/gif", 7, 5]);
    assert.deepEqual(await size("images/a.jpg"), ["image/jpeg", 12, 9]);
    assert.deepEqual(await size("images/a.webp"), ["image/webp", 640, 480]);
    assert.deepEqual(await size("images/a.svg"), ["image/svg+xml", 40, 30]);
    const { note, ...lamp } = await site.call("picture", { path: "images/lamp.png" });
    assert.deepEqual(lamp, {
      path: "images/lamp.png",
      mediaType: "image/png",
      width: 640,
      height: 480,
      bytes: 24,
      uses: [
        { file: "guides/a.mdx", line: 5 },
        { file: "index.mdx", line: 5, alt: "A lamp" },
        { file: "index.mdx", line: 7, alt: "Lit" },
      ],
    });
    assert.match(String(note), /cannot see pictures/);
    assert.equal((await site.call("picture", { path: "images/a.svg" })).words, "Flow; Start here");
    assert.equal((await site.call("picture", { path: "images/open.svg" })).words, "A; B &lt;");
  });

  it("shows it to a model that can see, within bounds", async (t) => {
    const { workspace } = await openAgentSite(t, pages);
    const tool = createPictureTool(workspace, ["image/png", "image/jpeg"]);
    const shown = await tool.call({ path: "images/lamp.png" }, signal);
    assert.deepEqual(shown.picture, {
      path: "images/lamp.png",
      mediaType: "image/png",
      base64: png(640, 480).toString("base64"),
    });
    assert.equal(shown.output["note"], undefined);
    const reasons: [path: string, reason: RegExp][] = [
      ["images/big-lamp.png", /8000 pixels/],
      ["images/heavy.png", /1500000 bytes/],
      ["images/a.webp", /image\/webp/],
      ["images/a.svg", /image\/svg\+xml/],
    ];
    for (const [path, reason] of reasons) {
      const { output, picture } = await tool.call({ path }, signal);
      assert.equal(picture, undefined, path);
      assert.match(String(output["note"]), reason);
    }
  });

  it("looks at pictures only", async (t) => {
    const site = await openAgentSite(t, pages);
    for (const path of [
      "index.mdx",
      "video.mp4",
      "images/fake.png",
      "images/short.png",
      "none.png",
    ]) {
      assert.equal(typeof (await site.call("picture", { path })).error, "string", path);
    }
  });
});
