import es5 from 'typescript-js/lib/lib.es5.d.ts?raw';
import es2015collection from 'typescript-js/lib/lib.es2015.collection.d.ts?raw';
import es2015core from 'typescript-js/lib/lib.es2015.core.d.ts?raw';
import es2015generator from 'typescript-js/lib/lib.es2015.generator.d.ts?raw';
import es2015iterable from 'typescript-js/lib/lib.es2015.iterable.d.ts?raw';
import es2015symbol from 'typescript-js/lib/lib.es2015.symbol.d.ts?raw';
import es2015wellknown from 'typescript-js/lib/lib.es2015.symbol.wellknown.d.ts?raw';
import es2016include from 'typescript-js/lib/lib.es2016.array.include.d.ts?raw';
import es2017object from 'typescript-js/lib/lib.es2017.object.d.ts?raw';
import es2017string from 'typescript-js/lib/lib.es2017.string.d.ts?raw';
import es2019array from 'typescript-js/lib/lib.es2019.array.d.ts?raw';
import es2019object from 'typescript-js/lib/lib.es2019.object.d.ts?raw';
import es2019string from 'typescript-js/lib/lib.es2019.string.d.ts?raw';
import es2021string from 'typescript-js/lib/lib.es2021.string.d.ts?raw';
import es2022array from 'typescript-js/lib/lib.es2022.array.d.ts?raw';
import es2022object from 'typescript-js/lib/lib.es2022.object.d.ts?raw';
import es2022string from 'typescript-js/lib/lib.es2022.string.d.ts?raw';
import es2023array from 'typescript-js/lib/lib.es2023.array.d.ts?raw';

/** Names that a learner's code does not have: the checker is to say so before the interpreter does. */
const ABSENT = /^declare (?:var|function) (?:Date|Promise|Proxy|eval|escape|unescape|ActiveXObject)\b.*$/gm;

const CONSOLE = `
interface Console { log(...values: unknown[]): void; info(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void; debug(...values: unknown[]): void }
declare const console: Console;
`;

/** The declarations of the language as the interpreter has it. */
export const LIB =
  [
    es5,
    es2015core,
    es2015collection,
    es2015symbol,
    es2015iterable,
    es2015generator,
    es2015wellknown,
    es2016include,
    es2017object,
    es2017string,
    es2019array,
    es2019object,
    es2019string,
    es2021string,
    es2022array,
    es2022object,
    es2022string,
    es2023array,
  ]
    .join('\n')
    .replace(/^\/\/\/ <reference .*$/gm, '')
    .replace(ABSENT, '') + CONSOLE;
