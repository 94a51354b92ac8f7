import { beforeAll, expect, it } from 'vitest';
import { loadEras } from '../../kubelet/era/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { reasonZh } from '../../trace/narrator/reasons-zh.js';
import { startScenario } from '../run/start.js';
import { findScenario, library } from './index.js';

/** The phrases that the kubelet's own code writes into a record: steps, reasons, causes. */
function phrasesOf(r: TraceRecord): readonly unknown[] {
  switch (r.kind) {
    case 'worker':
      return [r.reason];
    case 'queue':
      return [r.why];
    case 'step':
      return [r.name];
    case 'manager':
      return [r.detail];
    case 'decision':
      return [r.values.why];
    default:
      return [];
  }
}

beforeAll(() => loadEras());

it('the Chinese narrator has words for each reason and step that the scenarios come to', () => {
  const seen = new Set<string>();
  // Of these two only the number of pods is new.
  for (const { name } of library.filter((s) => !/^(full-node|many-pods)$/.test(s.name)))
    startScenario(findScenario(name), {
      sink: (r) => {
        for (const phrase of phrasesOf(r)) if (typeof phrase === 'string' && / /.test(phrase)) seen.add(phrase);
      },
    }).run();
  expect(seen.size).toBeGreaterThan(50);
  expect([...seen].filter((phrase) => !/[\u4e00-\u9fff]/.test(reasonZh(phrase)))).toEqual([]);
});
