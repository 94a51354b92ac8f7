/** Records of what the kubelet reports itself: its log, its Kubernetes events, and the rules that it decided by. */
import { maybeAboutPod } from './common.js';
import { json, jsonMap, list, maybe, number, object, text, word } from './field.js';
import { kind } from './kind.js';

export const log = {
  log: kind(
    {
      severity: word<'I' | 'W' | 'E'>(),
      v: number,
      msg: text,
      kv: jsonMap,
      file: text,
      /** The text behind the header, if it differs from v1.36's because another version of klog wrote it. */
      text: maybe(text),
      /** The line of `file` in upstream's source, if it is another version's. */
      line: maybe(number),
    },
    {
      touches: [],
      importance: (r) => (r.severity === 'I' ? 1 : 2),
      place: null,
      mark: ['plain', 'tick'],
      failed: (r) => r.severity !== 'I',
    },
  ),
  'kube-event': kind(
    {
      object: object({ kind: text, namespace: text, name: text, uid: text, fieldPath: text }),
      type: word<'Normal' | 'Warning'>(),
      reason: text,
      message: text,
    },
    {
      touches: ['events'],
      importance: 2,
      place: 'events',
      mark: ['actual', 'flag'],
      failed: (r) => r.type === 'Warning',
    },
  ),
  /** A choice of the kubelet: the rule by name (upstream's function), what came out, the values it saw. */
  decision: kind(
    { rule: text, verdict: text, values: jsonMap, container: maybe(text), ...maybeAboutPod },
    {
      touches: [],
      // The call asks one handler after the other, and its own step says that all have admitted.
      importance: (r) => (r.rule === 'canAdmitPod' && r.verdict === 'admit' ? 1 : 2),
      place: null,
      mark: ['decision', 'diamond'],
    },
  ),
  /** Code that stands for a part of the kubelet was called: `fn` of `file`. */
  part: kind(
    { part: text, fn: text, file: text, args: list('values', json), result: json, ...maybeAboutPod },
    { touches: [], importance: 1, place: null, mark: ['decision', 'ring'] },
  ),
  /**
   * A statement of such code is next: in `fn` ('' at the top of the file), at `line` and `column`, from 1. `variables`:
   * those that have a value there, innermost first, long ones shortened.
   */
  'part-line': kind(
    { part: text, fn: text, file: text, line: number, column: number, variables: jsonMap, ...maybeAboutPod },
    { touches: [], importance: 0, place: null, mark: ['decision', 'none'] },
  ),
  /** It failed, and the run ends here. `line` and `column` are from 1, or 0 if there is no such place. */
  'part-failed': kind(
    {
      part: text,
      fn: text,
      file: text,
      problem: word<'syntax' | 'exception' | 'steps' | 'memory' | 'stack' | 'missing' | 'shape'>(),
      message: text,
      line: number,
      column: number,
      args: list('values', json),
      ...maybeAboutPod,
    },
    { touches: [], importance: 4, place: null, mark: ['failure', 'cross'], failed: () => true },
  ),
};
