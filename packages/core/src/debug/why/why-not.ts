import { shallow } from './edge.js';
import { follow } from './graph.js';
import { PodMoment } from './pod-moment.js';
import { indexOf } from './record-index.js';
import { focusOf, podOf, upTo } from './subjects.js';
import {
  type Answer,
  type Finding,
  type Question,
  type Text,
  WhyError,
  type WhyNotQuestion,
  type WhyStore,
} from './types.js';
import { answer, nothing } from './why.js';
import { probeFindings, restartFindings } from './why-not-container.js';
import { pendingFindings, readyFindings } from './why-not-pod.js';
import { nodeFindings, workerFindings } from './why-not-worker.js';

const most = 5;

/**
 * Explains why it is not so: the reasons, weightiest first, and the causes of the first one. A pod, container or worker
 * that is as asked for says so (`is-running`, `is-ready`). Throws a WhyError if the question names what is not there.
 */
export function whyNot(store: WhyStore, question: Question): Answer {
  if (!isWhyNot(question))
    throw new WhyError(
      `"${question.about}" is a question of why; whyNot takes pending, ready, worker, probe and restart`,
    );
  const at = upTo(store, question.at);
  const ix = indexOf(store);
  const uid = podOf(ix, question.uid, at);
  if ('container' in question) containerIn(ix.names.containerNames(uid), question.container);
  const moment = new PodMoment(ix, at === store.last ? store.state : store.stateAt(at), at, uid);
  const findings = findingsOf(moment, question).slice(0, most);
  const first = ix.get(findings[0]?.seq ?? 0);
  const summary = summarize(findings);
  if (!first) return { ...nothing(question, summary), findings };
  const others = findings.slice(1).flatMap((f) => (f.seq > 0 && f.seq < first.seq ? shallow(f.seq) : []));
  const focus = { ...focusOf(ix, first), ...('container' in question && { container: question.container }), uid };
  const graph = follow(ix, first, focus, others);
  return { ...answer(ix, question, graph, first.seq), summary, findings };
}

const isWhyNot = (q: Question): q is WhyNotQuestion =>
  ['pending', 'ready', 'worker', 'probe', 'restart'].includes(q.about);

function containerIn(names: readonly string[], container: string): void {
  // One that has never been made has left no name: then it is the pod that is asked about.
  if (names.length > 0 && !names.includes(container) && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(container))
    throw new WhyError(`there is no container "${container}"; there are: ${names.join(', ')}`);
}

function findingsOf(moment: PodMoment, q: WhyNotQuestion): Finding[] {
  const down = nodeFindings(moment).filter((f) => f.code === 'kubelet-down');
  if (down.length > 0) return down;
  switch (q.about) {
    case 'pending':
      return pendingFindings(moment);
    case 'ready':
      return readyFindings(moment);
    case 'worker':
      return [...nodeFindings(moment), ...workerFindings(moment)];
    case 'probe':
      return probeFindings(moment, q.container, q.probeType);
    case 'restart':
      return restartFindings(moment, q.container);
  }
}

const summarize = (findings: readonly Finding[]): Text =>
  findings.length === 0
    ? { en: 'No rule knows why.', zh: '没有规则能说明原因。' }
    : {
        en: findings.map((f) => ended(f.text.en, '.')).join(' '),
        zh: findings.map((f) => ended(f.text.zh, '。')).join(''),
      };

/** Words from the run need not end as a sentence does. */
const ended = (text: string, stop: string): string => (/[.。…!?]$/.test(text) ? text : text + stop);
