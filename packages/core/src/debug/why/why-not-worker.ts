import { at, quote } from '../../trace/narrator/parts.js';
import { finding, type PodMoment } from './pod-moment.js';
import type { Finding } from './types.js';

/** Explains what keeps the whole kubelet from doing anything. */
export function nodeFindings(moment: PodMoment): Finding[] {
  const { state } = moment;
  const kubelet = state.processes.kubelet;
  if (kubelet !== undefined && kubelet !== 'started')
    return [
      finding(
        'kubelet-down',
        moment.lastOf('process', (p) => p.process === 'kubelet'),
        'The kubelet is not running.',
        'kubelet 没有在运行。',
      ),
    ];
  const runtime = moment.lastOf('runtime-state');
  if (runtime && runtime.errors.length > 0)
    return [
      finding(
        'loop-stopped',
        runtime,
        `The loop takes nothing while the runtime is not healthy: ${quote(runtime.errors.join('; '))}.`,
        `运行时不健康，主循环什么也不取：${quote(runtime.errors.join('; '))}。`,
      ),
    ];
  const gone = moment.lastOf('process', (p) => p.process !== 'kubelet' && p.process !== 'scenario');
  if (gone && gone.state !== 'started')
    return [
      finding(
        'runtime-down',
        gone,
        `The runtime (${gone.process}) is not running, so the kubelet's calls fail.`,
        `运行时（${gone.process}）没有在运行，kubelet 的调用都会失败。`,
      ),
    ];
  return [];
}

/** Explains why the worker does not begin a sync now. */
export function workerFindings(moment: PodMoment): Finding[] {
  const { pod, worker } = moment;
  const refused = refusal(moment);
  if (!worker) {
    if (refused) return [refused];
    const ended = moment.last('worker', (w) => w.state === 'removed' || w.state === 'finished');
    if (ended)
      return [
        finding(
          'ended',
          ended,
          `The worker of ${pod} has ended: ${quote(ended.reason)}.`,
          `${pod} 的 worker 已经结束：${quote(ended.reason)}。`,
        ),
      ];
    return [notReached(moment)];
  }
  const out: Finding[] = [];
  const dropped = moment.last('pod-update');
  if (worker.state === 'finished' || worker.state === 'removed') {
    const r = moment.last('worker');
    out.push(
      finding(
        'ended',
        r,
        `The worker of ${pod} has ended${r ? `: ${quote(r.reason)}` : ''}; it takes no more updates.`,
        `${pod} 的 worker 已经结束${r ? `：${quote(r.reason)}` : ''}，不再接受更新。`,
      ),
    );
    return out;
  }
  if (dropped?.dropped !== undefined)
    out.push(
      finding(
        'update-dropped',
        dropped,
        `The last update was ignored: ${quote(dropped.dropped)}.`,
        `最近一次更新被忽略：${quote(dropped.dropped)}。`,
      ),
    );
  const other = waitsForOther(moment);
  if (other) out.push(other);
  if (worker.waitsForNewerThan !== null) out.push(cacheFinding(moment, worker.waitsForNewerThan));
  else if (worker.working) out.push(workingFinding(moment));
  else if (worker.pending !== null) {
    const update = moment.last('pod-update', (u) => u.dropped === undefined);
    out.push(
      finding(
        'update-pending',
        update,
        `An update (${worker.pending}) waits; the worker has not processed it yet.`,
        `有一个更新（${worker.pending}）在等，worker 还没轮到处理它。`,
      ),
    );
  }
  if (!worker.working && worker.pending === null) out.push(dueFinding(moment));
  return out;
}

export function refusal(moment: PodMoment): Finding | undefined {
  const d = moment.rule('canAdmitPod');
  const no = d && d.verdict !== 'admit' ? d : moment.rule('canAdmitPod', (x) => x.verdict !== 'admit');
  // Once refused it is never asked again, unless it came again.
  if (!no || moment.last('work-start', () => true, no.seq)) return undefined;
  const message = typeof no.values.message === 'string' ? quote(no.values.message) : no.verdict;
  return finding(
    'admission-refused',
    no,
    `${moment.pod} was not admitted (${no.verdict}): ${message}`,
    `${moment.pod} 未被接纳（${no.verdict}）：${message}`,
  );
}

function notReached(moment: PodMoment): Finding {
  const { ix, uid, pod, at: upTo } = moment;
  const config = [...ix.podConfigs]
    .reverse()
    .find((s) => s <= upTo && s > moment.since && ix.as(s, 'pod-config')?.pods.some((p) => p.uid === uid));
  if (config === undefined)
    return finding('not-configured', 0, `No source has sent ${pod} to the loop.`, `还没有来源把 ${pod} 发给主循环。`);
  const handler = moment.state.loop.handler;
  return finding(
    'loop-busy',
    config,
    `The loop has not dealt with ${pod} yet${handler ? `; it is in ${handler}` : ''}.`,
    `主循环还没有处理到 ${pod}${handler ? `；它正在 ${handler} 中` : ''}。`,
  );
}

/** Finds another static pod of the same name that must end first. */
export function waitsForOther(moment: PodMoment): Finding | undefined {
  const d = moment.rule('allowPodStart');
  if (!d || d.verdict === 'start' || moment.last('work-start', () => true, d.seq)) return undefined;
  const started = typeof d.values.started === 'string' ? d.values.started : '';
  return finding(
    'waits-for-other-static-pod',
    d,
    `Another static pod of the same name (${started}) has not ended yet; only one of them may run.`,
    `同名的另一个静态 Pod（${started}）还没有结束，二者只能有一个在运行。`,
  );
}

export function cacheFinding(moment: PodMoment, newerThan: number): Finding {
  const wait = moment.last('cache-wait');
  const cache = moment.view?.cache;
  const relist = moment.state.pleg.lastRelist;
  return finding(
    'waits-for-cache',
    wait,
    `The worker waits in GetNewerThan for a status newer than ${at(newerThan)}; the cache has ${cache ? `one of ${at(cache.time)}` : 'none'}, and the last relist ended at ${at(relist)}.`,
    `worker 在 GetNewerThan 中等待比 ${at(newerThan)} 更新的状态；缓存里${cache ? `的是 ${at(cache.time)} 的` : '还没有'}，上一次 relist 在 ${at(relist)} 结束。`,
  );
}

export function workingFinding(moment: PodMoment): Finding {
  const calls = moment.callsInFlight();
  const call = calls.at(-1);
  if (call)
    return finding(
      'is-working',
      call,
      `The worker is at work: it has been waiting for ${call.method} since ${at(call.time)}.`,
      `worker 正在工作：从 ${at(call.time)} 起等待 ${call.method}。`,
    );
  const step = moment.last('step');
  const start = moment.last('work-start');
  return step && start && step.seq > start.seq
    ? finding(
        'is-working',
        step,
        `The worker is at work: ${step.fn}, step “${step.name}”.`,
        `worker 正在工作：${step.fn} 的“${step.name}”这一步。`,
      )
    : finding('is-working', start, 'The worker is at work.', 'worker 正在工作。');
}

function dueFinding(moment: PodMoment): Finding {
  const due = moment.worker?.due ?? null;
  const queue = moment.last('queue');
  if (due === null || !queue)
    return finding(
      'no-update',
      moment.last('work-done'),
      `No update waits, and ${moment.pod} is not in the work queue.`,
      `没有等待的更新，${moment.pod} 也不在工作队列中。`,
    );
  if (due > moment.now)
    return finding(
      'due-later',
      queue,
      `No update waits; the work queue has ${moment.pod} at ${at(due)} (${queue.why}), and it is ${at(moment.now)}.`,
      `没有等待的更新；工作队列里 ${moment.pod} 排在 ${at(due)}（${queue.why}），现在是 ${at(moment.now)}。`,
    );
  return finding(
    'due-waits-for-tick',
    queue,
    `${moment.pod} has been due since ${at(due)}; the loop looks into the work queue once a second, on syncCh.`,
    `${moment.pod} 从 ${at(due)} 起已经到期；主循环每秒在 syncCh 上看一次工作队列。`,
  );
}

export function terminatingFinding(moment: PodMoment): Finding | undefined {
  const { worker } = moment;
  if (!worker || (worker.state !== 'terminating' && worker.state !== 'terminated')) return undefined;
  const r = moment.last('worker', (w) => w.state === 'terminating');
  return finding(
    'terminating',
    r,
    `${moment.pod} is being terminated; nothing of it is started any more${r ? `: ${quote(r.reason)}` : ''}.`,
    `${moment.pod} 正在终止，不再启动任何东西${r ? `：${quote(r.reason)}` : ''}。`,
  );
}
