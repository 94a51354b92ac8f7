/** Finds many names in a text at once, in a time that grows with the text only. */

interface Step {
  /** By what stands between two words, and the word after it. */
  readonly next: Map<string, Step>;
  replacement?: string;
}

/** Words, and what stands for another character: of a URL, of a quoted text, of a systemd unit. */
const WORD = /%[0-9A-Fa-f]{2}|\\(?:[nrt]|u[0-9a-f]{4}|x[0-9a-f]{2})|[A-Za-z0-9]+/g;
const isEscape = (word: string): boolean => word.startsWith('%') || word.startsWith('\\');

/** Returns the characters between two words with their escapes resolved. */
function separator(text: string): string {
  if (!text.includes('%') && !text.includes('\\x')) return text;
  return text.replace(/(?:%|\\x)([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Names begin and end with a letter or a digit; one that stands within a longer one gives way to it. */
export class Scanner {
  private readonly root: Step = { next: new Map() };

  add(name: string, replacement: string): void {
    let step = this.root;
    let from = 0;
    for (const { 0: word, index } of name.matchAll(/[A-Za-z0-9]+/g)) {
      const key = name.slice(from, index) + word;
      let next = step.next.get(key);
      if (!next) {
        next = { next: new Map() };
        step.next.set(key, next);
      }
      step = next;
      from = index + word.length;
    }
    if (step !== this.root && from === name.length) step.replacement = replacement;
  }

  /** Replaces names in a text; `other` is given what lies between them. */
  replace(text: string, other: (text: string) => string): string {
    const words = [...text.matchAll(WORD)].filter(([word]) => !isEscape(word));
    let made = '';
    let done = 0;
    for (let i = 0; i < words.length; i++) {
      let step = this.root.next.get((words[i] as RegExpExecArray)[0]);
      let found: { readonly last: number; readonly replacement: string } | null = null;
      for (let j = i; step; ) {
        if (step.replacement !== undefined) found = { last: j, replacement: step.replacement };
        const word = words[j] as RegExpExecArray;
        const after = words[++j];
        if (!after) break;
        step = step.next.get(separator(text.slice(word.index + word[0].length, after.index)) + after[0]);
      }
      if (!found) continue;
      const last = words[found.last] as RegExpExecArray;
      made += other(text.slice(done, (words[i] as RegExpExecArray).index)) + found.replacement;
      done = last.index + last[0].length;
      i = found.last;
    }
    return done === 0 ? other(text) : made + other(text.slice(done));
  }
}
