const names: ReadonlyMap<string, string> = new Map([
  ["x-twitter", "X"],
  ["twitter", "X"],
  ["github", "GitHub"],
  ["linkedin", "LinkedIn"],
  ["youtube", "YouTube"],
  ["hacker-news", "Hacker News"],
]);

/** The icons of networks, as `<family>:<name>`, keyed by the network's name in the configuration. */
export const socialIcons: ReadonlyMap<string, string> = new Map([
  ["x", "fa-brands:x-twitter"],
  ["x-twitter", "fa-brands:x-twitter"],
  ["twitter", "fa-brands:x-twitter"],
  ["github", "fa-brands:github"],
  ["discord", "fa-brands:discord"],
  ["slack", "fa-brands:slack"],
  ["linkedin", "fa-brands:linkedin"],
  ["youtube", "fa-brands:youtube"],
  ["facebook", "fa-brands:facebook"],
  ["instagram", "fa-brands:instagram"],
  ["hacker-news", "fa-brands:hacker-news"],
  ["medium", "fa-brands:medium"],
  ["telegram", "fa-brands:telegram"],
  ["bluesky", "fa-brands:bluesky"],
  ["threads", "fa-brands:threads"],
  ["reddit", "fa-brands:reddit"],
  ["website", "lucide:globe"],
  ["earth-americas", "lucide:globe"],
  ["podcast", "lucide:podcast"],
  ["email", "lucide:mail"],
]);

/** Returns the display name of a network. */
export function getSocialName(network: string): string {
  return names.get(network) ?? network.charAt(0).toUpperCase() + network.slice(1);
}
