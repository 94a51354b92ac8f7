import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { Decision, TwinText } from '../base/types.js';
import { Names } from './names.js';

interface NodeEvent {
  readonly time: Micros;
  /** `namespace/name` and incarnation; '' for the node. */
  readonly pod: string;
  readonly container: string;
  readonly what: 'timeout' | 'failure' | 'backoff' | 'call' | 'runtime' | 'kubelet';
}

const words: { readonly [W in NodeEvent['what']]: (n: string) => TwinText } = {
  timeout: (n) => ({ en: `its probe timed out ${n}`, zh: `它的探针超时 ${n}` }),
  failure: (n) => ({ en: `its probe failed ${n}`, zh: `它的探针失败 ${n}` }),
  backoff: (n) => ({ en: `it was held back ${n}`, zh: `它被退避 ${n}` }),
  call: (n) => ({ en: `calls to the runtime failed ${n}`, zh: `对运行时的调用失败 ${n}` }),
  runtime: (n) => ({ en: `the runtime was not ready ${n}`, zh: `运行时未就绪 ${n}` }),
  kubelet: (n) => ({ en: `the kubelet was started ${n}`, zh: `kubelet 启动 ${n}` }),
};
const times = (n: number): TwinText => ({
  en: n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`,
  zh: `${n} 次`,
});

/** Events of the observed run that may have delayed a decision. */
export class Causes {
  private readonly list: NodeEvent[] = [];

  constructor(records: readonly TraceRecord[]) {
    const names = new Names(records);
    const add = (r: TraceRecord, what: NodeEvent['what'], uid?: string, container = '') => {
      const { pod, incarnation } = uid === undefined ? { pod: '', incarnation: 0 } : names.pod(uid);
      this.list.push({ time: r.time, pod: pod && `${pod} ${incarnation}`, container, what });
    };
    for (const r of records)
      if (r.kind === 'probe' && r.outcome === 'failure')
        add(r, /time(d )?out|deadline/i.test(r.output) ? 'timeout' : 'failure', r.uid, r.container);
      else if (r.kind === 'backoff' && r.active) add(r, 'backoff', r.uid, r.container);
      else if (r.kind === 'cri-return' && r.error) add(r, 'call', r.uid);
      else if (r.kind === 'runtime-state' && r.errors.length > 0) add(r, 'runtime');
      else if (r.kind === 'process' && r.process === 'kubelet' && r.state === 'started') add(r, 'kubelet');
  }

  /** Describes the events of its pod or the node between two times; null if nothing is known. */
  between(d: Decision, from: Micros, to: Micros): TwinText | null {
    const counts = new Map<NodeEvent['what'], number>();
    const pod = `${d.pod} ${d.incarnation}`;
    for (const one of this.list) {
      if (one.time < from || one.time > to || (one.pod !== '' && one.pod !== pod)) continue;
      if (one.container !== '' && d.container !== undefined && one.container !== d.container) continue;
      counts.set(one.what, (counts.get(one.what) ?? 0) + 1);
    }
    if (counts.size === 0) return null;
    const said = [...counts].map(([what, n]) => {
      const count = times(n);
      return { en: words[what](count.en).en, zh: words[what](count.zh).zh };
    });
    return { en: said.map(({ en }) => en).join(', '), zh: said.map(({ zh }) => zh).join('，') };
  }
}
