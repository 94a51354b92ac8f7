import type { Evidence, EvidencePlace, EvidenceReader, MetricsEvidence } from '../evidence/index.js';
import { LineSplitter, type RawLine } from '../log/lines.js';
import { readSample, sampleKey } from './exposition.js';

/** The line before each of several answers in one file, with the time of the answer. */
const SCRAPE = /^# syncloop scrape (\d{1,16})$/;
export const scrapeMark = (micros: number): string => `# syncloop scrape ${Math.round(micros)}\n`;

/** The samples of `/metrics` that concern the kubelet's work; buckets would only repeat them many times. */
const KEPT = /^(kubelet_|prober_|process_start_time_seconds$|kubernetes_build_info$)/;
const BUCKET = /_bucket$/;
/** Labels may be anything: a node with many pods has some thousand of these. */
const MOST_SAMPLES = 20_000;

/**
 * Reads answers of `/metrics`, once or several times with {@link scrapeMark} before each answer. An answer without a
 * time has that of the last relist that it reports.
 */
export class MetricsEvidenceReader implements EvidenceReader {
  private readonly lines = new LineSplitter();
  private samples = new Map<string, number>();
  private begin: EvidencePlace | null = null;
  private at: number | null = null;
  private odd = 0;

  constructor(private readonly source: string) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.lines.push(bytes).flatMap((line) => this.read(line));
  }
  end(): Evidence[] {
    const last = this.lines.end();
    return [...(last ? this.read(last) : []), ...this.finish()];
  }

  private read({ text, number: line, offset }: RawLine): Evidence[] {
    const mark = SCRAPE.exec(text);
    if (mark) {
      const ended = this.finish();
      this.begin = { line, offset };
      this.at = Number(mark[1]);
      return ended;
    }
    if (text === '' || text.startsWith('#')) return [];
    this.begin ??= { line, offset };
    const sample = readSample(text);
    if (!sample) this.odd++;
    else if (KEPT.test(sample.name) && !BUCKET.test(sample.name) && this.samples.size < MOST_SAMPLES)
      this.samples.set(sampleKey(sample), sample.value);
    return [];
  }

  private finish(): Evidence[] {
    const { begin: place, samples, odd, at, source } = this;
    this.begin = null;
    this.samples = new Map();
    this.at = null;
    this.odd = 0;
    if (!place) return [];
    const evidence: Evidence[] = [];
    if (odd > 0) {
      const lines = odd === 1 ? '1 line is' : `${odd} lines are`;
      evidence.push({ kind: 'gap', source, at, place, why: `${lines} not in Prometheus' text format.` });
    }
    if (samples.size > 0) evidence.push(metricsEvidence(source, place, samples, at));
    return evidence;
  }
}

/** `at` in microseconds since 1970; null if it was not recorded. */
export function metricsEvidence(
  source: string,
  place: EvidencePlace,
  samples: ReadonlyMap<string, number>,
  at: number | null,
): MetricsEvidence {
  const relisted = samples.get('kubelet_pleg_last_seen_seconds') ?? 0;
  const timed = at !== null;
  return {
    kind: 'metrics',
    source,
    place,
    samples,
    at: timed ? at : relisted > 0 ? relisted * 1e6 : null,
    ...(timed && { timed }),
  };
}
