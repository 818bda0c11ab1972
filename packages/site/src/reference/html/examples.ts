import type { ApiContext } from "../api-context.ts";
import type { ExampleBlock } from "../examples.ts";
import { attributes, html, joinHtml, type Html } from "../../markup/index.ts";
import { codeTabs } from "./tab-set.ts";

/** Examples in the markup that the layout puts beside the text. */
export function examplesHtml(blocks: readonly ExampleBlock[], { page, place }: ApiContext): Html {
  const asides = blocks.map(({ kind, codes }) => {
    const panels = codes.map(({ title, language, code }) => ({
      title,
      html: page.code.render({ type: "code", lang: language, value: code, place }),
    }));
    return html`<aside class="example"${attributes({ "data-example": kind })}>${codeTabs(panels, kind === "request")}</aside>`;
  });
  return joinHtml(asides);
}
