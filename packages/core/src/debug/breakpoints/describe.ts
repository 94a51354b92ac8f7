import type { Lang } from '../../trace/index.js';
import type { BreakpointSpec, SpecOf } from './spec.js';

/** One line about a breakpoint: what it waits for and under which conditions. Names of Kubernetes stay as they are. */
export function describeBreakpoint(spec: BreakpointSpec, lang: Lang): string {
  const zh = lang === 'zh';
  const parts = [zh ? whereZh(spec) : whereEn(spec)];
  const { pod, condition, hitCount, once, log } = spec;
  if (pod !== undefined) parts.push(`pod ${pod}`);
  if (condition !== undefined) parts.push(zh ? `当 ${condition}` : `if ${condition}`);
  if (hitCount !== undefined) {
    const n = 'at' in hitCount ? hitCount.at : hitCount.every;
    if (zh) parts.push('at' in hitCount ? `第 ${n} 次` : `每 ${n} 次`);
    else parts.push('at' in hitCount ? `hit ${n} only` : `every ${n} hits`);
  }
  if (once) parts.push(zh ? '仅一次' : 'once');
  if (log !== undefined) parts.push(zh ? `记录 "${log}"` : `logs "${log}"`);
  if (spec.enabled === false) parts.push(zh ? '已停用' : 'disabled');
  return parts.join(' · ');
}

const inOf = (text: string | undefined, before: string): string => (text === undefined ? '' : `${before}${text}`);

function whereEn(s: BreakpointSpec): string {
  switch (s.on) {
    case 'channel': {
      const name = s.name ?? 'any channel';
      const verbs = { send: 'send on', receive: 'receive from', close: 'close of', any: 'operation on' } as const;
      return `${verbs[s.op ?? 'any']} ${name}`;
    }
    case 'select': {
      const took = s.channel === undefined ? 'select' : `select takes ${s.channel}`;
      const several = s.several === undefined ? '' : s.several ? ', several ready' : ', at most one ready';
      return `${took}${several}${inOf(s.goroutine, ', in ')}`;
    }
    case 'config-op':
      return `config operation ${s.op ?? 'of any kind'}${inOf(s.source, ' from ')}`;
    case 'pleg-event':
      return `PLEG event ${s.type ?? 'of any type'}${inOf(s.container, ' of container ')}`;
    case 'handler':
      return `handler ${s.name ?? 'of any kind'}`;
    case 'function': {
      const verbs = { enter: 'call of', exit: 'return of', both: 'call or return of', error: 'error of' } as const;
      return `${verbs[s.when ?? 'enter']} ${s.name ?? 'any function'}`;
    }
    case 'worker':
      return s.state === undefined ? 'worker changes its state' : `worker becomes ${s.state}`;
    case 'step':
      return `step${inOf(step(s), ' ')}${s.fn === undefined ? '' : ` of ${s.fn}`}${inOf(s.container, ', container ')}`;
    case 'cri': {
      const verbs = { before: 'CRI call', after: 'answer of CRI call', error: 'error of CRI call' } as const;
      return `${verbs[s.when ?? 'before']}${inOf(s.method, ' ')}${inOf(s.container, ', container ')}`;
    }
    case 'probe': {
      const what = { run: 'probe ran', result: 'probe result set', any: 'probe' } as const;
      return `${inOf(s.type, '') || 'any'} ${what[s.stage ?? 'any']}${inOf(s.result, ': ')}${inOf(s.container, ', container ')}`;
    }
    case 'phase':
      return s.value === undefined ? 'phase changes' : `phase becomes ${s.value}`;
    case 'condition':
      return `condition ${s.type ?? 'of any type'} ${s.status === undefined ? 'changes' : `becomes ${s.status}`}`;
    case 'backoff': {
      const when = { start: 'begins', expiry: 'is over', both: 'begins or is over' } as const;
      return `${inOf(s.of, '') || 'any'} back-off ${when[s.when ?? 'both']}${inOf(s.container, ', container ')}`;
    }
    case 'kube-event':
      return `${inOf(s.type, '') || 'any'} event${inOf(s.reason, ' ')}`;
    case 'log':
      return `log line${s.message === undefined ? '' : ` "${s.message}"`}${inOf(s.severity, ', severity ')}`;
    case 'decision':
      return `decision${inOf(s.rule, ' of ')}${inOf(s.verdict, ': ')}`;
    case 'wait':
      return `${s.goroutine ?? 'a goroutine'} waits${inOf(s.op, ' in ')}${inOf(s.name, ' for ')}`;
    case 'record':
      return s.kind === undefined ? 'any record' : `record ${s.kind}`;
  }
}

function whereZh(s: BreakpointSpec): string {
  switch (s.on) {
    case 'channel': {
      const verbs = { send: '发送到', receive: '接收自', close: '关闭', any: '操作' } as const;
      return `${verbs[s.op ?? 'any']} ${s.name ?? '任意通道'}`;
    }
    case 'select': {
      const several = s.several === undefined ? '' : s.several ? '，多个就绪' : '，至多一个就绪';
      return `${s.channel === undefined ? '任意 ' : ''}select${inOf(s.channel, ' 选中 ')}${several}${inOf(s.goroutine, '，在 ')}`;
    }
    case 'config-op':
      return `配置操作 ${s.op ?? '（任意）'}${inOf(s.source, '，来源 ')}`;
    case 'pleg-event':
      return `PLEG 事件 ${s.type ?? '（任意）'}${inOf(s.container, '，容器 ')}`;
    case 'handler':
      return `处理函数 ${s.name ?? '（任意）'}`;
    case 'function': {
      const verbs = { enter: '进入', exit: '离开', both: '进入或离开', error: '出错于' } as const;
      return `${verbs[s.when ?? 'enter']} ${s.name ?? '任意函数'}`;
    }
    case 'worker':
      return s.state === undefined ? 'worker 状态变化' : `worker 变为 ${s.state}`;
    case 'step':
      return `${s.fn ?? ''}${s.fn === undefined ? '' : ' 的'}步骤${inOf(step(s), ' ')}${inOf(s.container, '，容器 ')}`;
    case 'cri': {
      const verbs = { before: 'CRI 调用', after: 'CRI 应答', error: 'CRI 出错' } as const;
      return `${verbs[s.when ?? 'before']}${inOf(s.method, ' ')}${inOf(s.container, '，容器 ')}`;
    }
    case 'probe': {
      const what = { run: '探针运行', result: '探针结果确定', any: '探针' } as const;
      return `${s.type ?? '任意'} ${what[s.stage ?? 'any']}${inOf(s.result, '：')}${inOf(s.container, '，容器 ')}`;
    }
    case 'phase':
      return s.value === undefined ? '阶段变化' : `阶段变为 ${s.value}`;
    case 'condition':
      return `条件 ${s.type ?? '（任意）'} ${s.status === undefined ? '变化' : `变为 ${s.status}`}`;
    case 'backoff': {
      const when = { start: '开始', expiry: '到期', both: '开始或到期' } as const;
      return `${s.of ?? '任意'} 退避${when[s.when ?? 'both']}${inOf(s.container, '，容器 ')}`;
    }
    case 'kube-event':
      return `${s.type ?? '任意'} 事件${inOf(s.reason, ' ')}`;
    case 'log':
      return `日志${s.message === undefined ? '' : ` "${s.message}"`}${inOf(s.severity, '，级别 ')}`;
    case 'decision':
      return `决定${inOf(s.rule, ' ')}${inOf(s.verdict, '：')}`;
    case 'wait':
      return `${s.goroutine ?? '某个 goroutine'} 等待${inOf(s.op, ' ')}${inOf(s.name, '：')}`;
    case 'record':
      return s.kind === undefined ? '任意记录' : `记录 ${s.kind}`;
  }
}

const step = (s: SpecOf<'step'>): string | undefined => (s.step === undefined ? undefined : String(s.step));
