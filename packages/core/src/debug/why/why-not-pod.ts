import type { Json } from '../../trace/index.js';
import { at, quote } from '../../trace/narrator/parts.js';
import { finding, type PodMoment } from './pod-moment.js';
import { between } from './seq-lists.js';
import { valueAt } from './status-path.js';
import type { Finding } from './types.js';
import { probeFindings, restartFindings, startFindings } from './why-not-container.js';
import {
  cacheFinding,
  nodeFindings,
  refusal,
  terminatingFinding,
  waitsForOther,
  workerFindings,
} from './why-not-worker.js';

const underWay: Readonly<Record<string, readonly [code: string, en: string, zh: string]>> = {
  PullImage: ['image-pulling', 'The image is being pulled', '正在拉取镜像'],
  RunPodSandbox: ['sandbox-creating', 'The sandbox is being created', '正在建沙箱'],
  CreateContainer: ['container-creating', 'A container is being created', '正在创建容器'],
  StartContainer: ['container-starting', 'A container is being started', '正在启动容器'],
  StopContainer: ['container-stopping', 'A container is being stopped', '正在停止容器'],
  StopPodSandbox: ['sandbox-stopping', 'The old sandbox is being stopped', '正在停止旧沙箱'],
};

/** Explains why a pod is not Running. */
export function pendingFindings(moment: PodMoment): Finding[] {
  const { pod, view } = moment;
  const phase = view?.phase ?? '';
  const written = moment.last('status');
  if (phase === 'Running') return [finding('is-running', written, `${pod} is Running.`, `${pod} 已经是 Running。`)];
  const refused = refusal(moment);
  if (refused) return [refused];
  if (phase === 'Failed' || phase === 'Succeeded') {
    const rule = moment.rule('generateAPIPodStatus') ?? moment.rule('getPhase');
    const why = rule ? quote(String(rule.values.why ?? rule.verdict)) : '';
    return [
      finding(
        'ended',
        rule ?? written,
        `${pod} is ${phase}${why ? `: ${why}` : ''}.`,
        `${pod} 是 ${phase}${why ? `：${why}` : ''}。`,
      ),
    ];
  }
  const out: Finding[] = [];
  out.push(...nodeFindings(moment));
  const ending = terminatingFinding(moment);
  if (ending) out.push(ending);
  const other = waitsForOther(moment);
  if (other) out.push(other);
  const { worker } = moment;
  if (!worker) return [...out, ...workerFindings(moment)];
  if (worker.waitsForNewerThan !== null) out.push(cacheFinding(moment, worker.waitsForNewerThan));
  for (const call of moment.callsInFlight()) {
    const known = underWay[call.method];
    if (known)
      out.push(
        finding(
          known[0],
          call,
          `${known[1]} since ${at(call.time)} (${call.method}).`,
          `从 ${at(call.time)} 起${known[2]}（${call.method}）。`,
        ),
      );
  }
  out.push(...stepFindings(moment));
  out.push(...initFindings(moment));
  out.push(...startFindings(moment));
  if (out.length === 0) {
    const rule = moment.rule('getPhase');
    if (rule)
      out.push(
        finding(
          'phase',
          rule,
          `The phase is ${rule.verdict}: ${quote(String(rule.values.why))}.`,
          `phase 为 ${rule.verdict}：${quote(String(rule.values.why))}。`,
        ),
      );
  }
  if (out.length < 2) out.push(...workerFindings(moment));
  return dedupe(out);
}

/** Steps that take their time without a CRI call. */
function stepFindings(moment: PodMoment): Finding[] {
  if (!moment.worker?.working) return [];
  const step = moment.last('step', () => true, moment.begun);
  if (step?.name === 'volumes') return [finding('volumes', step, 'Its volumes are being mounted.', '正在挂载卷。')];
  if (step?.name === 'pull image') {
    const other = moment.ix.as(
      Object.values(moment.state.cri.inFlight).find((c) => c.method === 'PullImage')?.seq ?? 0,
      'cri-call',
    );
    if (other && other.uid !== moment.uid) {
      const whose = moment.ix.names.podName(other.uid ?? '');
      return [
        finding(
          'image-pull-queued',
          other,
          `Its image waits for its turn: images are pulled one at a time, and now it is that of ${whose}.`,
          `镜像在排队：一次只拉取一个，现在是 ${whose} 的。`,
        ),
      ];
    }
  }
  if (step?.name === 'postStart hook')
    return [
      finding(
        'post-start',
        step,
        `The postStart hook of container ${step.container ?? ''} runs; the worker goes on when it is done.`,
        `容器 ${step.container ?? ''} 的 postStart 钩子正在运行，完成后 worker 才继续。`,
      ),
    ];
  return [];
}

/** Returns what the last look at the init containers found: they come one after another, and before all others. */
function initFindings(moment: PodMoment): Finding[] {
  const actions = moment.last('pod-actions');
  if (!actions || !moment.view) return [];
  const made = between(moment.ix.of(moment.uid, 'decision'), actions.span, actions.seq)
    .map((s) => moment.ix.as(s, 'decision'))
    .filter((d) => d?.rule === 'computeInitContainerActions' && d.container !== undefined);
  const d = ['wait', 'restart', 'kill', 'start'].map((v) => made.find((x) => x?.verdict.startsWith(v))).find((x) => x);
  if (!d) return [];
  const statuses = valueAt(moment.view.status, ['initContainerStatuses']);
  const names = Array.isArray(statuses) ? statuses.map((s: Json) => String(valueAt(s, ['name']) ?? '')) : [];
  const next = d.verdict === 'start the next one' ? names[names.indexOf(d.container ?? '') + 1] : undefined;
  const name = next ?? d.container ?? '';
  const nth = `${names.indexOf(name) + 1}/${names.length}`;
  if (d.verdict.startsWith('wait: startup probe'))
    return [
      finding(
        'init-startup-probe',
        d,
        `Sidecar ${name} (init container ${nth}) runs, but its startup probe has not succeeded yet.`,
        `sidecar ${name}（第 ${nth} 个 init 容器）在运行，但启动探针还没有成功。`,
      ),
    ];
  if (d.verdict.startsWith('wait'))
    return [
      finding(
        'init-running',
        d,
        `Init container ${name} (${nth}) runs; what comes after waits for it.`,
        `init 容器 ${name}（${nth}）正在运行，后面的都在等它。`,
      ),
    ];
  if (/^(restart|kill)/.test(d.verdict)) {
    const why = quote(String(d.values.why ?? d.verdict));
    return [
      finding(
        'init-failing',
        d,
        `Init container ${name} (${nth}) has failed: ${why}.`,
        `init 容器 ${name}（${nth}）失败了：${why}。`,
      ),
    ];
  }
  return [
    finding(
      'init-starting',
      d,
      `Init container ${name} (${nth}) is to start now.`,
      `现在要启动 init 容器 ${name}（${nth}）。`,
    ),
  ];
}

/** Explains why a pod is not Ready. */
export function readyFindings(moment: PodMoment): Finding[] {
  const { pod, view } = moment;
  const ready = valueAt(view?.status, ['conditions', 'Ready']) as
    | { status?: string; reason?: string; message?: string }
    | undefined;
  if (ready?.status === 'True')
    return [finding('is-ready', moment.last('status'), `${pod} is Ready.`, `${pod} 已经就绪。`)];
  if (view?.phase !== 'Running') return pendingFindings(moment);
  const out: Finding[] = [...nodeFindings(moment)];
  const ending = terminatingFinding(moment);
  if (ending) out.push(ending);
  for (const name of moment.containers()) {
    const c = moment.status(name);
    if (c?.ready === true) continue;
    const state = c?.state as { running?: Json } | undefined;
    if (!state?.running) out.push(...restartFindings(moment, name));
    else out.push(...unreadyFindings(moment, name, c));
  }
  if (ready?.reason === 'ReadinessGatesNotReady')
    out.push(
      finding(
        'readiness-gate',
        moment.last('status'),
        `A readiness gate is not fulfilled: ${quote(ready.message ?? '')}.`,
        `readiness gate 没有满足：${quote(ready.message ?? '')}。`,
      ),
    );
  if (out.length === 0) out.push(...workerFindings(moment));
  return dedupe(out);
}

function unreadyFindings(
  moment: PodMoment,
  name: string,
  c: { readonly [key: string]: Json | undefined } | undefined,
): Finding[] {
  if (c?.started !== true) {
    const startup = probeFindings(moment, name, 'startup');
    if (startup[0]?.code !== 'no-probe')
      return [
        finding(
          'startup-probe',
          startup[0]?.seq,
          `Container ${name} counts as started only when its startup probe has succeeded.`,
          `容器 ${name} 的启动探针成功后才算启动。`,
        ),
        ...startup,
      ];
  }
  const probe = moment.last('probe', (p) => p.container === name && p.probeType === 'readiness');
  const result = moment.last('probe-result', (p) => p.container === name && p.probeType === 'readiness');
  if (probe?.outcome === 'success' && (probe.run ?? 0) < (probe.threshold ?? 0))
    return [
      finding(
        'readiness-probe',
        probe,
        `The readiness probe of container ${name} has succeeded ${probe.run} of ${probe.threshold} times.`,
        `容器 ${name} 的 readiness 探针已成功 ${probe.run} 次，需要 ${probe.threshold} 次。`,
      ),
    ];
  if (probe && result?.result === 'Failure')
    return [
      finding(
        'readiness-probe',
        probe,
        `The readiness probe of container ${name} fails: ${quote(probe.output, 80)} (${probe.run} in a row).`,
        `容器 ${name} 的 readiness 探针失败：${quote(probe.output, 80)}（连续 ${probe.run} 次）。`,
      ),
    ];
  const waiting = moment.rule(
    'doProbe',
    (d) => d.container === name && d.values.probeType === 'readiness' && d.verdict !== 'new container',
  );
  if (result && !probe)
    return [
      finding(
        'readiness-not-probed',
        waiting ?? result,
        `The readiness probe of container ${name} has not run yet${waiting ? `: ${String(waiting.values.why)}` : ''}; until then it counts as failed.`,
        `容器 ${name} 的 readiness 探针还没有运行${waiting ? `：${String(waiting.values.why)}` : ''}；在此之前按失败算。`,
      ),
    ];
  return [];
}

function dedupe(list: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return list.filter((f) => {
    const key = `${f.code} ${f.seq}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
