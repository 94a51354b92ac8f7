/**
 * Recognises requests of web pages to a plain server on loopback. A page of any site can reach loopback from the
 * browser of whoever works on this machine, by a name of its own that it turned there (DNS rebinding) or by ours.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Returns true if a Host header, or an `:authority`, names this machine as programs name it: by an IP address or
 * `localhost`, with any port. A page's own name is neither.
 */
export function isAddressOrLocalhost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(name) !== 0;
}

/**
 * Returns true if a browser reports that a page made this request by itself; following a link to it is not such a
 * request.
 */
export function isFromAnotherSite({
  'sec-fetch-site': site,
  'sec-fetch-dest': destination,
  origin,
  host,
}: Readonly<IncomingHttpHeaders>): boolean {
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) return true;
  return (site === 'cross-site' || site === 'same-site') && destination !== 'document';
}
