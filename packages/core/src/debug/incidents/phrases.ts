/** Parts of the sentences of incidents. */
import type { Text } from '../why/types.js';
import type { AffectedPod, IncidentFacts } from './types.js';

/** The facts that a sentence is made of. */
export interface Said {
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  readonly what: string;
  readonly count: number;
  readonly pods: readonly AffectedPod[];
  readonly facts: IncidentFacts;
}
export type Sentence = (s: Said) => Text;

/** Kubenet needs the node's range of addresses. */
export const NO_CIDR = /Kubenet does not have netConfig|lack of PodCIDR/i;

const MOST = 240;
const NAMED = 3;

/** A source's text as it is quoted: one line, not too long, without a stop of its own. */
export const quoted = (text: string): string => {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.。]$/, '');
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
};
/** The source's text behind a colon; '' if there is none. */
export const because = ({ what }: Said): Text =>
  quoted(what) === '' ? { en: '', zh: '' } : { en: `: ${quoted(what)}`, zh: `：${quoted(what)}` };

const nameOf = ({ pod, uid }: AffectedPod): Text =>
  pod !== ''
    ? { en: pod, zh: pod }
    : uid.includes('/')
      ? { en: uid, zh: uid }
      : uid !== ''
        ? { en: `pod ${uid}`, zh: `Pod ${uid}` }
        : { en: 'a pod that is not named', zh: '某个未具名的 Pod' };

/** The pods that it is about, by name. */
export function pods(s: Said): Text {
  const all = s.pods.length > 0 ? s.pods : [{ pod: s.pod, uid: s.uid }];
  const names = all.slice(0, NAMED).map(nameOf);
  const more = all.length - names.length;
  const en = names.map((n) => n.en);
  const zh = names.map((n) => n.zh).join('、');
  if (more > 0)
    return {
      en: `${en.join(', ')} and ${more} more ${more === 1 ? 'pod' : 'pods'}`,
      zh: `${zh} 等 ${all.length} 个 Pod`,
    };
  const last = en.pop() as string;
  return { en: en.length === 0 ? last : `${en.join(', ')} and ${last}`, zh };
}
/** The container in its pod, or the pods. */
export function who(s: Said): Text {
  const { en, zh } = pods(s);
  return s.container !== '' && s.pods.length < 2
    ? { en: `${s.container} in ${en}`, zh: `${zh} 的容器 ${s.container}` }
    : { en, zh };
}
/** A Chinese text before more of it: a space stands between a name in Latin letters and what follows. */
export const before = (zh: string): string => (/[\w.-]$/.test(zh) ? `${zh} ` : zh);
export const many = (s: Said): boolean => s.pods.length > 1;
export const times = (n: number): Text =>
  n === 1 ? { en: 'once', zh: '1 次' } : { en: n === 2 ? 'twice' : `${n} times`, zh: `${n} 次` };
/** A fact as text; '' if it is not known. */
export const fact = (s: Said, name: string): string =>
  s.facts[name] === undefined ? '' : quoted(String(s.facts[name]));

/** An exit code in words: what a shell or a signal means by it. */
const EXITS: { readonly [code: string]: Text } = {
  126: { en: ' (its command cannot be executed)', zh: '（命令无法执行）' },
  127: { en: ' (its command was not found)', zh: '（找不到命令）' },
  134: { en: ' (SIGABRT)', zh: '（SIGABRT）' },
  137: { en: ' (SIGKILL)', zh: '（SIGKILL）' },
  139: { en: ' (segmentation fault)', zh: '（段错误）' },
  143: { en: ' (SIGTERM)', zh: '（SIGTERM）' },
};
export function exitCode(s: Said): Text {
  const code = fact(s, 'exitCode');
  const words = Object.hasOwn(EXITS, code) ? EXITS[code] : undefined;
  return code === ''
    ? { en: '', zh: '' }
    : { en: ` with exit code ${code}${words?.en ?? ''}`, zh: `，退出码 ${code}${words?.zh ?? ''}` };
}
