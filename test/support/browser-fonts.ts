import { mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Writes a fontconfig file that offers fonts of npm packages alone: Open Sans, which the browser's package
 * brings, and KaTeX's typewriter for code. Letters that neither has (Chinese, emoji) are the empty box of
 * the first, everywhere alike. Gives the file's path; several processes may not write it at the same time.
 */
export async function writeFontConfiguration(openSans: string): Promise<string> {
  const katex = dirname(createRequire(import.meta.url).resolve("katex/package.json"));
  const folder = join(tmpdir(), "octavo-fonts");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "fonts.conf");
  const configuration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(openSans, "fonts/Open_Sans")}</dir>
  <dir>${join(katex, "dist/fonts")}</dir>
  <cachedir>${join(folder, "cache")}</cachedir>
  <selectfont>
    <rejectfont><glob>*/KaTeX_*</glob></rejectfont>
    <acceptfont><glob>*/KaTeX_Typewriter-Regular.ttf</glob></acceptfont>
  </selectfont>
  ${preferred("sans-serif", "Open Sans")}
  ${preferred("system-ui", "Open Sans")}
  ${preferred("serif", "Open Sans")}
  ${preferred("monospace", "KaTeX_Typewriter")}
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`;
  // Browsers that start meanwhile read it: they find all of it, whoever writes it again.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, configuration);
  await rename(draft, file);
  return file;
}

function preferred(family: string, font: string): string {
  return `<alias binding="strong"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
}
