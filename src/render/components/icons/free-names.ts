/** Names of paid and renamed icons, each followed by the free names' nearest drawing. */
const pairs = `
alien-8bit bot, alien-monster bot, alarm-clock-x alarm-clock-off, arrow-progress chart-gantt,
arrow-pointer-click mouse-pointer-click, arrow-turn-right corner-up-right, bars-sort arrow-down-wide-short,
bell-on bell-ring, block blocks, block-brick brick-wall, books library, books-medical library, brackets-curly braces,
brackets-round parentheses, brackets-square brackets, browser app-window, browsers app-window,
bullhorn-on megaphone, cabinet-filing box-archive, calculator-simple calculator, camera-movie clapperboard,
chart-line-up chart-line, chart-mixed chart-column, clipboard-list-check clipboard-check,
clock-rotate clock-rotate-left, code-simple code, comment-code message-square-code,
cursor mouse-pointer, database-gear database, desktop-code monitor-cog, diagram-nested network,
diagram-sankey workflow, diagram-subtask list-tree, display-code square-terminal, down arrow-down,
envelope-open-dollar envelope-open-text, file-lines-check file-check, file-magnifying-glass file-search,
film-canister film, filter-list list-filter, folder-magnifying-glass folder-search, function square-function,
gauge-max gauge-high, gear-code settings-2, ghost-8bit ghost, gift-card gift, globe-pointer globe, grid-2 layout-grid,
grid-2-plus grid-2x2-plus, grid-round layout-grid, hand-wave hand, hands-holding-diamond gem, head-side-brain brain,
head-side-headphones headset, hexagon-exclamation triangle-exclamation, image-landscape image, image-polaroid image,
images-user images, inbox-full inbox, key-skeleton key, laptop-binary laptop-code, layer-plus layers, left arrow-left,
lightbulb-gear lightbulb, lightbulb-on lightbulb, list-radio list-checks, magnifying-glass-waveform magnifying-glass,
memo file-lines, memo-circle-check file-circle-check, memo-pad clipboard, message-bot bot-message-square,
message-code message-square-code, message-dots comment-dots, message-lines message-square-text, message-smile face-smile,
messages comments, messages-question comments, 
message-question message-circle-question-mark, window app-window, camera-cctv cctv, arrows-retweet retweet, page file,
api braces, microchip-ai microchip, microphone-stand microphone,
mobile-screen-notch mobile-screen, money-check-dollar-pen money-check-dollar, objects-align-left align-start-vertical,
octagon-exclamation octagon-alert, outlet plug, paintbrush-pencil paintbrush, palette-boxes palette, paper-plane-alt paper-plane,
party-horn party-popper, pen-swirl pen-fancy, phone-arrow-up-right phone-outgoing, pipe-section pipette,
plug-circle plug, rabbit-running rabbit, receipt-dollar receipt, rectangle-code square-code,
rectangle-list-check list-checks, rectangle-terminal square-terminal, right arrow-right, robot-astromech robot,
rocket-launch rocket, route-highway route, ruler-triangle drafting-compass, screwdriver-gear screwdriver-wrench, seal badge,
seal-check badge-check, sliders-simple sliders, snake worm, table-layout table-columns, table-rows rows-3,
tag-heart tag, toolbox-gear toolbox, transporter satellite-dish, up arrow-up, up-right arrow-up-right,
user-headset headset, user-magnifying-glass user-search, user-robot bot, video-plus video, waveform audio-lines,
waveform-lines audio-lines, window-frame app-window
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
