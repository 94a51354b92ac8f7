/** The glossary, as the palette and texts show it. */
import type { Term } from './term.js';
import { loopTerms } from './terms-loop.js';
import { nodeTerms } from './terms-node.js';
import { podTerms } from './terms-pods.js';

export const terms: readonly Term[] = [...loopTerms, ...podTerms, ...nodeTerms];
