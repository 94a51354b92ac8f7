import { checkJSONDepth } from '@syncloop/core/api';
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { Evidence, EvidencePlace, EvidenceReader } from '../evidence/index.js';
import { DocumentReader, type TextDocument } from './documents.js';

const STATUSES = ['True', 'False', 'Unknown'] as const;

/**
 * Reads what an API server had of a node, one a line, in the order of time: `{"at": MILLISECONDS, "apiEvent": EVENT}`
 * and `{"at": MILLISECONDS, "apiCondition": CONDITION}`. Times are since 1970, by the clocks of those who reported
 * them to the API server, in whole seconds.
 */
export class ApiLinesReader implements EvidenceReader {
  private readonly documents = new DocumentReader();

  constructor(private readonly source: string) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.documents.push(bytes).map((document) => this.read(document));
  }
  end(): Evidence[] {
    return this.documents.end().map((document) => this.read(document));
  }

  private read({ text, line, offset, problem }: TextDocument): Evidence {
    const place = { line, offset };
    const read = problem ?? this.evidence(text, place);
    if (typeof read !== 'string') return read;
    return { kind: 'gap', source: this.source, at: null, place, why: read };
  }

  /** The evidence in a line; or why there is none. */
  private evidence(text: string, place: EvidencePlace): Evidence | string {
    const none = `Line ${place.line} is neither an event nor a condition of an API server.`;
    let value: unknown;
    try {
      checkJSONDepth(text);
      value = JSON.parse(text);
    } catch {
      return none;
    }
    if (!isObject(value as Json)) return none;
    const { at, apiEvent, apiCondition } = value as { readonly [key: string]: Json | undefined };
    if (typeof at !== 'number' || !Number.isFinite(at)) return none;
    const head = { source: this.source, at: Math.round(at * 1000), place };
    if (isObject(apiEvent)) {
      const of = isObject(apiEvent.involvedObject) ? apiEvent.involvedObject : {};
      if (said(apiEvent.reason) === '' || said(of.name) === '') return none;
      return {
        ...head,
        kind: 'api-event',
        object: {
          ...{ kind: said(of.kind), namespace: said(of.namespace), name: said(of.name), uid: said(of.uid) },
          fieldPath: said(of.fieldPath),
        },
        type: apiEvent.type === 'Warning' ? 'Warning' : 'Normal',
        reason: said(apiEvent.reason),
        message: said(apiEvent.message),
      };
    }
    if (!isObject(apiCondition)) return none;
    const status = STATUSES.find((one) => one === apiCondition.status);
    const type = said(apiCondition.type);
    if (status === undefined || type === '') return none;
    return {
      ...head,
      kind: 'api-condition',
      type,
      status,
      reason: said(apiCondition.reason),
      message: said(apiCondition.message),
    };
  }
}

const said = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
