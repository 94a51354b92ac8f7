import { describe, expect, it } from 'vitest';
import { callTree, flame, partOf } from './flame.mjs';

const CORE = 'file:///x/packages/core/dist/kubelet/pleg/generic.js';
const nodes = [
  [1, '(root)', '', [2, 6, 7]],
  [2, 'main', 'file:///x/bench/core.mjs', [3, 4]],
  [3, 'relist', CORE, [5]],
  [4, 'relist', CORE, []],
  [5, 'a<b>', 'node:fs', []],
  [6, '(idle)', '', []],
  [7, '(garbage collector)', '', []],
].map(([id, functionName, url, children]) => ({ id, callFrame: { functionName, url }, children }));
/** Samples by node: 10 of main itself, 20 and 30 of relist at two places, 15 below it, 100 idle, 25 of garbage. */
const counts = { 2: 10, 3: 20, 4: 30, 5: 15, 6: 100, 7: 25 };
const profile = { nodes, samples: Object.entries(counts).flatMap(([id, n]) => Array(n).fill(Number(id))) };

describe('the tree of calls', () => {
  const tree = callTree(profile);
  it('sums calls of the same function by the same one, and leaves idle time out', () => {
    expect(tree).toMatchObject({ name: 'all', samples: 100 });
    expect(tree.children.map(({ name, samples }) => [name, samples])).toEqual([
      ['main', 75],
      ['(garbage collector)', 25],
    ]);
    expect(tree.children[0].children).toEqual([
      {
        name: 'relist',
        url: CORE,
        samples: 65,
        children: [{ name: 'a<b>', url: 'node:fs', samples: 15, children: [] }],
      },
    ]);
  });
  it('has parts by name', () => {
    expect(partOf(tree, 'relist').samples).toBe(65);
    expect(partOf(tree, 'absent')).toBe(null);
  });
});

describe('the picture', () => {
  const boxes = (svg) =>
    [
      ...svg.matchAll(/<title>(.*?)<\/title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="16" fill="(#\w+)"/g),
    ].map(([, title, x, y, width, fill]) => ({ title, x: Number(x), y: Number(y), width: Number(width), fill }));
  it('has boxes as wide as their share, within their callers, and coloured by room', () => {
    const found = boxes(flame(callTree(profile), 'Title & more'));
    expect(found.map(({ x, y, width }) => [x, y, width])).toEqual([
      [0, 28, 1199.5],
      [0, 45, 899.5],
      [0, 62, 779.5],
      [0, 79, 179.5],
      [900, 45, 299.5],
    ]);
    expect(found.map(({ title }) => title)).toEqual([
      'all: 100.0 %',
      'main, bench/core.mjs: 75.0 %',
      'relist, pleg/generic.js: 65.0 %',
      'a&#60;b&#62;, node:fs: 15.0 %',
      '(garbage collector): 25.0 %',
    ]);
    expect(found[2].fill).not.toBe(found[3].fill);
  });
  it('leaves out what nobody could see, and is a picture even of nothing', () => {
    const tree = { name: 'all', url: '', samples: 1000, children: [{ name: 'f', url: '', samples: 1, children: [] }] };
    expect(boxes(flame(tree, 't'))).toHaveLength(1);
    let deep = { name: 'leaf', url: '', samples: 1, children: [] };
    for (let i = 0; i < 100; i++) deep = { name: 'again', url: '', samples: 1, children: [deep] };
    expect(boxes(flame(deep, 't'))).toHaveLength(41);
    const nothing = flame({ name: 'all', url: '', samples: 0, children: [] }, 'a <title>');
    expect(boxes(nothing)).toEqual([]);
    expect(nothing).toContain('a &#60;title&#62;</text>');
  });
});
