import type { Json, Micros } from '@syncloop/core/trace';
import type { Decision, Difference, TwinText } from '../base/types.js';
import type { Causes } from './causes.js';
import type { Divergence } from './ledger.js';
import { detail } from './ledger.js';

/** The ingredients of sentences: the wall clock if it is known, and possible causes of delays. */
export interface Telling {
  readonly clock: (at: Micros) => string;
  /** Events of the observed run that may have delayed a decision; undefined: no causes are named. */
  readonly causes?: Causes | undefined;
  /** The names of both runs. Default: the real kubelet and the twin. */
  readonly names?: Names | undefined;
}
export interface Names {
  readonly seen: TwinText;
  readonly twin: TwinText;
}
const REAL: Names = { seen: { en: 'the real kubelet', zh: '真实 kubelet' }, twin: { en: 'the twin', zh: '孪生' } };

export function clockOf(epochMicros: number | null | undefined): (at: Micros) => string {
  if (epochMicros === null || epochMicros === undefined) return (at) => `${seconds(at)} s`;
  return (at) => new Date((epochMicros + at) / 1000).toISOString().slice(11, 19);
}
const seconds = (micros: number): string => (Math.abs(micros) / 1e6).toFixed(1).replace(/\.0$/, '');

const brief = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
};
const shown = (value: Json): TwinText =>
  value === null || value === ''
    ? { en: 'nothing', zh: '无' }
    : { en: `\`${brief(value)}\``, zh: `\`${brief(value)}\`` };

/** A decision in words, as "called CreateContainer for `app` #1 of default/web". */
export function decisionText(d: Decision): TwinText {
  const unit = d.container ? ` \`${d.container}\`${d.attempt ? ` #${d.attempt}` : ''}` : '';
  const pod = d.pod === '' ? '' : ` ${d.pod}`;
  const of = pod === '' ? '' : ` of${pod}`;
  const zh = `${pod}${pod && unit ? ' 的' : ''}${unit}`;
  switch (d.kind) {
    case 'config':
      return {
        en: `took ${d.what}${pod} from source ${detail(d, 'source') ?? ''}`,
        zh: `从来源 ${detail(d, 'source') ?? ''} 取得 ${d.what}${pod}`,
      };
    case 'pleg': {
      const what = unit || (detail(d, 'of') === 'sandbox' ? ' the sandbox' : ' a container');
      const was = unit ? zh : `${pod} 的${detail(d, 'of') === 'sandbox' ? '沙箱' : '容器'}`;
      return { en: `saw ${d.what} for${what}${of}`, zh: `看到${was} 的 ${d.what}` };
    }
    case 'sync': {
      const did = detail(d, 'actions');
      const words = did ? ` (${did})` : '';
      if (/ (Success|Failure)$/.test(d.what))
        return { en: `came to ${d.what} for${unit}${of}`, zh: `对${zh} 得出 ${d.what}` };
      const which = d.what === 'sync' ? '' : `${d.what} `;
      return { en: `ran a ${which}sync${words}${of}`, zh: `对${pod} 执行了${which && ` ${which}`}同步${words}` };
    }
    case 'call': {
      const image = detail(d, 'image');
      const about = image ? ` \`${image}\`` : unit;
      return {
        en: `called ${d.what}${about ? ` for${about}` : ''}${of}`,
        zh: `为${image ? about : zh} 调用 ${d.what}`,
      };
    }
    case 'kill': {
      const grace = detail(d, 'gracePeriod');
      return {
        en: `killed${unit}${of} with a grace period of ${grace ?? '?'} s`,
        zh: `以 ${grace ?? '?'} 秒宽限期终止${zh}`,
      };
    }
    case 'restart': {
      const delay = detail(d, 'delaySeconds');
      if (d.what === 'restart') return { en: `restarted${unit}${of}`, zh: `重启了${zh}` };
      const long = delay === undefined ? '' : ` for ${delay} s`;
      return {
        en: `held${unit}${of} back${long} (${d.what})`,
        zh: `将${zh} 退避${delay === undefined ? '' : ` ${delay} 秒`}（${d.what}）`,
      };
    }
    case 'status':
      return { en: `gave${pod} a status with phase ${d.what}`, zh: `给${pod} 写了阶段为 ${d.what} 的状态` };
    case 'event':
      return {
        en: `recorded the event ${d.what}${unit ? ` for${unit}` : ''}${of}`,
        zh: `为${zh} 记录了事件 ${d.what}`,
      };
  }
}

/** A sentence about a divergence; a second one says if jitter alone explains it. */
export function sentence(p: Divergence, telling: Telling): TwinText {
  const { en, zh } = divergence(p, telling);
  if (p.chance === undefined) return { en, zh };
  return {
    en: `${en} Jitter alone explains it: both outcomes are possible.`,
    zh: `${zh}仅由抖动即可解释：两种结果都可能出现。`,
  };
}

function divergence(p: Divergence, { clock, causes, names: { seen: ours, twin: theirs } = REAL }: Telling): TwinText {
  const at = clock(p.at);
  const d = decisionText((p.seen ?? p.twin) as Decision);
  switch (p.how) {
    case 'missing':
      return {
        en: `At ${at} ${ours.en} ${d.en}; ${theirs.en} did not.`,
        zh: `${at} ${ours.zh} ${d.zh}；${theirs.zh}没有。`,
      };
    case 'extra':
      return {
        en: `At ${at} ${theirs.en} ${d.en}; ${ours.en} did not.`,
        zh: `${at} ${theirs.zh} ${d.zh}；${ours.zh} 没有。`,
      };
    case 'value': {
      const [seen, twin] = [shown(p.values?.seen ?? null), shown(p.values?.twin ?? null)];
      // The words of the decision already name the seconds.
      if (p.path === 'gracePeriod' || p.path === 'delaySeconds')
        return {
          en: `At ${at} ${ours.en} ${d.en}; ${theirs.en} with ${p.values?.twin ?? '?'} s.`,
          zh: `${at} ${ours.zh} ${d.zh}；${theirs.zh}为 ${p.values?.twin ?? '?'} 秒。`,
        };
      return {
        en: `At ${at} ${ours.en} ${d.en}, with ${p.path} ${seen.en}; ${theirs.en} with ${twin.en}.`,
        zh: `${at} ${ours.zh} ${d.zh}，${p.path} 为 ${seen.zh}；${theirs.zh}为 ${twin.zh}。`,
      };
    }
    case 'order': {
      const other = p.other ? decisionText(p.other) : { en: 'something else', zh: '别的事' };
      const before = p.other !== undefined && p.seen !== null && p.seen.time < p.other.time;
      const when = before ? 'before' : 'after';
      return {
        en: `At ${at} ${ours.en} ${d.en}, ${when} it ${other.en}; ${theirs.en} did so in the opposite order.`,
        zh: `${at} ${ours.zh} ${d.zh}，在其${other.zh} ${before ? '之前' : '之后'}；${theirs.zh}的顺序相反。`,
      };
    }
    case 'time': {
      const late = (p.late ?? 0) > 0;
      const by = seconds(p.late ?? 0);
      const [from, to] = late ? [p.at - (p.late ?? 0), p.at] : [p.at, p.at - (p.late ?? 0)];
      const why = p.seen ? causes?.between(p.seen, from, to) : null;
      const meanwhile = why ? { en: `; meanwhile ${why.en}`, zh: `；其间${why.zh}` } : { en: '', zh: '' };
      return {
        en: `At ${at} ${ours.en} ${d.en} ${by} s ${late ? 'later' : 'earlier'} than ${theirs.en}${meanwhile.en}.`,
        zh: `${at} ${ours.zh} ${d.zh}，比${theirs.zh}${late ? '晚' : '早'} ${by} 秒${meanwhile.zh}。`,
      };
    }
  }
}

/** The verdict in words: the figures, and the first difference. */
export function verdictText(compared: number, same: number, differences: readonly Difference[]): TwinText {
  const [first] = differences;
  if (compared === 0) return { en: 'Nothing could be compared.', zh: '没有可以比较的决策。' };
  const en = `${same} of ${compared} decisions the same`;
  const zh = `${compared} 个决策中有 ${same} 个相同`;
  if (!first) return { en: `${en}.`, zh: `${zh}。` };
  const n = differences.length;
  const more = n > 1 ? { en: ` in ${n} places`, zh: `，${n} 处不同` } : { en: '', zh: '' };
  return {
    en: `${en}${n > 1 ? `, differences${more.en}` : ''}; first difference: ${first.text.en}`,
    zh: `${zh}${more.zh}；第一处不同：${first.text.zh}`,
  };
}
