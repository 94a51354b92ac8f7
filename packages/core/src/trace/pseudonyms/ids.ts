/** Numbers and texts that name one thing by their form alone: UIDs, ids of containers, digests and addresses. */

/** A counter in the first digits, because ids are shown by their beginning. */
const hexOf = (n: number, length: number): string => n.toString(16).padStart(8, '0').padEnd(length, '0');

const UUID = '[0-9a-f]{8}([-_])[0-9a-f]{4}\\1[0-9a-f]{4}\\1[0-9a-f]{4}\\1[0-9a-f]{12}';
// A cgroup's name has its pod's UID after "pod", whose last letter could be a digit of it.
const HEX = '(?:(?<=pod)|(?<![0-9a-f]))(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f])';
const SHORT = '(?<![0-9A-Za-z])[0-9a-f]{7,63}(?![0-9A-Za-z])';
const IPV4 = '(?<![\\w.])(?:\\d{1,3}\\.){3}\\d{1,3}(?![\\w]|\\.\\d)';
const IPV6 = '(?<![\\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\\w:])';
const ANY = new RegExp(`${UUID}|${HEX}|${SHORT}|${IPV4}|${IPV6}`, 'g');

/** True for addresses that say nothing of whose they are. */
const isCommonV4 = (ip: string): boolean => /^(127\.|0\.0\.0\.0$|255\.)/.test(ip);

function isV6(text: string): boolean {
  const groups = text.split(':');
  if (text === '::' || text === '::1') return false;
  const doubled = text.includes('::');
  if (!doubled && groups.length !== 8) return false;
  return text.indexOf('::') === text.lastIndexOf('::') && groups.some((group) => group !== '');
}

/** The ranges that are for documentation, and then the one for benchmarks. */
function v4Of(n: number): string {
  const nets = ['192.0.2', '198.51.100', '203.0.113'];
  const net = nets[Math.floor(n / 254)];
  if (net !== undefined) return `${net}.${(n % 254) + 1}`;
  const rest = n - nets.length * 254;
  return `198.${18 + (Math.floor(rest / 65_536) % 2)}.${Math.floor(rest / 256) % 256}.${rest % 256}`;
}

/** Replaces ids in texts; equal ids get equal replacements. */
export class Ids {
  private readonly uids = new Map<string, number>();
  /** Ids of 64 digits (containers, sandboxes, digests) and of 32 (static pods, traces, machines). */
  private readonly hexes = new Map<string, string>();
  private readonly traces = new Map<string, string>();
  private readonly v4 = new Map<string, string>();
  private readonly v6 = new Map<string, string>();
  /** Ids of 64 digits by their first seven digits, because texts contain shortened ids. */
  private readonly beginnings = new Map<string, string>();

  /** Learns the ids of a text, so that their shortened forms are recognised later. */
  learn(text: string): void {
    if (text.length >= 7) this.replace(text);
  }

  replace(text: string): string {
    // Most texts have none: digits, or two colons.
    if (text.length < 3 || !/[0-9]|::/.test(text)) return text;
    return text.replace(ANY, (found) => this.of(found));
  }

  private of(found: string): string {
    if (/^[0-9a-f]{8}[-_]/.test(found)) return this.uid(found);
    if (/^[0-9a-f]+$/.test(found))
      return found.length === 32 || found.length === 64 ? this.hex(found) : this.short(found);
    if (found.includes(':')) {
      if (!isV6(found)) return found;
      const key = found.toLowerCase();
      return known(this.v6, key, () => `2001:db8::${(this.v6.size + 1).toString(16)}`);
    }
    if (isCommonV4(found) || found.split('.').some((part) => Number(part) > 255)) return found;
    return known(this.v4, found, () => v4Of(this.v4.size));
  }

  private uid(found: string): string {
    const separator = found.charAt(8);
    const key = found.replaceAll('_', '-');
    const n = known(this.uids, key, () => this.uids.size + 1);
    return `${hexOf(n, 8)}-0000-4000-8000-000000000000`.replaceAll('-', separator);
  }

  private hex(found: string): string {
    if (found.length === 32) return known(this.traces, found, () => hexOf(this.traces.size + 1, 32));
    return known(this.hexes, found, () => {
      this.beginnings.set(found.slice(0, 7), found);
      return hexOf(this.hexes.size + 1, 64);
    });
  }

  private short(found: string): string {
    const whole = this.beginnings.get(found.slice(0, 7));
    return whole?.startsWith(found) ? (this.hexes.get(whole) ?? '').slice(0, found.length) : found;
  }
}

function known<T>(map: Map<string, T>, key: string, make: () => T): T {
  const before = map.get(key);
  if (before !== undefined) return before;
  const made = make();
  map.set(key, made);
  return made;
}
