/**
 * Text for a terminal. Names from a recording, a pod or a runtime may contain sequences that move the cursor, rename
 * the window or reverse the order of letters: these are shown as escapes, which mean the same text in JSON.
 */

/** All but tab, line feed, and a carriage return before one: C0 and C1 controls, and marks of direction. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export const forTerminal = (text: string): string =>
  text.replace(unsafe, (c, at: number) => {
    if (c === '\n' || c === '\t' || (c === '\r' && text[at + 1] === '\n')) return c;
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
