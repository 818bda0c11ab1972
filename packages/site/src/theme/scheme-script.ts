import { createHash } from "node:crypto";

/**
 * Runs before the page is painted: marks that scripts run, and sets the colour scheme that the reader chose, else the
 * site's, else the system's. It is the only inline script of a bundle and the same on every page of every site, so
 * that a policy can allow it by its hash.
 */
export const schemeScript =
  "(()=>{" +
  'const r=document.documentElement,c=r.classList,a=r.dataset.appearance;c.add("js");' +
  'let s=a;if(!("fixed"in r.dataset))try{s=localStorage.getItem("octavo:"+r.dataset.site+":scheme")||a}catch{}' +
  'c.toggle("dark",s==="dark"||s==="system"&&matchMedia("(prefers-color-scheme: dark)").matches)' +
  "})()";

/** The source for `script-src` with which a host's policy allows the script; documented in the manual. */
export const schemeScriptHash = `sha256-${createHash("sha256").update(schemeScript).digest("base64")}`;
