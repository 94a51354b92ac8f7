import { describe, expect, it } from 'vitest';
import { BOUNDS, sizesFrom } from '../../page/layout-store.js';
import { nextItem } from '../../ui/menu-logic.js';
import { type Panels, viewFrom } from './keep.js';

const PANELS: Panels = { left: ['pods', 'scenarios'], bottom: ['log', 'records'], inspector: ['what', 'why'] };

describe('what a reload puts back', () => {
  it('is what was kept', () => {
    const view = {
      left: 'pods',
      bottom: 'log',
      inspectorOpen: true,
      inspectorTab: 'why',
      filter: 'web',
      follow: false,
      tryDismissed: true,
    };
    expect(viewFrom(JSON.stringify(view), PANELS)).toEqual(view);
  });
  it.each([null, '', 'null', '[]', '7', '"x"', '{', '{"left":"nowhere","bottom":{},"filter":3,"follow":"yes"}'])(
    'is nothing of %j',
    (stored) => expect(viewFrom(stored, PANELS)).toEqual({}),
  );
  it('has sizes within their bounds', () => {
    expect(sizesFrom('{"left":1,"inspector":99999,"bottom":"300"}')).toEqual({
      left: BOUNDS.left.least,
      inspector: BOUNDS.inspector.most,
      bottom: BOUNDS.bottom.usual,
    });
    expect(sizesFrom('nonsense').left).toBe(BOUNDS.left.usual);
  });
});

describe('keys in a menu', () => {
  const names = ['Copy', 'Save', 'Share'];
  it.each([
    [0, 'ArrowDown', 1],
    [2, 'ArrowDown', 0],
    [0, 'ArrowUp', 2],
    [-1, 'ArrowUp', 2],
    [1, 'Home', 0],
    [1, 'End', 2],
    [0, 's', 1],
    [1, 'S', 2],
    [2, 's', 1],
    [0, 'x', null],
    [0, 'Escape', null],
    [0, ' ', null],
  ] as const)('from %i, %s goes to %s', (at, key, to) => expect(nextItem(names, at, key)).toBe(to));
  it('go nowhere where there is nothing', () => expect(nextItem([], -1, 'ArrowDown')).toBeNull());
});
