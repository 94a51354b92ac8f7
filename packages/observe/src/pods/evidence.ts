import { checkJSONDepth, parseManifest } from '@syncloop/core/api';
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { Evidence, EvidencePlace, EvidenceReader, PodsEvidence } from '../evidence/index.js';
import { DocumentReader, type TextDocument } from './documents.js';
import { latestMention } from './facts.js';

export interface PodsReaderOptions {
  /** Milliseconds since 1970 from which the `at` of a capture's lines count. Null if unknown. */
  readonly startedMillis: number | null;
}

/** An `at` that is larger is itself a time in milliseconds since 1970. */
const A_TIME = 1e11;

/**
 * Reads pods from:
 * - answers of the kubelet's `/pods` over time, `{"at": MILLISECONDS, "pods": [...]}`, one a line;
 * - one such answer (a PodList), or an object or List of the API server, as `kubectl get pods -o json|yaml` prints it;
 * - `kubectl get pods --watch` in these forms, with `--output-watch-events` or without;
 * - manifests of static pods.
 *
 * A list without a time has that of the last change that it mentions.
 */
export class PodsEvidenceReader implements EvidenceReader {
  private readonly documents = new DocumentReader();

  constructor(
    private readonly source: string,
    private readonly options: PodsReaderOptions,
  ) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.documents.push(bytes).flatMap((document) => this.read(document));
  }
  end(): Evidence[] {
    return this.documents.end().flatMap((document) => this.read(document));
  }

  private read({ text, format, line, offset, problem }: TextDocument): Evidence[] {
    const place = { line, offset };
    const gap = (why: string): Evidence[] => [{ kind: 'gap', source: this.source, at: null, place, why }];
    if (problem !== null) return gap(problem);
    if (TABLE.test(text))
      return gap(`Line ${line} begins a table without specs: use kubectl get pods -o yaml or -o json.`);
    let value: unknown;
    try {
      if (format === 'json') {
        checkJSONDepth(text);
        value = JSON.parse(text);
      } else value = parseManifest(text);
    } catch (err) {
      const why = (err as Error).message.split('\n', 1)[0]?.slice(0, 300);
      return gap(`What begins at line ${line} cannot be read: ${why}.`);
    }
    if (value === null) return [];
    const read = this.evidence(value as Json, place);
    return typeof read === 'string' ? gap(`What begins at line ${line} ${read}.`) : read;
  }

  /** The evidence in a value; or why there is none, as the rest of a sentence. */
  private evidence(value: Json, place: EvidencePlace): PodsEvidence[] | string {
    if (!isObject(value)) return 'is not an object with pods';
    const { at, pods, type, object } = value;
    if (Array.isArray(pods) && typeof at === 'number') {
      const micros = this.micros(at);
      return [podsEvidence(this.source, place, 'all', pods.filter(isObject) as Json[], micros ?? undefined)];
    }
    if (typeof type === 'string' && isObject(object)) return this.watchEvent(type, object, place);
    // A list without items has null for them.
    if (Array.isArray(value.items) || (value.items === null && /^(PodList|List)$/.test(String(value.kind)))) {
      const all = (value.items ?? []) as readonly Json[];
      const items = all.filter(isPod);
      const skipped = all.length - items.length;
      if (items.length === 0 && skipped > 0) return `lists ${String(value.kind)}, and no pods`;
      // A list of kubectl may have only one namespace, or only the pods that were asked for.
      if (!isAnswerOfKubelet(value)) return items.map((pod) => podsEvidence(this.source, place, 'one', [pod]));
      return [podsEvidence(this.source, place, 'all', items)];
    }
    if (isPod(value) && value.kind === 'Pod') return [podsEvidence(this.source, place, 'one', [value])];
    return typeof value.kind === 'string' ? `is a ${value.kind}, not a pod` : 'is not a Kubernetes object';
  }

  private watchEvent(type: string, object: Json, place: EvidencePlace): PodsEvidence[] | string {
    if (type === 'BOOKMARK') return [];
    if (!['ADDED', 'MODIFIED', 'DELETED'].includes(type))
      return `is an event ${type} of a watch, which is about no pod`;
    if (!isPod(object)) return 'is an event of a watch that has no pod';
    const evidence = podsEvidence(this.source, place, 'one', [object]);
    return [type === 'DELETED' ? { ...evidence, removed: true } : evidence];
  }

  private micros(at: number): number | null {
    if (at > A_TIME) return Math.round(at * 1000);
    const { startedMillis } = this.options;
    return startedMillis === null ? null : Math.round((startedMillis + at) * 1000);
  }
}

/** Pods as evidence; `at` in microseconds since 1970, by default the last time that they mention. */
export function podsEvidence(
  source: string,
  place: EvidencePlace,
  scope: 'all' | 'one',
  pods: readonly Json[],
  at?: number,
): PodsEvidence {
  const mentioned = pods.flatMap((pod) => latestMention(pod) ?? []);
  return { kind: 'pods', source, place, scope, pods, at: at ?? (mentioned.length > 0 ? Math.max(...mentioned) : null) };
}

const TABLE = /^(NAMESPACE +)?NAME +READY +STATUS/;

/** Items of a list may come without their kind. */
const isPod = (value: Json): value is { readonly [key: string]: Json } =>
  isObject(value) && (value.kind === undefined || value.kind === 'Pod') && isObject(value.metadata);

/** The kubelet's own list has no version; the API server's has one, and kubectl's is of the kind List. */
const isAnswerOfKubelet = ({ kind, metadata }: { readonly [key: string]: Json | undefined }): boolean =>
  kind === 'PodList' &&
  !(isObject(metadata) && typeof metadata.resourceVersion === 'string' && metadata.resourceVersion !== '');
