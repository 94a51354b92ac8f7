/** Parses IP addresses, as far as the node's own ones need it. */

/**
 * The 4 or 16 bytes of an address; null if the text is not an address.
 * upstream: net.ParseIP (leading zeros are taken as decimal, as netutils.ParseIPSloppy does)
 */
export function parseIP(text: string): readonly number[] | null {
  if (text.length > 45) return null;
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): number[] | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((p) => /^\d{1,3}$/.test(p) && Number(p) <= 255)) return null;
  return parts.map(Number);
}

function parseIPv6(text: string): number[] | null {
  let head = text;
  const tail: number[] = [];
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted) {
    const v4 = parseIPv4(dotted[2] as string);
    if (!v4) return null;
    tail.push(...v4);
    head = dotted[1] as string;
    // The colon before the dotted part belongs to it, unless it is one of `::`.
    if (!head.endsWith('::')) head = head.slice(0, -1);
  }
  const halves = head.split('::');
  if (halves.length > 2) return null;
  const groups = (half: string): number[] | null => {
    if (half === '') return [];
    const words = half.split(':');
    if (!words.every((w) => /^[0-9a-f]{1,4}$/i.test(w))) return null;
    return words.flatMap((w) => {
      const n = Number.parseInt(w, 16);
      return [n >> 8, n & 255];
    });
  };
  const before = groups(halves[0] as string);
  const after = halves.length === 2 ? groups(halves[1] as string) : [];
  if (!before || !after) return null;
  const missing = 16 - before.length - after.length - tail.length;
  if (halves.length === 2 ? missing < 0 : missing !== 0) return null;
  return [...before, ...Array<number>(missing).fill(0), ...after, ...tail];
}

/** The 4 bytes if it is an IPv4 address, mapped ones too. upstream: (net.IP).To4 */
export function to4(ip: readonly number[]): readonly number[] | null {
  if (ip.length === 4) return ip;
  const mapped = ip.slice(0, 10).every((b) => b === 0) && ip[10] === 255 && ip[11] === 255;
  return mapped ? ip.slice(12) : null;
}

export const isIPv4 = (text: string): boolean => {
  const ip = parseIP(text);
  return ip !== null && to4(ip) !== null;
};

/** True for 0.0.0.0 and ::. upstream: (net.IP).IsUnspecified */
export const isUnspecified = (text: string): boolean => {
  const ip = parseIP(text);
  return ip?.every((b) => b === 0) ?? false;
};

const sameIP = (a: readonly number[], b: readonly number[]): boolean => {
  const [x, y] = [to4(a) ?? a, to4(b) ?? b];
  return x.length === y.length && x.every((byte, i) => byte === y[i]);
};

/**
 * Checks that the node may be known by this address; throws with upstream's words if it may not. `own`: the addresses
 * of the host's interfaces.
 * upstream: kubelet_node_status.go validateNodeIP
 */
export function validateNodeIP(text: string, own: readonly string[]): void {
  const ip = parseIP(text);
  if (!ip) throw new Error('nodeIP must be a valid IP address');
  const four = to4(ip);
  const [a = 0, b = 0] = four ?? ip;
  if (four ? a === 127 : ip.slice(0, 15).every((x) => x === 0) && ip[15] === 1)
    throw new Error("nodeIP can't be loopback address");
  if (four ? a >= 224 && a <= 239 : a === 0xff) throw new Error("nodeIP can't be a multicast address");
  if (four ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80)
    throw new Error("nodeIP can't be a link-local unicast address");
  if (isUnspecified(text)) throw new Error("nodeIP can't be an all zeros address");
  for (const one of own) {
    const other = parseIP(one);
    if (other && sameIP(ip, other)) return;
  }
  throw new Error(`node IP: ${JSON.stringify(text)} not found in the host's network interfaces`);
}
