/** Texts that come without a key: of QuickJS and the prelude inside of it, of the parser, and of shapes. */
import { type Message, type MessageKey, message } from './message.js';

type Pattern = readonly [key: MessageKey, pattern: RegExp];

/** The groups of a pattern are the parameters. */
const thrown: readonly Pattern[] = [
  ['notDefined', /^ReferenceError: '(?<name>[^']+)' is not defined\.$/],
  ['readOf', /^TypeError: cannot read property '(?<name>[^']*)' of (?<of>null|undefined)\.$/],
  ['setOf', /^TypeError: cannot set property '(?<name>[^']*)' of (?<of>null|undefined)\.$/],
  ['notAFunction', /^TypeError: not a function\.$/],
  ['notIterable', /^TypeError: (?:value|object) is not iterable\.$/],
  ['readOnly', /^TypeError: '(?<name>[^']+)' is read-only\.$/],
  ['notInitialized', /^ReferenceError: (?<name>\S+) is not initialized\.$/],
  ['noEntries', /^RangeError: (?<what>.+) has more than (?<most>\d+) entries\.$/],
  ['searchTooLong', /^RangeError: The text is too long to be searched\.$/],
  ['arraysOnly', /^TypeError: (?<name>[\w.]+) works on arrays only\.$/],
  ['needsNew', /^TypeError: (?<name>\w+) needs new\.$/],
  ['noDate', /^TypeError: Date is not available/],
  ['noPromise', /^TypeError: Promise is not available/],
  ['noProxy', /^TypeError: Proxy is not available/],
  ['noBigInt', /^TypeError: BigInt is not available/],
  ['noEval', /^TypeError: eval is not available/],
  ['noRequire', /^TypeError: require is not available/],
  ['noRandom', /^TypeError: Math\.random is not available/],
  ['noFunction', /^TypeError: Functions cannot be made of text here\.$/],
  ['noClock', /^TypeError: (?<name>\w+) is not available: time is what the input says\.$/],
  ['noLater', /^TypeError: (?<name>\w+) is not available: nothing runs later than the call\.$/],
  ['noOutside', /^TypeError: (?<name>\w+) is not available: all that the function needs/],
];

const parsed: readonly Pattern[] = [
  ['unexpectedToken', /^Unexpected token\.$/],
  ['unterminatedString', /^Unterminated string constant\.$/],
  ['unterminatedComment', /^Unterminated comment\.$/],
  ['unterminatedTemplate', /^Unterminated template\.$/],
  ['declaredTwice', /^Identifier '(?<name>[^']+)' has already been declared\.$/],
  ['reservedWord', /^The keyword '(?<name>[^']+)' is reserved\.$/],
  ['assignTarget', /^Assigning to rvalue\.$/],
];

const shaped: readonly Pattern[] = [
  ['shapeMissing', /^(?<path>\S+): it is missing; it must be (?<what>.+)$/],
  ['shapeIs', /^(?<path>\S+): it is (?<value>.+); it must be (?<what>.+)$/],
  ['shapeNear', /^(?<path>\S+): it is (?<value>.+); did you mean (?<near>.+)\?$/],
  ['shapeNoField', /^(?<path>\S+): there is no such field; (?<remedy>.+)$/],
  ['shapeMany', /^(?<path>\S+): it has (?<length>\d+) entries; it may have (?<most>\d+)$/],
];

function read(patterns: readonly Pattern[], text: string): Message {
  for (const [key, pattern] of patterns) {
    const found = pattern.exec(text);
    if (found) return message(key, found.groups && { ...found.groups });
  }
  return message('text', { text });
}

/** Reads what was thrown, as a sentence. */
export const thrownMessage = (text: string): Message => read(thrown, text);
/** Reads what the parser says, as a sentence. */
export const parsedMessage = (text: string): Message => read(parsed, text);
/** Reads one line about a value of the wrong shape. */
export const shapeMessage = (text: string): Message => read(shaped, text);
