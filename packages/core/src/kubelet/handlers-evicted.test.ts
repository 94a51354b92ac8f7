import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import { deleteContainersOfEvicted } from './handlers.js';

type Deps = Parameters<typeof deleteContainersOfEvicted>[0];

describe('containers of a pod that is reconciled', () => {
  const deleted = (status: { phase: string; reason?: string }, known = true): unknown[] => {
    const calls: unknown[] = [];
    const kl = {
      containerDeletor: { deleteContainersInPod: (...args: unknown[]) => void calls.push(args) },
      podCache: {
        get(uid: string) {
          if (!known) throw new Error('unknown');
          return { id: uid };
        },
      },
    } as unknown as Deps;
    deleteContainersOfEvicted(kl, { metadata: { uid: 'u1' }, status } as unknown as Pod, () => {});
    return calls;
  };

  it('are all deleted where it was evicted, and else stay', () => {
    expect(deleted({ phase: 'Failed', reason: 'Evicted' })).toEqual([['', { id: 'u1' }, true]]);
    expect(deleted({ phase: 'Failed' })).toEqual([]);
    expect(deleted({ phase: 'Running', reason: 'Evicted' })).toEqual([]);
  });
  it('wait for the garbage collector while their state is unknown', () => {
    expect(deleted({ phase: 'Failed', reason: 'Evicted' }, false)).toEqual([]);
  });
});
