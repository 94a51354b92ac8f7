/** Records of the sources that pods come from. */
import { podRefs, texts } from './common.js';
import { boolean, maybe, text, word } from './field.js';
import { kind } from './kind.js';

export const config = {
  /** A source read its input: the complete set of pods in it. */
  source: kind(
    { source: text, origin: word<'list' | 'watch'>(), pods: podRefs, errors: maybe(texts) },
    {
      touches: ['sources'],
      importance: 2,
      place: (r) => (r.source === 'http' || r.source === 'api' ? r.source : 'file'),
      mark: ['desired', 'square'],
      failed: (r) => (r.errors?.length ?? 0) > 0,
    },
  ),
  /** PodConfig merged a snapshot into one operation that goes to configCh. */
  'pod-config': kind(
    { source: text, op: word<'ADD' | 'UPDATE' | 'REMOVE' | 'RECONCILE' | 'DELETE'>(), pods: podRefs },
    { touches: ['sources', 'pods'], importance: 2, place: 'podConfig', mark: ['desired', 'square'] },
  ),
  'sources-ready': kind(
    { source: text, all: boolean },
    { touches: ['sources'], importance: 2, place: 'podConfig', mark: ['desired', 'dot'] },
  ),
};
