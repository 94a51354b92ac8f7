/** The proxy for a server according to the environment, by Go's rules. upstream: golang.org/x/net/http/httpproxy */
import { BlockList, isIP } from 'node:net';

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy's URL for `server`, or undefined for none. `HTTPS_PROXY` and `NO_PROXY`, in capitals or small letters. */
export function proxyFromEnv(server: URL, env: Env): string | undefined {
  const get = (name: string) => env[name] || env[name.toLowerCase()] || '';
  const proxy = get(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || isExempt(server, get('NO_PROXY'))) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const ip = isIP(host) !== 0;
  if (host === 'localhost' || (ip && loopback.check(host, family(host)))) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
    .some((entry) => matches(entry, host, port, ip));
}

function matches(entry: string, host: string, port: string, ip: boolean): boolean {
  if (entry === '*') return true;
  const cidr = /^([0-9a-f:.]+)\/(\d{1,3})$/.exec(entry);
  if (cidr) {
    const [, net = '', bits] = cidr;
    const length = Number(bits);
    if (!ip || !isIP(net) || length > (isIP(net) === 6 ? 128 : 32)) return false;
    const list = new BlockList();
    list.addSubnet(net, length, family(net));
    return list.check(host, family(host));
  }
  const [, bracketed, plain, wantedPort] = /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (ip || isIP(name)) return name === host;
  const domain = name.replace(/^\*\./, '.');
  // A leading dot leaves out the domain itself.
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}
