/** Handles links that syncloop printed: each is usable once, and tests open pages again and again. */
import { madeAt, newCode } from '../dist/links/link-code.js';
import { runningPages } from '../dist/links/running.js';

/** A link as syncloop prints it. */
export const LINK = /http:\/\/\S+#code=[\w-]+/;

/** The token of the page that a link is for. The page has to run on this machine, as a process of this user. */
export function tokenOf(link) {
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '';
  const tokens = runningPages().flatMap(({ token, observer }) => [token, ...(observer ? [observer] : [])]);
  const token = tokens.find((one) => madeAt(code, one) !== null);
  if (token === undefined) throw new Error(`no page runs here that the link ${link} is for`);
  return token;
}

/** Another link to the same page, with the same rights. */
export function anotherLink(link) {
  const url = new URL(link);
  url.hash = `code=${newCode(tokenOf(link))}`;
  return url.href;
}
