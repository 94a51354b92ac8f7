/**
 * Returns true if a text is an IPv4 (leading zeros allowed) or IPv6 address.
 * upstream: k8s.io/utils/net ParseIPSloppy
 */
export function isValidIP(text: string): boolean {
  return isIPv4(text) || isIPv6(text);
}

const isIPv4 = (text: string): boolean => {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((p) => /^\d{1,}$/.test(p) && Number(p) <= 255);
};

/** upstream: k8s.io/utils/net IsIPv6String */
export function isIPv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = (half: string): number | null => {
    if (half === '') return 0;
    let n = 0;
    const parts = half.split(':');
    for (const [i, p] of parts.entries()) {
      if (i === parts.length - 1 && p.includes('.')) {
        if (!isIPv4(p)) return null;
        n += 2;
      } else if (/^[0-9a-fA-F]{1,4}$/.test(p)) n++;
      else return null;
    }
    return n;
  };
  const counts = halves.map(groups);
  if (counts.some((c) => c === null)) return false;
  const total = counts.reduce<number>((a, b) => a + (b ?? 0), 0);
  return halves.length === 2 ? total < 8 : total === 8;
}
