import { parseView, type Sight } from '@syncloop/core/classroom';
import { beforeEach, describe, expect, it } from 'vitest';
import { useUI } from '../../page/ui-store.js';
import { register } from '../../shell/registry.js';
import { useGraph } from '../graph/index.js';
import { inspector } from '../inspector/feature.js';
import { logs } from '../logs/feature.js';
import { pods } from '../pods/feature.js';
import { classIn } from './opener.js';
import { applyViewState, readViewState, watchViewState } from './view-state.js';

const bare = { selection: null, inspectorOpen: false, inspectorTab: 'what', left: null, bottom: null } as const;
beforeEach(() => {
  useUI.setState(bare);
  useGraph.setState({ chosen: null, followed: 0 });
});

register(inspector, logs, pods);

describe('what is in sight', () => {
  it('is the same on another page, as it comes over the wire', () => {
    useUI.setState({
      selection: { kind: 'pod', uid: 'abc' },
      inspectorOpen: true,
      inspectorTab: 'why',
      left: 'pods',
      bottom: 'log',
    });
    useGraph.setState({ chosen: 'story', followed: 12 });
    const sight = readViewState();
    const view = { n: 1, run: 1, step: 0, seq: 0, time: 0, running: false, speed: { mode: 'max' }, sight };
    const came = parseView(JSON.parse(JSON.stringify(view))).sight;
    useUI.setState(bare);
    useGraph.setState({ chosen: null, followed: 0 });
    applyViewState(came, {}, true);
    expect(readViewState()).toEqual(sight);
  });

  it('changes a page only where the presenter changed something', () => {
    const before = readViewState();
    // The follower's own.
    useUI.setState({ bottom: 'log' });
    applyViewState({ ...before, left: 'pods' }, before, true);
    expect(useUI.getState()).toMatchObject({ left: 'pods', bottom: 'log' });
  });

  it('leaves panels alone on small screens', () => {
    const sight = {
      selection: ['part', 'pleg'],
      inspector: [true, 'why'],
      left: 'pods',
      bottom: 'log',
      level: 'everything',
    };
    applyViewState(sight, {}, false);
    expect(useUI.getState()).toMatchObject({ ...bare, selection: { kind: 'part', part: 'pleg' } });
    expect(useGraph.getState().chosen).toBeNull();
  });

  it('is left as it is by what cannot be understood', () => {
    useUI.setState({ selection: { kind: 'goroutine', id: 3 }, inspectorTab: 'why', left: 'pods', bottom: 'log' });
    const odd: Sight[] = [
      { selection: ['part', 'nothing'] },
      { selection: 'pod' },
      { selection: { kind: 'pod' } },
      { inspector: 'why' },
      { inspector: [true, '<b>'] },
      { inspector: [true, 'cellar'] },
      { left: 'cellar', bottom: 'cellar' },
      { left: 3, bottom: {} },
      { inspector: [1, 'what'] },
      { level: 'cellar', followed: -1 },
      { unknown: 1 },
    ];
    for (const sight of odd) applyViewState(sight, {}, true);
    expect(useUI.getState()).toMatchObject({
      selection: { kind: 'goroutine', id: 3 },
      inspectorTab: 'why',
      inspectorOpen: false,
      left: 'pods',
      bottom: 'log',
    });
    expect(useGraph.getState()).toMatchObject({ chosen: null, followed: 0 });
    applyViewState({ selection: null }, {}, true);
    expect(useUI.getState().selection).toBeNull();
  });

  it('calls back whenever it may have changed, until that is ended', () => {
    let told = 0;
    const stop = watchViewState(() => told++);
    useUI.setState({ left: 'pods' });
    const first = told;
    expect(first).toBeGreaterThan(0);
    useGraph.setState({ followed: 4 });
    const both = told;
    expect(both).toBeGreaterThan(first);
    stop();
    useUI.setState({ left: null });
    useGraph.setState({ followed: 0 });
    expect(told).toBe(both);
  });
});

it('a class’s link holds the audience’s token', () => {
  expect(classIn('http://127.0.0.1:7331/#class=abc-_1')).toBe('abc-_1');
  expect(classIn('http://127.0.0.1:7331/#token=abc')).toBeNull();
  expect(classIn('http://127.0.0.1:7331/?class=abc')).toBeNull();
});
