/** Addresses of the audience, as the agent names them. */

/** The address in a link, as the agent lists it: IPv6 without brackets. */
export const hostOf = (link: string): string => new URL(link).hostname.replace(/^\[|\]$/g, '');

/** Only this machine can open it. */
export const isLocal = (link: string): boolean => /^(127\.|localhost$|::1$)/.test(hostOf(link));
