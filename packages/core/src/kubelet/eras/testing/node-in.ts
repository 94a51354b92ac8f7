import type { RecordOf } from '../../../trace/index.js';
import { type EraVersion, loadedEra } from '../../era/index.js';
import { setup } from '../../testing/fake-node.js';

type Options = NonNullable<Parameters<typeof setup>[0]>;

/**
 * A kubelet of that version on a fake runtime. The versions have to be loaded before: `beforeAll(loadEras)`. Without
 * `api` its only source of pods is a folder.
 */
export function nodeIn(era: EraVersion, options: Options & { readonly api?: boolean } = {}) {
  const { api = false, deps, ...rest } = options;
  const t = setup({
    ...rest,
    config: { ...(api && { staticPodPath: '' }), ...rest.config },
    deps: (k) => ({ ...(typeof deps === 'function' ? deps(k) : deps), era: loadedEra(era) }),
  });
  const entries = (fn: string): RecordOf<'enter'>[] => t.of('enter').filter((e) => e.fn === fn);
  return {
    ...t,
    /** The calls of a function, by the name that it has in the trace. */
    entries,
    /** Returns which of these functions were called, in order. */
    order: (...fns: readonly string[]) =>
      t
        .of('enter')
        .map((e) => e.fn)
        .filter((fn) => fns.includes(fn)),
    /** Calls of the runtime, less those that only look. */
    changes: () => t.of('cri-call').filter((c) => /^(RunPod|Create|Start|Stop|Remove|Exec)/.test(c.method)),
    /** Lines of the log, whole. */
    lines: (pattern: RegExp) => t.of('log').filter((l) => pattern.test(l.msg)),
    worker: (uid: string) => t.kl.podWorkers.snapshot().find((w) => w.uid === uid),
    status: (uid: string) => t.kl.statusManager.getPodStatus(uid),
    running: () => [...t.cri.containers.values()].filter((c) => c.state === 'CONTAINER_RUNNING').length,
    /** Has the container runtime take this many seconds for each call of a method. */
    slow: (method: string, seconds: number) => t.cri.slow.set(method, seconds * 1_000_000),
  };
}

export type NodeIn = ReturnType<typeof nodeIn>;
