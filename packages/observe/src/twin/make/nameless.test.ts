import { describe, expect, it } from 'vitest';
import { concludeContainers, type Nameless } from './nameless.js';

const seconds = 1_000_000;
/** An id that ran from one second to another and ended with a code. */
const one = (id: string, from: number, to?: number, exitCode?: number, name = ''): Nameless => ({
  ...{ id, name, isContainer: true, ran: from * seconds },
  ...(to !== undefined && { ended: to * seconds }),
  ...(exitCode !== undefined && { exitCode }),
});
const of = (...all: Nameless[]) => ({
  waits: (...waits: [container: string, at: number][]) => of(...all).in([], ...waits),
  in: (sandboxes: readonly number[], ...waits: [container: string, at: number][]) =>
    concludeContainers(
      all,
      waits.map(([container, at]) => ({ container, time: at * seconds })),
      60 * seconds,
      sandboxes.map((at) => at * seconds),
    ).map(({ name, init, ids }) => `${init ? 'init ' : ''}${name}: ${ids.join(' ')}`),
});

describe('containers that no line names', () => {
  it('are one container where each starts after the end of the one before', () =>
    expect(of(one('a', 1, 2, 1), one('b', 3, 4, 1), one('c', 14)).waits()).toEqual(['container-1: a b c']));
  it('have the name under which one of them waits', () =>
    expect(of(one('a', 1, 2, 0), one('x', 1), one('b', 3, 4, 0)).waits(['c1', 4])).toEqual([
      'c1: a b',
      'container-1: x',
    ]));
  it('are init containers where more start at once than have ended', () =>
    expect(of(one('a', 1, 2, 0), one('b', 3), one('c', 3)).waits()).toEqual([
      'init init-1: a',
      'container-1: b',
      'container-2: c',
    ]));
  it('are init containers where what follows runs on', () =>
    expect(of(one('a', 1, 2, 0), one('b', 3)).waits()).toEqual(['init init-1: a', 'container-1: b']));
  it('are one container where the third start waited for a back-off', () =>
    expect(of(one('a', 1, 2, 0), one('b', 3, 4, 0), one('c', 15)).waits()).toEqual(['container-1: a b c']));
  it('are not what waits while they run', () =>
    expect(
      of(one('a', 1, 4, 1), one('b', 5, 7, 1), one('x', 1, 23, 137), one('y', 24)).waits(['c', 7], ['c', 23.2]),
    ).toEqual(['c: a b', 'container-1: x y']));
  it('run their init containers again in another sandbox', () =>
    expect(
      of(one('i', 1, 2, 0), one('a', 3, 20, 0), one('b', 3, 20, 0), one('j', 20, 21, 0), one('c', 22), one('d', 22)).in(
        [20],
      ),
    ).toEqual(['init init-1: i j', 'container-1: a c', 'container-2: b d']));
  it('begin with a sidecar where what ran next to it succeeded twice, and was left at that', () =>
    expect(of(one('s', 1), one('a', 1.5, 3, 0), one('b', 4, 6, 0)).waits()).toEqual([
      'init init-1: s',
      'init init-2: a',
      'container-1: b',
    ]));
});
