import { createHash } from "node:crypto";

/**
 * Runs before anything is painted: marks that scripts run, and sets the colour scheme that the reader
 * chose, else the site's, else the system's. The only inline script of a bundle; it is the same in
 * every page of every site, so a policy can allow it by its hash.
 */
export const schemeScript =
  "(()=>{" +
  'const r=document.documentElement,c=r.classList,a=r.dataset.appearance;c.add("js");' +
  'let s=a;if(!("fixed"in r.dataset))try{s=localStorage.getItem("octavo:"+r.dataset.site+":scheme")||a}catch{}' +
  'c.toggle("dark",s==="dark"||s==="system"&&matchMedia("(prefers-color-scheme: dark)").matches)' +
  "})()";

/** What a policy of a host allows the script by, as a source of `script-src`; the manual tells it. */
export const schemeScriptHash = `sha256-${createHash("sha256").update(schemeScript).digest("base64")}`;
