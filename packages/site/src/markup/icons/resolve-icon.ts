import type { IconSet, IconSets } from "./icon-sets.ts";

/** The icon library that a site prefers. */
export type IconLibrary = "fontawesome" | "lucide" | "tabler";

/** An author's icon: a name in any spelling, a style, and the library of the site. */
interface IconRequest {
  readonly name: string;
  /** `regular`, `solid`, `brands`, or a paid style, which is replaced with a free one. */
  readonly style?: string | undefined;
  readonly library: IconLibrary;
}

export interface ResolvedIcon {
  /** `fa-solid:rocket`, `lucide:rocket` or `tabler:rocket` */
  readonly key: string;
  /** Whether the drawing only shares a part of the name: `rocket` for `rocket-boosters`. */
  readonly isNearest: boolean;
}

/** Looks up the key of an icon's name. */
type Lookup = (name: string) => string | undefined;

/**
 * Finds the icon for a name; undefined if there is none like it. Searches the site's library and then the
 * others, since authors use names of all of them: for the name itself, for the free equivalent of a paid
 * icon, then for the name without its last words, and without its first.
 */
export function resolveIcon(request: IconRequest, sets: IconSets): ResolvedIcon | undefined {
  const { library, style } = request;
  const written = request.name.trim().toLowerCase();
  const [, set, rest = ""] = /^(lucide|tabler):(.*)$/.exec(written) ?? [];
  if (set !== undefined) return exactMatch(keyIn(set as IconSet, rest, sets));

  const name = plainName(written);
  if (name === undefined) return undefined;
  const lookup = createLookup(library, styleOrder(style ?? styleOfClasses(written)), sets);
  const key = lookup(name);
  return key === undefined ? findNearest(name, lookup) : { key, isNearest: false };
}

function exactMatch(key: string | undefined): ResolvedIcon | undefined {
  return key === undefined ? undefined : { key, isNearest: false };
}

function createLookup(library: IconLibrary, styles: readonly IconSet[], sets: IconSets): Lookup {
  const order = setOrder(library, styles);
  const exact: Lookup = (name) => {
    for (const set of order) {
      const key = keyIn(set, name, sets);
      if (key !== undefined) return key;
    }
    return undefined;
  };
  return (name) => {
    const free = freeNames.get(name);
    return exact(name) ?? (free === undefined ? exact(nearestName(name)) : exact(free));
  };
}

/** Tabler comes last unless it is the site's own: it has three times as many names as any other. */
function setOrder(library: IconLibrary, styles: readonly IconSet[]): readonly IconSet[] {
  if (library === "tabler") return ["tabler", "lucide", ...styles];
  return library === "lucide" ? ["lucide", ...styles, "tabler"] : [...styles, "lucide", "tabler"];
}

function keyIn(set: IconSet, name: string, sets: IconSets): string | undefined {
  return sets.names(set).has(name) ? `${set}:${name}` : undefined;
}

/** A letter, a number or `-alt` alone occurs in many names and has no meaning. */
const meaningfulName = /^(?!alt$).*[a-z]{3}/;

function findNearest(name: string, lookup: Lookup): ResolvedIcon | undefined {
  const words = name.split("-");
  const parts: string[] = [];
  for (let end = words.length - 1; end > 0; end--) parts.push(words.slice(0, end).join("-"));
  for (let start = 1; start < words.length; start++) parts.push(words.slice(start).join("-"));
  for (const part of parts) {
    const key = meaningfulName.test(part) ? lookup(part) : undefined;
    if (key !== undefined) return { key, isNearest: true };
  }
  return undefined;
}

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** `rocket` of `rocket`, `fa-rocket`, `fa-solid fa-rocket`, `circle_check` and `Circle Check`. */
function plainName(written: string): string | undefined {
  if (written.length > 100) return undefined;
  const classes = written.split(/\s+/).filter((part) => /^(?:fa|ti|lucide)-/.test(part));
  const name = (classes.at(-1)?.replace(/^(?:fa|ti|lucide)-/, "") ?? written).replace(
    /[\s_]+/g,
    "-",
  );
  return nameForm.test(name) ? name : undefined;
}

const styleClass = /\b(?:fa-|fa)(s|solid|r|regular|b|brands)\b/;

/** The style in `fa-brands fa-github` or `fab fa-github`. */
function styleOfClasses(written: string): string | undefined {
  const letter = written.includes(" ") ? styleClass.exec(written)?.[1]?.[0] : undefined;
  return ["solid", "regular", "brands"].find((style) => style[0] === letter);
}

/** Styles to try in order. Only three are free: thin and light look most like regular, the others like solid. */
function styleOrder(style: string | undefined): readonly IconSet[] {
  const asked = style
    ?.trim()
    .toLowerCase()
    .replace(/^sharp-/, "");
  if (asked === "brands") return ["fa-brands", "fa-solid", "fa-regular"];
  const isThin = asked === "regular" || asked === "light" || asked === "thin";
  return isThin ? ["fa-regular", "fa-solid", "fa-brands"] : ["fa-solid", "fa-brands", "fa-regular"];
}

/**
 * Names of paid and renamed icons, each followed by the free icon that looks most like it. The names are from
 * the types that Font Awesome publishes for all of its icons (MIT,
 * `@fortawesome/fontawesome-common-types` 6.1.1: 4,571 names, of which the free sets have 2,500).
 */
const pairs = `
alarm-clock-x alarm-clock-off, alien-8bit bot, alien-monster bot, analytics chart-line,
arrow-down-to-bracket download, arrow-down-to-square download, arrow-pointer-click mouse-pointer-click,
arrow-progress chart-gantt, arrow-turn-right corner-up-right, arrows-retweet retweet, ballot list-check,
bars-sort arrow-down-wide-short, bell-on bell-ring, bells bell, block blocks, block-brick brick-wall,
books-medical library, boombox radio, bracket brackets, bracket-curly braces, bracket-round parentheses,
brackets-curly braces, brackets-round parentheses, brackets-square brackets, bring-forward bring-to-front,
bring-front bring-to-front, browsers app-window, bullhorn-on megaphone, cabinet-filing box-archive,
calculator-simple calculator, calendar-pen calendar-cog, camcorder video, camera-cctv cctv,
camera-movie clapperboard, cars car, chart-bullet chart-gantt, chart-line-down trending-down,
chart-line-up chart-line, chart-mixed chart-column, chart-waterfall chart-column,
circle-dollar circle-dollar-sign, clipboard-list-check clipboard-check, clock-rotate clock-rotate-left,
code-simple code, comment-code message-square-code, container-storage container, cursor mouse-pointer,
database-gear database, debug bug, desktop-code monitor-cog, diagram-cells table-cells,
diagram-nested network, diagram-sankey workflow, diagram-subtask list-tree, diagram-venn blend, dial gauge,
diploma scroll, display-code square-terminal, down arrow-down, down-to-bracket download,
envelope-open-dollar envelope-open-text, exploding-head face-dizzy, eyes eye, face face-meh, family users,
farm tractor, file-lines-check file-check, file-magnifying-glass file-search, film-canister film, films film,
filter-list list-filter, fireplace flame, firewall brick-wall, fog cloud-fog,
folder-magnifying-glass folder-search, fork utensils, game-board chess-board, garage warehouse,
gauge-max gauge-high, gear-code settings-2, ghost-8bit ghost, globe-pointer globe, grid-2 layout-grid,
grid-2-plus grid-2x2-plus, grid-round layout-grid, guitars guitar, h1 heading-1, h2 heading-2, h3 heading-3,
h4 heading-4, h5 heading-5, h6 heading-6, hand-wave hand, hands-holding-diamond gem, hat-chef chef-hat,
head-side-brain brain, head-side-headphones headset, heart-rate heart-pulse,
hexagon-exclamation triangle-exclamation, high-definition badge-hd, horizontal-rule minus, hospitals hospital,
image-landscape image, image-polaroid image, images-user images, inbox-full inbox, inboxes inbox,
input-pipe text-cursor-input, input-text text-cursor-input, integral math-integral, inventory warehouse,
key-skeleton key, keynote presentation, knife utensils, landscape image, laptop-binary laptop-code,
layer-plus layers, left arrow-left, light-switch toggle-left, lightbulb-gear lightbulb,
lightbulb-on lightbulb, list-radio list-checks, list12 list-ordered, loveseat sofa,
magnifying-glass-waveform magnifying-glass, memo file-lines, memo-circle-check file-circle-check,
memo-pad clipboard, message-bot bot-message-square, message-lines message-square-text,
message-smile face-smile, messages-question comments, messaging message-circle, microchip-ai microchip,
microphone-stand microphone, mobile-screen-notch mobile-screen, money-check-dollar-pen money-check-dollar,
money-from-bracket banknote-arrow-up, mountains mountain, object-exclude squares-exclude,
object-intersect squares-intersect, object-subtract squares-subtract, object-union squares-unite,
objects-align-bottom align-end-horizontal, objects-align-left align-start-vertical,
objects-align-right align-end-vertical, objects-align-top align-start-horizontal, objects-column columns-2,
octagon-exclamation octagon-alert, page file, paintbrush-pencil paintbrush, palette-boxes palette,
paper-plane-alt paper-plane, parenthesis parentheses, party-horn party-popper, pen-swirl pen-fancy,
people users, period dot, person-from-portal log-out, person-to-portal log-in,
phone-arrow-up-right phone-outgoing, pie chart-pie, pipe-section pipette, plug-circle plug,
portal-enter log-in, portal-exit log-out, rabbit-running rabbit, rectangle-code square-code,
rectangle-history layers, rectangle-list-check list-checks, rectangle-terminal square-terminal,
rectangles-mixed layout-dashboard, reel film, rhombus diamond, right arrow-right, robot-astromech robot,
rocket-launch rocket, route-highway route, ruler-triangle drafting-compass, scanner scan,
scanner-gun scan-barcode, screen-users presentation, screencast screen-share,
screwdriver-gear screwdriver-wrench, seal badge, seal-check badge-check, send-back send-to-back,
send-backward send-to-back, sensor radar, shelves warehouse, slider sliders, sliders-simple sliders,
snake worm, snowflakes snowflake, solar-system orbit, speakers speaker, spinner-third loader-circle,
sportsball volleyball, square-exclamation alert-square, square-info info-square, square-list layout-list,
square-question help-square, square-sliders sliders-horizontal, star-shooting sparkles, starfighter rocket,
starship rocket, store-lock store, symbols shapes, table-layout table-columns, table-rows rows-3,
tag-heart tag, tally tally-5, temperature0 thermometer, temperature1 thermometer, temperature2 thermometer,
temperature3 thermometer, temperature4 thermometer, tick check, toolbox-gear toolbox,
transporter satellite-dish, tv-retro tv, typewriter keyboard, union squares-unite, up arrow-up,
up-from-bracket upload, up-right arrow-up-right, user-chef chef-hat, user-crown crown, user-hard-hat hard-hat,
user-headset headset, user-helmet-safety hard-hat, user-magnifying-glass user-search, user-robot bot,
users-class presentation, video-handheld video, washer washing-machine, wave-pulse activity,
waveform audio-lines, waveform-lines audio-lines, whale fish, wifi-fair wifi-high, wifi-weak wifi-low,
window-frame app-window
`;

function parsePairs(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const pair of pairs.split(",")) {
    const [paid = "", free = ""] = pair.trim().split(" ");
    names.set(paid, free);
  }
  return names;
}

/** From a name that no free library has to one that some of them has. */
export const freeNames: ReadonlyMap<string, string> = parsePairs();

/**
 * What Font Awesome calls a part of many names, and what Lucide and Tabler call it. The old endings
 * `-alt` and `-o` and the doubled drawings (`-simple`, `-blank`) are the drawing without them.
 */
const parts: readonly (readonly [awesome: RegExp, other: string])[] = [
  [/-(?:alt|o|simple|blank|stroke|lines|text)$/, ""],
  [/\bmagnifying-glass\b/, "search"],
  [/\bcomment-alt\b/, "message-square"],
  [/\bcomments?\b/, "message-circle"],
  [/\bmessages?\b(?!-(?:circle|square))/, "message-square"],
  [/\btrash-(?:can|alt)\b/, "trash"],
  [/\bfloppy-disks?\b/, "device-floppy"],
  [/\b(?:map-marker|location-(?:pin|dot)|location)\b/, "map-pin"],
  [/\bmicrophone\b/, "mic"],
  [/\benvelopes?\b/, "mail"],
  [/\bmobile\b/, "device-mobile"],
  [/\b(?:desktop|display)\b/, "monitor"],
  [/\bgear\b/, "cog"],
  [/\b(?:xmark|times)\b/, "x"],
  [/\bslash\b/, "off"],
  [/\b(?:edit|pen)$/, "pencil"],
  [/\b(?:usd|dollar)\b/, "dollar-sign"],
  [/\bexclamation\b/, "alert"],
  [/\bhouse\b/, "home"],
  [/\b(?:minus|plus)-(?=hexagon|octagon)/, ""],
  [/\bcart-shopping\b|\bcart\b/, "shopping-cart"],
  [/\bquestion$/, "question-mark"],
  [/\b(?:image|images)\b/, "photo"],
  [/\bface-/, "mood-"],
  [/^(?:arrow-)?(left|right|up|down)-(to|from)-(?:dotted-)?line$/, "arrow-$1-$2-line"],
];

/** The name by the words of the other libraries. */
function nearestName(name: string): string {
  return parts.reduce((near, [awesome, other]) => near.replace(awesome, other), name);
}
