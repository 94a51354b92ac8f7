/** Records of an observed kubelet: its sources, and their evidence besides log lines and CRI calls. */
import type { SymptomCode } from '../symptoms.js';
import { maybeAboutPod, podRefs } from './common.js';
import { boolean, flag, json, jsonMap, list, map, maybe, micros, number, object, text, word } from './field.js';
import { kind } from './kind.js';

export const observed = {
  /** A source of the observation begins, ends, or cannot be read any more. */
  'evidence-source': kind(
    {
      /** Short and unique, as "log-2": `evidence.source` of the records that were read from it. */
      id: text,
      source: word<'log' | 'cri' | 'events' | 'spans' | 'pods' | 'metrics' | 'api'>(),
      name: text,
      state: word<'opened' | 'ended' | 'lost'>(),
      /** A sentence: what was recognised, or why it is lost. */
      details: maybe(text),
    },
    {
      touches: [],
      importance: 2,
      place: null,
      mark: ['plain', 'flag'],
      failed: (r) => r.state === 'lost',
    },
  ),
  /** Something of a source is missing here. */
  'evidence-gap': kind(
    { source: text, why: text, bytes: maybe(number) },
    { touches: [], importance: 2, place: null, mark: ['failure', 'cross'], failed: () => true },
  ),
  /** Something is wrong on the node, or is right again, as one line of a program says. */
  symptom: kind(
    {
      code: word<SymptomCode>(),
      state: word<'failing' | 'healed'>(),
      /** The program that reports it, as `kubelet`, `systemd`, `containerd` or `kernel`. */
      program: text,
      container: maybe(text),
      ...maybeAboutPod,
      /** The other facts of the line, by name: `error`, `image`, `exitCode`, `counter`. */
      facts: jsonMap,
    },
    {
      touches: [],
      importance: 2,
      place: null,
      mark: ['failure', 'flag'],
      failed: (r) => r.state === 'failing',
    },
  ),
  /** The clock of one source against another's, from what both saw: its times plus `offset` are the other's. */
  'clock-offset': kind(
    { source: text, against: text, offset: micros, uncertainty: micros, samples: number },
    { touches: [], importance: 1, place: null, mark: ['time', 'dot'] },
  ),
  /** Sources say different things of the same. */
  disagreement: kind(
    { about: text, sides: list('sides', object({ source: text, value: json })) },
    { touches: [], importance: 3, place: null, mark: ['failure', 'diamond'], failed: () => true },
  ),
  /** A span as in OpenTelemetry; the record's time is its start. */
  'telemetry-span': kind(
    {
      name: text,
      service: text,
      traceId: text,
      spanId: text,
      /** '' for a root. */
      parent: text,
      took: micros,
      attributes: jsonMap,
      error: maybe(text),
    },
    {
      touches: [],
      importance: 1,
      place: null,
      mark: ['time', 'none'],
      failed: (r) => r.error !== undefined,
    },
  ),
  /** The list of pods, or a change of one, as the kubelet, the API server or a folder reports it. */
  'pod-list': kind(
    { scope: word<'all' | 'one'>(), pods: podRefs, removed: maybe(flag), objects: maybe(json) },
    { touches: ['pods', 'containers'], importance: 1, place: null, mark: ['actual', 'square'] },
  ),
  /** Counters of the kubelet's `/metrics`, by name and labels. */
  metrics: kind({ values: map(number) }, { touches: [], importance: 0, place: null, mark: ['plain', 'tick'] }),
  /** The runtime's answer to a read-only call of an observer. It is not a call of the kubelet. */
  'runtime-answer': kind(
    { method: text, response: maybe(json), error: maybe(object({ code: number, details: text }, '{code, details}')) },
    {
      touches: [],
      importance: 0,
      place: 'cri',
      mark: ['actual', 'tick'],
      failed: (r) => r.error !== undefined,
    },
  ),
  /** The kubelet's counters compared with what was seen since its start or the last answer. */
  'metrics-check': kind(
    {
      rows: list('rows', object({ name: text, told: number, seen: number, agrees: boolean })),
      /** Everything since then was seen. If false, the kubelet may have counted more. */
      whole: boolean,
    },
    {
      touches: [],
      importance: (r) => (r.rows.every(({ agrees }) => agrees) ? 1 : 2),
      place: null,
      mark: ['plain', 'flag'],
      failed: (r) => r.rows.some(({ agrees }) => !agrees),
    },
  ),
  /** An item of the runtime's GetContainerEvents. */
  'container-event': kind({ event: json }, { touches: [], importance: 1, place: 'cri', mark: ['actual', 'dot'] }),
};
