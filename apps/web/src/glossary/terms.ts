/** The glossary, as the palette and texts show it. */
import type { Term } from './term.js';
import { loopTerms } from './terms-loop.js';
import { nodeTerms } from './terms-node.js';
import { podTerms } from './terms-pods.js';

export const terms: readonly Term[] = [...loopTerms, ...podTerms, ...nodeTerms];

const byName = new Map(terms.map((term) => [term.name.toLowerCase(), term]));
/** Returns the term of that name, in any case; undefined if there is none. */
export const termNamed = (name: string): Term | undefined => byName.get(name.toLowerCase());
