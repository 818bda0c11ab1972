/** What a line of a page shows from another host, or where it leads. */
export interface RemoteContent {
  /** For people: a link to another site. */
  readonly what: string;
  readonly address: string;
}

const addresses = /(?:https?:)?[/\\]{2}[^\s"'<>)}\\`/][^\s"'<>)}\\`]+/gi;
/** What stands in front of an address and says what it is for. */
const maxBefore = 300;

const picture = "a picture or recording of another host";
const link = "a link to another site";
const other = "an address of another host";

const markdownDestination = /\]\(\s{0,9}<?$/;
const definition = /^\s{0,3}\[[^\]]{1,290}\]:\s{0,9}<?$/;
const attribute = /(?:^|[\s"'])([\w:-]{1,40})\s{0,9}=\s{0,9}\{?\s{0,9}["'`]$/;
const style = /\burl\(\s{0,9}["']?$/i;
const key = /[\w-]["']?\s{0,9}:\s{0,9}["']$/;
const bare = /(?:^|[\s<(])$/;

const pictureAttribute = /^(?:src|srcset|poster|img|image|icon|logo|background|xlink:href)$/i;
/** These are named as elements, with their attributes. */
const activeElement =
  /^<(?:(?:script|iframe|object|embed|applet|base|meta|portal)\b|(?:frame|frameset|link|form|template)\b)/;

/** The absolute addresses in a line, those in code apart. */
export function* findRemote(line: string): Generator<RemoteContent> {
  for (const { 0: address, index } of line.matchAll(addresses)) {
    const before = line.slice(Math.max(0, index - maxBefore), index);
    const what = purposeOf(before, /^https?:/i.test(address));
    if (what !== undefined) yield { what, address };
  }
}

/** Undefined for an address that a reader's browser makes nothing of. */
function purposeOf(before: string, hasScheme: boolean): string | undefined {
  if (markdownDestination.test(before)) return isPicture(before) ? picture : link;
  if (definition.test(before)) return link;
  if (style.test(before)) return picture;
  const [, name] = attribute.exec(before) ?? [];
  if (name !== undefined) return attributePurpose(before, name);
  if (key.test(before)) return other;
  return hasScheme && bare.test(before) ? link : undefined;
}

function attributePurpose(before: string, name: string): string | undefined {
  const tag = before.slice(Math.max(0, before.lastIndexOf("<")));
  if (activeElement.test(tag)) return undefined;
  if (pictureAttribute.test(name) || /^<image\b/i.test(tag)) return picture;
  return name.toLowerCase() === "href" ? link : other;
}

/** Whether the brackets that end here were opened by `![`. */
function isPicture(before: string): boolean {
  const end = before.lastIndexOf("]");
  for (let at = end, depth = 0; at >= 0; at--) {
    if (before[at] === "]") depth++;
    if (before[at] === "[" && --depth === 0) return before[at - 1] === "!";
  }
  return false;
}
