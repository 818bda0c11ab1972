import type { ComponentLinks } from "../components/index.ts";
import { escapeHtml, type Html } from "../markup/index.ts";
import type { MarkdownNode, FilePosition, ProblemList, Reference } from "../page/index.ts";
import {
  getHref,
  isOffSite,
  resolveLink,
  resolveMedia,
  type Resolution,
  type SiteLinks,
} from "../site/index.ts";
import { normalizeIdentifier, type Survey } from "./survey.ts";

interface PageLinksOptions {
  readonly links: SiteLinks;
  /** `SitePage.path` */
  readonly path: string;
  readonly definitions: Survey["definitions"];
  readonly problems: ProblemList;
}

/** Resolves the links and media of one page and records its references in order. */
export class PageLinks implements ComponentLinks {
  readonly references: Reference[] = [];
  readonly #options: PageLinksOptions;
  #depth = 0;
  #hasPicture = false;
  #collectedLinks: Html[] | undefined;
  #addresses: Map<string, string> | undefined;

  constructor(options: PageLinksOptions) {
    this.#options = options;
  }

  resolveHref(target: string, position: FilePosition): Html {
    return escapeHtml(this.link(target, position).href);
  }

  resolveMediaUrl(target: string, position: FilePosition): Html {
    return escapeHtml(this.media(target, position).src);
  }

  /** Returns the address of a link, not escaped, and whether it is on a different site. Records the reference. */
  link(
    target: string,
    position: FilePosition,
  ): { readonly href: string; readonly isExternal: boolean } {
    const { links, path } = this.#options;
    this.references.push({ kind: "link", target, ...position });
    const resolution = resolveLink(target, { page: path, file: position.file }, links);
    return {
      href: this.#recordAddress(resolution, target, position),
      isExternal: isOffSite(resolution),
    };
  }

  /** Resolves the address of a picture or video. The address is empty if the media is on another host and not shown. */
  media(
    target: string,
    position: FilePosition,
  ): { readonly src: string; readonly isExternal: boolean } {
    this.references.push({ kind: "media", target, ...position });
    const resolution = this.#resolveMedia(target, position);
    return {
      src: this.#recordAddress(resolution, target, position),
      isExternal: isOffSite(resolution),
    };
  }

  /** Resolves the address of a frame, not escaped, even if the frame's host is not shown. Records the reference. */
  frame(
    target: string,
    position: FilePosition,
  ): { readonly src: string; readonly isExternal: boolean } {
    this.references.push({ kind: "frame", target, ...position });
    const resolution = this.#resolveMedia(target, position);
    if (resolution.kind === "elsewhere") return { src: resolution.url, isExternal: true };
    return {
      src: this.#recordAddress(resolution, target, position),
      isExternal: isOffSite(resolution),
    };
  }

  /** Reports whether the file of a picture or a video is missing from the site. Does not record a reference. */
  isMissing(target: string, position: FilePosition): boolean {
    return this.#resolveMedia(target, position).kind === "unknown";
  }

  /** Reports whether media is on another host and this bundle does not show it. Does not record a reference. */
  isElsewhere(target: string, position: FilePosition): boolean {
    return this.#resolveMedia(target, position).kind === "elsewhere";
  }

  /** Returns true only for the first call, because only the first picture of a page is loaded immediately. */
  isFirstImage(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
  }

  get isWithinLink(): boolean {
    return this.#depth > 0;
  }

  /** Renders the content of a link. Links inside it are shown as text, because HTML does not allow nested links. */
  renderWithinLink(render: () => Html): Html {
    this.#depth++;
    const html = render();
    this.#depth--;
    return html;
  }

  /** Whether `renderWithoutLinks` is collecting links instead of rendering them. */
  get isCollecting(): boolean {
    return this.#collectedLinks !== undefined;
  }

  collectLink(link: Html): boolean {
    this.#collectedLinks?.push(link);
    return this.#collectedLinks !== undefined;
  }

  renderWithoutLinks(render: () => Html): {
    readonly html: Html;
    readonly collectedLinks: readonly Html[];
  } {
    const outer = this.#collectedLinks;
    const collectedLinks: Html[] = [];
    this.#collectedLinks = collectedLinks;
    const html = render();
    this.#collectedLinks = outer;
    return { html, collectedLinks };
  }

  /**
   * Renders content and collects the resolved addresses that differ from the authored ones, keyed by authored address.
   * A script that renders the content again has only the authored addresses.
   */
  collectAddresses(render: () => Html): {
    readonly html: Html;
    readonly addresses: Readonly<Record<string, string>>;
  } {
    const outer = this.#addresses;
    const addresses = new Map<string, string>();
    this.#addresses = addresses;
    const html = render();
    this.#addresses = outer;
    return { html, addresses: Object.fromEntries(addresses) };
  }

  /** Finds the definition to which `[text][name]` refers. Returns undefined if it does not exist. */
  findDefinition(
    node: MarkdownNode<"linkReference" | "imageReference">,
  ): MarkdownNode<"definition"> | undefined {
    return this.#options.definitions.get(normalizeIdentifier(node));
  }

  #resolveMedia(target: string, position: FilePosition): Resolution {
    const { links, path } = this.#options;
    return resolveMedia(target, { page: path, file: position.file }, links);
  }

  #recordAddress(resolution: Resolution, target: string, position: FilePosition): string {
    const address = this.#formatAddress(resolution, target, position);
    if (address !== target) this.#addresses?.set(target, address);
    return address;
  }

  #formatAddress(resolution: Resolution, target: string, position: FilePosition): string {
    if (resolution.kind === "unsafe") {
      const message = `The address ${JSON.stringify(target.slice(0, 60))} is omitted: it would run code in the reader's browser.`;
      this.#options.problems.warn("unsafe_address", message, position);
    }
    const { links, path } = this.#options;
    return getHref(resolution, path, links);
  }
}
