/** Puts records of either run into words: their time, their sentence, and what they follow from. */
import { RecordStore, WhyError, why } from '@syncloop/core/debug';
import { formatKlogBody, lookupOf, type NameLookup, narrate, type Seq, type TraceRecord } from '@syncloop/core/trace';
import type { Decision, TwinText } from '../base/types.js';
import type { ReportInput, StoryCause, StoryChain, StoryEvidence, StoryMoment } from './types.js';

/** Most pieces of evidence of one link of a chain, and most characters of one. */
const MOST_EVIDENCE = 3;
const MOST_CHARACTERS = 600;

export class Teller {
  private readonly stores: { readonly [side in 'seen' | 'twin']: RecordStore };
  private readonly lookups: { readonly [side in 'seen' | 'twin']: NameLookup };
  /** Names of the sources by their id. */
  private readonly sources = new Map<string, string>();
  private readonly toTwin = new Map<Seq, Seq>();

  constructor(private readonly input: ReportInput) {
    const store = (records: readonly TraceRecord[]) => {
      const made = new RecordStore({ capacity: records.length + 8192, past: 0 });
      for (const record of records) {
        // Not all records of a run are kept if a part of it was chosen.
        const from = made.last + 1;
        const to = record.seq - 1;
        if (made.size > 0 && to >= from)
          made.push({ seq: to, time: record.time, g: 0, span: 0, cause: 0, kind: 'gap', from, to });
        made.push(record);
      }
      return made;
    };
    this.stores = { seen: store(input.seen.records), twin: store(input.twin.records) };
    this.lookups = { seen: lookupOf(this.stores.seen.state), twin: lookupOf(this.stores.twin.state) };
    for (const record of input.seen.records)
      if (record.kind === 'evidence-source') this.sources.set(record.id, record.name || record.id);
    for (const { seen, twin } of input.verdict.pairs) if (!this.toTwin.has(seen)) this.toTwin.set(seen, twin);
  }

  /** A time of the observed run as wall time. */
  at(time: number): string {
    const micros = this.input.epochMicros + time;
    const millis = Math.floor(micros / 1000);
    return `${new Date(millis).toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
  }

  /** The moment of a decision in both runs. A decision of the twin alone gets its time on the observed run's clock. */
  moment(
    seen: { readonly seq: Seq; readonly time: number } | null,
    twin: { readonly seq: Seq; readonly time: number } | null,
  ): StoryMoment {
    const there = twin?.seq ?? (seen ? this.toTwin.get(seen.seq) : undefined);
    const en = there === undefined ? null : (this.input.link?.(there, 'en') ?? null);
    const zh = there === undefined ? null : (this.input.link?.(there, 'zh') ?? null);
    return {
      at: this.at(seen ? seen.time : (twin?.time ?? 0) + this.input.scenario.seenFrom),
      ...(seen && { seen: seen.seq }),
      ...(there !== undefined && { twin: there }),
      ...(en !== null && zh !== null && { link: { en, zh } }),
    };
  }

  /** Puts the record of a decision into words. */
  tell(side: 'seen' | 'twin', decision: Decision): TwinText {
    const record = this.stores[side].get(decision.seq);
    if (!record) return { en: decision.what, zh: decision.what };
    return this.narrated(side, record);
  }
  private narrated(side: 'seen' | 'twin', record: TraceRecord): TwinText {
    const lookup = this.lookups[side];
    return { en: narrate(record, lookup, 'en').text, zh: narrate(record, lookup, 'zh').text };
  }

  /** The chain of causes of a record, back to the first one; null if no cause is known. */
  chain(of: 'seen' | 'twin', seq: Seq): StoryChain | null {
    try {
      const { summary, links } = why(this.stores[of], { about: 'record', seq });
      if (links.length === 0) return null;
      return {
        of,
        summary,
        links: links.map((link): StoryCause => {
          const place = { seq: link.seq, time: link.time };
          return {
            ...(of === 'seen' ? this.moment(place, null) : this.moment(null, place)),
            role: link.role,
            text: link.text,
            ...(link.rule !== undefined && {
              rule: link.verdict === undefined ? link.rule : `${link.rule}: ${link.verdict}`,
            }),
            evidence: of === 'seen' ? this.evidence(link.seq) : [],
          };
        }),
      };
    } catch (error) {
      if (error instanceof WhyError) return null;
      throw error;
    }
  }

  /** The lines, calls and answers that a record of the observed run rests on. */
  private evidence(seq: Seq): StoryEvidence[] {
    const record = this.stores.seen.get(seq);
    if (!record) return [];
    const rests = record.evidence ? [seq] : (record.basis ?? []);
    return rests.slice(0, MOST_EVIDENCE).flatMap((basis) => {
      const piece = this.stores.seen.get(basis);
      if (!piece?.evidence) return [];
      const { source, line } = piece.evidence;
      const text = piece.kind === 'log' ? lineText(piece) : this.narrated('seen', piece).en;
      const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
      return [{ source: this.sources.get(source) ?? source, ...(line !== undefined && { line }), text: cut }];
    });
  }
}

/** A line of klog without its header; any other line unchanged. */
const lineText = (record: TraceRecord & { kind: 'log' }): string =>
  record.file === '' && Object.keys(record.kv).length === 0
    ? record.msg
    : `${record.file && `${record.file}] `}${formatKlogBody(record)}`;
