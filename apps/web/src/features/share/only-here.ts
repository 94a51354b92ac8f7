/** Returns true if an address can be opened on this computer only. */
export function onlyHere(href: string): boolean {
  const { protocol, hostname } = new URL(href);
  return protocol === 'file:' || /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
