import type { Seq } from '../../trace/index.js';
import { at as moment } from '../../trace/narrator/parts.js';
import { follow, type Graph } from './graph.js';
import { linksOf, tell } from './links.js';
import { indexOf, type RecordIndex } from './record-index.js';
import { subjectOf } from './subjects.js';
import {
  type Answer,
  type Question,
  type Text,
  WhyError,
  type WhyLink,
  type WhyQuestion,
  type WhyStore,
} from './types.js';

/**
 * Explains why it is so: the records from the one asked about back to where it began, with the decisions between.
 * Throws a WhyError if the question names what is not there.
 */
export function why(store: WhyStore, question: Question): Answer {
  if (!isWhy(question))
    throw new WhyError(
      `"${question.about}" is a question of why not; why takes record, field, container, cri, wait and worker`,
    );
  const ix = indexOf(store);
  const subject = subjectOf(store, ix, question);
  if ('nothing' in subject) return nothing(question, subject.nothing);
  const graph = follow(ix, subject.record, subject.focus, subject.extra);
  return answer(ix, question, graph, subject.record.seq);
}

const isWhy = (q: Question): q is WhyQuestion => !['pending', 'ready', 'probe', 'restart'].includes(q.about);

export const nothing = (question: Question, summary: Text): Answer => ({
  question,
  summary,
  subject: 0,
  links: [],
  roots: [],
  hidden: 0,
  findings: [],
});

/** The answer that a graph of causes makes. */
export function answer(ix: RecordIndex, question: Question, graph: Graph, subject: Seq): Answer {
  const { links, hidden } = linksOf(ix, graph, subject, question.detail ?? 'brief');
  const end = graph.line.at(-1);
  const cutOff = end && end.missing > 0 ? end.missing : 0;
  const roots = graph.roots.filter((n) => n.missing === 0).map((n) => n.record.seq);
  return {
    question,
    summary: summarize(ix, links, subject, cutOff),
    subject,
    links,
    roots,
    ...(cutOff > 0 && { cutOff }),
    hidden,
    findings: [],
  };
}

/** The subject, the decisions on the way with their reasons, and where it began. */
function summarize(ix: RecordIndex, links: readonly WhyLink[], subject: Seq, cutOff: Seq): Text {
  const record = ix.get(subject);
  if (!record) return { en: '', zh: '' };
  const { text } = tell(ix, record);
  const rules = links.filter((l) => l.rule !== undefined && l.seq !== subject && l.kind !== 'queue').slice(-4);
  const root = links.find((l) => l.main && (l.root || l.missing !== undefined));
  const saw = (l: WhyLink) =>
    typeof l.values?.why === 'string'
      ? `: ${l.values.why}`
      : l.kind === 'backoff'
        ? `: ${moment(Number(l.values?.until))}`
        : '';
  const list = rules.map((l) => `${l.rule} (${l.verdict}${saw(l)})`);
  const en = [text.en];
  const zh = [text.zh];
  if (list.length > 0) {
    en.push(`Decided by ${list.join(', ')}.`);
    zh.push(`依据：${list.join('、')}。`);
  }
  if (cutOff > 0) {
    en.push(`What came before record ${cutOff + 1} is no longer in memory: the chain is cut off there.`);
    zh.push(`记录 ${cutOff} 及更早的已不在内存中，因果链到此中断。`);
  } else if (root && root.seq !== subject) {
    en.push(`It goes back to record ${root.seq} at ${moment(root.time)}: ${root.text.en}`);
    zh.push(`追溯到 ${moment(root.time)} 的记录 ${root.seq}：${root.text.zh}`);
  } else if (root) {
    en.push('No record says what made it happen.');
    zh.push('记录里没有比它更早的原因。');
  }
  return { en: en.join(' '), zh: zh.join('') };
}
