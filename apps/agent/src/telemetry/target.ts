/** The address of a collector. */

import { isIP } from 'node:net';
import { trimRight } from '@syncloop/core/base';
import { printableURL } from '@syncloop/core/kubelet';
import { UsageError } from '../base/errors.js';
import { isLoopback } from '../net/listen.js';

export type Target =
  | { readonly protocol: 'http'; readonly url: string; readonly tls: boolean; readonly local: boolean }
  /** `address` as gRPC names it. */
  | { readonly protocol: 'grpc'; readonly address: string; readonly tls: boolean; readonly local: boolean };

const examples =
  'write http://HOST:4318 (or https), grpc://HOST:4317 (or grpcs), unix:///PATH, or HOST:4317 as in a KubeletConfiguration';

/** Reads an endpoint; `from` names its place, for the message of the UsageError. */
export function parseTarget(text: string, from: string): Target {
  const wrong = (why: string) =>
    new UsageError(`${from} is ${JSON.stringify(printableURL(text))}: ${why}; ${examples}`);
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\//, '');
    if (!path.startsWith('/') || path === '/') throw wrong('a socket needs its whole path');
    return { protocol: 'grpc', address: `unix:${path}`, tls: false, local: true };
  }
  // gRPC's own form of a name for DNS: dns:host:port, dns:///host:port.
  const scheme = /^([a-z][a-z0-9+-]*):\/\//i.exec(text)?.[1]?.toLowerCase() ?? 'grpc';
  const rest = text.replace(/^[a-z][a-z0-9+-]*:\/\//i, '').replace(/^dns:/, '');
  if (!['http', 'https', 'grpc', 'grpcs', 'dns'].includes(scheme)) throw wrong(`the scheme ${scheme} is not supported`);
  let url: URL;
  try {
    // It is read as http, so that hosts follow the same rules in all schemes.
    url = new URL(`http://${scheme === 'dns' ? rest.replace(/^\/+/, '') : rest}`);
  } catch {
    throw wrong('it is not an address');
  }
  if (url.username !== '' || url.password !== '')
    throw wrong('credentials do not belong into an address, which is in logs; give them with --otlp-headers-file');
  if (url.search !== '' || url.hash !== '') throw wrong('it must not have a query or a fragment');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const local = isLoopback(host);
  if (scheme === 'http' || scheme === 'https') {
    const tls = scheme === 'https';
    const port = url.port === '' ? (/:80(\/|$)/.test(rest) ? ':80' : tls ? '' : ':4318') : `:${url.port}`;
    const path = trimRight(url.pathname, '/');
    const whole = path.endsWith('/v1/traces') ? path : `${path}/v1/traces`;
    return { protocol: 'http', url: `${scheme}://${url.hostname}${port}${whole}`, tls, local };
  }
  if (url.pathname !== '/' && url.pathname !== '') throw wrong('gRPC has no path');
  const port = url.port === '' ? (/:80$/.test(rest) ? '80' : '4317') : url.port;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return { protocol: 'grpc', address: `dns:${name}:${port}`, tls: scheme === 'grpcs', local };
}

/** Written as a person would write it. */
export const targetName = (target: Target): string =>
  target.protocol === 'http' ? target.url : `${target.address.replace(/^dns:/, '')} (gRPC)`;
