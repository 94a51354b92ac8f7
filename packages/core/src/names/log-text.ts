/** Lines of a log and the messages that the source has for them. */

/** Splits a message at its verbs, those of Go's printf: `%s`, `%q`, `%#v`, `%+v`. */
const partsOf = (message: string): readonly string[] => message.split(/%[+#]?[a-z]/);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patterns = new Map<string, RegExp>();

/** Returns true if the format can print this text, as a whole. */
export function matchesFormat(text: string, format: string): boolean {
  let pattern = patterns.get(format);
  if (!pattern) {
    pattern = new RegExp(`^${partsOf(format).map(escaped).join('[^]*')}$`);
    patterns.set(format, pattern);
  }
  return pattern.test(text);
}

/** The pattern by which a breakpoint finds the message: each verb is a star. */
export const globOf = (message: string): string => partsOf(message).join('*');

/** Removes klog's header and the quotes from around a message. */
const bare = (text: string): string =>
  text
    .replace(/^.*?[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w.]+:\d+\]\s*/, '')
    .replace(/\\"/g, '"')
    .trim();

/** Letters that a message has outside its verbs. */
const weightOf = (message: string): number => partsOf(message).join('').length;

/** The fewest letters of a message that is found: shorter ones are words of many lines. */
const LEAST = 6;

/**
 * The messages that a pasted line has: a whole line of the log, a line of code that logs, or the message alone, as
 * the source or a log has it. The longest first.
 */
export function messagesIn(pasted: string, messages: Iterable<string>): readonly string[] {
  const text = bare(pasted);
  const quoted = text.replace(/^"|"$/g, '');
  const found: string[] = [];
  for (const message of messages) {
    const same = quoted === message || text.includes(`"${message}"`);
    const fits = same || (message.includes('%') && matchesFormat(quoted, message));
    if (fits && weightOf(message) >= LEAST) found.push(message);
  }
  return found.sort((a, b) => weightOf(b) - weightOf(a));
}
