import type { Json, ProbeType, RecordOf } from '../../trace/index.js';
import { at, duration, quote } from '../../trace/narrator/parts.js';
import { finding, type PodMoment } from './pod-moment.js';
import type { Finding } from './types.js';
import { nodeFindings, terminatingFinding, workerFindings } from './why-not-worker.js';

/** The back-off that holds a container up now. */
export function backoffFinding(moment: PodMoment, container?: string): Finding | undefined {
  const b = moment.last('backoff', (x) => container === undefined || x.container === container);
  if (!b?.active) return undefined;
  const what = b.of === 'crash-loop' ? ['restarted', '重新启动'] : ['given another try at its image', '再次拉取镜像'];
  if (b.until === undefined || b.delay === undefined)
    return finding(
      b.of === 'crash-loop' ? 'back-off' : 'image-pull-back-off',
      b,
      `Container ${b.container} is not ${what[0]} before its back-off${b.delay === undefined ? '' : ` of ${duration(b.delay)}`} is over; no source says when that is.`,
      `容器 ${b.container} 在退避${b.delay === undefined ? '' : `（${duration(b.delay)}）`}结束之前不会${what[1]}；何时结束，没有来源说明。`,
    );
  const over = b.until <= moment.now;
  const due = moment.worker?.due ?? null;
  const later = over && due !== null && due > moment.now ? due : null;
  return finding(
    b.of === 'crash-loop' ? 'back-off' : 'image-pull-back-off',
    b,
    over
      ? `The back-off of container ${b.container} has been over since ${at(b.until)}; ${later === null ? 'its worker has not processed it yet' : `its worker's next turn is at ${at(later)}`}.`
      : `Container ${b.container} is not ${what[0]} before ${at(b.until)}: a back-off of ${duration(b.delay)}, and it is ${at(moment.now)}.`,
    over
      ? `容器 ${b.container} 的退避在 ${at(b.until)} 已经结束；${later === null ? 'worker 还没轮到它' : `worker 下一次处理在 ${at(later)}`}。`
      : `容器 ${b.container} 在 ${at(b.until)} 之前不会${what[1]}：退避 ${duration(b.delay)}，现在是 ${at(moment.now)}。`,
  );
}

/** The ones of these that a pull ends with. */
const afterPull = /^(ErrImagePull|RegistryUnavailable|SignatureValidationFailed)$/;

/** The registry's answer to the last pull that failed, however long ago: the tries since then have waited. */
function registryFinding(moment: PodMoment): Finding | undefined {
  const failed = moment.failed('PullImage');
  if (!failed?.error || failed.seq < moment.since) return undefined;
  const details = quote(failed.error.details);
  return finding(
    'image-pull-failed',
    failed,
    `The registry answered at ${at(failed.time)}: ${details}`,
    `镜像仓库在 ${at(failed.time)} 答复：${details}`,
  );
}

const refusedImage =
  /^(ErrImageNeverPull|InvalidImageName|ErrImagePull|ImageInspectError|RegistryUnavailable|SignatureValidationFailed)$/;

/** The failures at the last try to start something. */
export function startFindings(moment: PodMoment, container?: string): Finding[] {
  const out: Finding[] = [];
  const since = moment.begun;
  const backoff = backoffFinding(moment, container);
  const image = moment.last(
    'decision',
    (d) => refusedImage.test(d.verdict) && (container === undefined || d.container === container),
    previous(moment),
  );
  // The registry's answer is the reason; that the next try waits follows from it.
  const pulled = backoff?.code === 'image-pull-back-off' || afterPull.test(image?.verdict ?? '');
  const answer = pulled ? registryFinding(moment) : undefined;
  if (answer) out.push(answer);
  if (backoff) out.push(backoff);
  // With the registry's answer there, what the kubelet made of it says the same again.
  if (image && !answer) {
    const message = String(image.values.message ?? image.verdict);
    out.push(finding('image', image, `${image.verdict}: ${quote(message)}`, `${image.verdict}：${quote(message)}`));
  }
  const calls: readonly [method: string, code: string, en: string, zh: string][] = [
    ['RunPodSandbox', 'sandbox-failed', 'The sandbox could not be created', '沙箱没能建成'],
    ['PullImage', 'image-pull-failed', 'The image could not be pulled', '镜像没能拉取'],
    ['CreateContainer', 'create-failed', 'The container could not be created', '容器没能创建'],
    ['StartContainer', 'start-failed', 'The container could not be started', '容器没能启动'],
  ];
  for (const [method, code, en, zh] of calls) {
    const failed = moment.failed(method);
    if (!failed?.error || failed.seq < previous(moment) || failed.seq === answer?.seq) continue;
    out.push(finding(code, failed, `${en}: ${quote(failed.error.details)}`, `${zh}：${quote(failed.error.details)}`));
  }
  const config = moment.event('Failed', since);
  if (config && out.length === 0)
    out.push(finding('config-error', config, quote(config.message), quote(config.message)));
  const mount = moment.event('FailedMount', previous(moment));
  if (mount) out.push(finding('volumes', mount, quote(mount.message), quote(mount.message)));
  const network = moment.event('NetworkNotReady', previous(moment));
  if (network)
    out.push(
      finding(
        'network-not-ready',
        network,
        `The pod waits for its network: ${quote(network.message)}`,
        `Pod 在等网络就绪：${quote(network.message)}`,
      ),
    );
  return out;
}

/** Seq at which the last complete sync began; it still counts while the next one is in progress. */
const previous = (moment: PodMoment): number => {
  const done = moment.last('work-done');
  return moment.last('work-start', (w) => done === undefined || w.seq < done.seq)?.seq ?? moment.begun;
};

/** Explains why a container that ended was not started again. */
export function restartFindings(moment: PodMoment, container: string): Finding[] {
  const { pod, ix } = moment;
  const newest = ix.names
    .containers(moment.uid, container)
    .filter((c) => c.seq <= moment.at)
    .at(-1);
  const exit = newest && lastFact(moment, newest.id);
  const seen = newest && moment.view?.cache?.containers.find((c) => c.id === newest.id);
  if (newest && (exit ? exit.state === 'running' : seen?.state === 'running')) {
    const stop = moment.callsInFlight().find((c) => c.method === 'StopContainer' && c.container === newest.id);
    return [
      ...(stop
        ? [
            finding(
              'container-stopping',
              stop,
              `Container ${container} of ${pod} is still being stopped, since ${at(stop.time)}.`,
              `${pod} 的容器 ${container} 从 ${at(stop.time)} 起正在停止，还没有结束。`,
            ),
          ]
        : []),
      finding(
        'is-running',
        exit ?? moment.last('cache'),
        `Container ${container} of ${pod} runs.`,
        `${pod} 的容器 ${container} 正在运行。`,
      ),
    ];
  }
  const out: Finding[] = [];
  const phase = moment.rule('getPhase');
  if (phase && (phase.verdict === 'Succeeded' || phase.verdict === 'Failed')) {
    const why = quote(String(phase.values.why));
    out.push(
      finding(
        'restart-policy',
        phase,
        `By its restart policy nothing of ${pod} starts again: it is ${phase.verdict}, ${why}.`,
        `按照重启策略，${pod} 不会再启动任何容器：它已经 ${phase.verdict}，${why}。`,
      ),
    );
  }
  const ending = terminatingFinding(moment);
  if (ending) out.push(ending);
  out.push(...nodeFindings(moment));
  if (exit?.state === 'exited' && seen?.state === 'running')
    out.push(
      finding(
        'not-noticed',
        exit,
        `The kubelet has not noticed yet that container ${container} ended at ${at(exit.time)}: the last relist ended at ${at(moment.state.pleg.lastRelist)}.`,
        `kubelet 还没有发现容器 ${container} 在 ${at(exit.time)} 结束：上一次 relist 在 ${at(moment.state.pleg.lastRelist)} 结束。`,
      ),
    );
  const rule = moment.last(
    'decision',
    (d) =>
      d.container === container &&
      /^(ShouldContainerBeRestarted|livenessManager|startupManager|computeInitContainerActions|containerSucceeded)$/.test(
        d.rule,
      ),
  );
  if (rule) {
    const why = typeof rule.values.why === 'string' ? quote(rule.values.why) : quote(rule.verdict);
    if (
      rule.verdict === 'leave alone' ||
      rule.verdict === 'kill' ||
      rule.verdict.startsWith('kill pod: failed for good')
    )
      out.push(
        finding(
          'restart-policy',
          rule,
          `${rule.rule} leaves container ${container} ended: ${why}.`,
          `${rule.rule} 让容器 ${container} 保持结束：${why}。`,
        ),
      );
    else if (
      rule.verdict === 'skip: already done' ||
      rule.verdict === 'initialized' ||
      rule.verdict === 'start the next one'
    )
      out.push(
        finding(
          'init-done',
          rule,
          `Init container ${container} has done its work; it does not run again.`,
          `init 容器 ${container} 已经完成，不会再运行。`,
        ),
      );
  }
  const init = moment.last(
    'decision',
    (d) => d.rule === 'computeInitContainerActions' && d.verdict === 'not initialized',
    moment.begun,
  );
  if (init)
    out.push(
      finding(
        'not-initialized',
        init,
        `${pod} is not initialized: its init containers come first.`,
        `${pod} 还没有初始化完成：要先运行 init 容器。`,
      ),
    );
  if (!out.some((f) => f.code === 'restart-policy' || f.code === 'init-done')) {
    out.push(...startFindings(moment, container));
    out.push(...workerFindings(moment));
  }
  return out;
}

function lastFact(moment: PodMoment, id: string): RecordOf<'actual-container'> | undefined {
  const seqs = moment.ix.factsAbout.of(id).filter((s) => s <= moment.at);
  return moment.ix.as(seqs.at(-1) ?? 0, 'actual-container');
}

const waits: Readonly<Record<string, readonly [code: string, en: string, zh: string]>> = {
  'within initialDelaySeconds': [
    'initial-delay',
    'The probe does not begin before initialDelaySeconds have passed',
    '在 initialDelaySeconds 过去之前不探测',
  ],
  'the container has not started': [
    'startup-not-succeeded',
    'It is not probed before the startup probe has succeeded',
    '启动探针成功之前不做这种探测',
  ],
  'the container has started': [
    'startup-succeeded',
    'The startup probe has succeeded and is not run any more',
    '启动探针已经成功，不再运行',
  ],
  'on hold until there is a new container': [
    'on-hold',
    'It is on hold until there is a new container',
    '在有新容器之前暂停探测',
  ],
  'the container is not running': ['not-running', 'The container does not run', '容器没有在运行'],
  'no container ID in the status': ['not-started-yet', 'The status names no container yet', '状态里还没有容器 ID'],
  'no status for the pod': ['not-started-yet', 'The pod has no status yet', 'Pod 还没有状态'],
  'the pod is being deleted': ['terminating', 'The pod is being deleted', 'Pod 正在被删除'],
};

/** Explains why a probe's failures did not end the container. */
export function probeFindings(moment: PodMoment, container: string, asked: ProbeType | undefined): Finding[] {
  const { pod } = moment;
  const type =
    asked ?? (['liveness', 'startup', 'readiness'] as const).find((t) => hasProbe(moment, container, t)) ?? 'liveness';
  if (!hasProbe(moment, container, type))
    return [
      finding(
        'no-probe',
        moment.last('step', (s) => s.name === 'probes'),
        `No ${type} probe of container ${container} of ${pod} is running.`,
        `${pod} 的容器 ${container} 没有在运行的 ${type} 探针。`,
      ),
    ];
  const out: Finding[] = [];
  const ending = terminatingFinding(moment);
  if (ending) out.push(ending);
  const mine = (r: { container?: string; probeType?: ProbeType }) => r.container === container && r.probeType === type;
  const probe = moment.last('probe', mine);
  const decision = moment.rule(
    'doProbe',
    (d) => d.container === container && d.values.probeType === type && d.verdict !== 'new container',
  );
  const result = moment.last('probe-result', mine);
  if (decision && decision.seq > (probe?.seq ?? 0)) {
    const why = String(decision.values.why ?? '');
    const known = Object.hasOwn(waits, why) ? waits[why] : undefined;
    if (decision.verdict !== 'below threshold') {
      const numbers = seconds(decision.values);
      const [code, en, zh] = known ?? [
        decision.verdict === 'end' ? 'ended' : 'waits',
        `It does not run: ${why}`,
        `不探测：${why}`,
      ];
      out.push(finding(code, decision, `${en}${numbers}.`, `${zh}${numbers}。`));
    }
  }
  if (probe) out.push(...outcomeFindings(moment, type, container, probe, result));
  else if (out.length === 0)
    out.push(
      finding(
        'not-probed-yet',
        result ?? decision,
        `The ${type} probe of container ${container} has not run yet.`,
        `容器 ${container} 的 ${type} 探针还没有运行过。`,
      ),
    );
  if (type === 'readiness')
    out.unshift(
      finding(
        'readiness-never-restarts',
        probe ?? result ?? decision,
        'A readiness probe never restarts a container: it decides only whether the pod is ready.',
        'readiness 探针从不重启容器，只决定 Pod 是否就绪。',
      ),
    );
  return out;
}

const seconds = (values: { readonly [key: string]: Json | undefined }): string =>
  values.ageSeconds === undefined ? '' : ` (${values.ageSeconds} s < ${values.initialDelaySeconds} s)`;

function hasProbe(moment: PodMoment, container: string, type: ProbeType): boolean {
  return (
    moment.last('probe-result', (p) => p.container === container && p.probeType === type) !== undefined ||
    moment.last('probe', (p) => p.container === container && p.probeType === type) !== undefined ||
    moment.rule('doProbe', (d) => d.container === container && d.values.probeType === type) !== undefined ||
    moment.ix.names.goroutineNamed(`probe ${type} ${moment.ix.names.podName(moment.uid)}/${container}`) !== undefined
  );
}

function outcomeFindings(
  moment: PodMoment,
  type: ProbeType,
  container: string,
  probe: RecordOf<'probe'>,
  result: RecordOf<'probe-result'> | undefined,
): Finding[] {
  const output = probe.output ? ` (${quote(probe.output, 80)})` : '';
  if (probe.outcome === 'unknown')
    return [
      finding(
        'unknown',
        probe,
        `The last probe ended in an error${output}: that says nothing about the container.`,
        `最近一次探测出错${output}：这不说明容器有问题。`,
      ),
    ];
  if (probe.outcome !== 'failure')
    return [finding('succeeds', probe, `The last probe succeeded${output}.`, `最近一次探测成功${output}。`)];
  if (probe.run !== undefined && probe.threshold !== undefined && probe.run < probe.threshold)
    return [
      finding(
        'below-threshold',
        probe,
        `${probe.run} failure${probe.run > 1 ? 's' : ''} in a row${output}; failureThreshold is ${probe.threshold}.`,
        `连续失败 ${probe.run} 次${output}；failureThreshold 是 ${probe.threshold}。`,
      ),
    ];
  if (result?.result !== 'Failure' || type === 'readiness') return [];
  const name = type === 'liveness' ? 'livenessManager' : 'startupManager';
  const acted = moment.rule(name, (d) => d.container === container, result.seq);
  if (acted)
    return [
      acted.verdict === 'kill'
        ? finding(
            'restart-policy',
            acted,
            `The container is killed but not started again: restartPolicy ${String(acted.values.restartPolicy)}.`,
            `容器被杀掉但不再启动：restartPolicy 为 ${String(acted.values.restartPolicy)}。`,
          )
        : finding(
            'it-did',
            acted,
            `It did: ${quote(String(acted.values.message ?? acted.verdict))}.`,
            `它确实重启了：${quote(String(acted.values.message ?? acted.verdict))}。`,
          ),
    ];
  if (probe.seq > result.seq && (probe.run ?? 0) > (probe.threshold ?? 0))
    return [
      finding(
        'result-unchanged',
        result,
        `The result has been Failure since ${at(result.time)}: only a change is sent to the loop.`,
        `结果从 ${at(result.time)} 起一直是 Failure：只有变化才会通知主循环。`,
      ),
      ...workerFindings(moment),
    ];
  return [
    finding(
      'not-synced-yet',
      result,
      `The result has been Failure since ${at(result.time)}, but the worker has not acted on it yet.`,
      `结果从 ${at(result.time)} 起是 Failure，但 worker 还没有据此行动。`,
    ),
    ...workerFindings(moment),
  ];
}
