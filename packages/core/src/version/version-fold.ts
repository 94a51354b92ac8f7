import { isObject } from '../base/index.js';
import { type MinorSpan, minorOf, minorOfEra, nearestEra, nearestEraOfSpan } from '../kubelet/era/nearest.js';
import { defaultEra, type EraVersion } from '../kubelet/era/versions.js';
import type { Json, TraceRecord } from '../trace/index.js';
import { type DatingLine, dateOfLine, inBoth } from './lines.js';
import { dateOfStatus } from './statuses.js';

/** The version of an observed kubelet, as far as it is known. */
export interface ObservedVersion {
  /**
   * `reported`: a source states it. `dated`: concluded from the wording of lines, or the
   * fields of statuses. `unknown`: no source gives a clue.
   */
  readonly how: 'reported' | 'dated' | 'unknown';
  /** Such as "v1.25.9"; '' if no source reports it. */
  readonly version: string;
  /** The minor versions that it may have; null if unknown. */
  readonly span: MinorSpan | null;
  /** The nearest of the kubelets that can run here; the default one if unknown. */
  readonly era: EraVersion;
}

export const unknownVersion: ObservedVersion = { how: 'unknown', version: '', span: null, era: defaultEra };

const BUILD = /^kubernetes_build_info\{.*\bgit_?[vV]ersion="([^"]+)"/;
/** Up to 1.20 the kubelet logs it with printf; from 1.21 on it is a field. */
const PLAIN = /^(?:Kubelet version: |Version: )(v\d\S*?)$/;

/** Learns the version of the kubelet that runs now from lines and records, one after the other. */
export class VersionFold {
  private version = '';
  private span: MinorSpan | null = null;
  private known: ObservedVersion | null = unknownVersion;

  /** Takes a record of an observed run: a line of the log, or the build that `/metrics` reports. */
  take(record: TraceRecord): void {
    if (record.kind === 'log') this.line({ msg: record.msg, fields: record.kv });
    else if (record.kind === 'pod-list') this.pods(record.objects);
    else if (record.kind === 'metrics' && this.version === '')
      for (const name of Object.keys(record.values)) {
        const found = BUILD.exec(name)?.[1];
        if (found !== undefined) this.tell(found);
      }
  }

  line(line: DatingLine): void {
    const { msg, fields } = line;
    if (msg === 'Kubelet version') {
      if (typeof fields.kubeletVersion === 'string') this.tell(fields.kubeletVersion);
      return;
    }
    const plain = /^(Kubelet v|V)ersion: v/.test(msg) ? PLAIN.exec(msg)?.[1] : undefined;
    if (plain !== undefined) this.tell(plain);
    if (this.version === '') this.date(dateOfLine(line));
  }

  /** Takes the pods as a kubelet lists them. */
  private pods(objects: Json | undefined): void {
    if (this.version !== '' || !Array.isArray(objects)) return;
    for (const pod of objects) if (isObject(pod)) this.date(dateOfStatus(pod.status as Json | undefined));
  }

  private date(date: MinorSpan | null): void {
    if (!date) return;
    // A line that contradicts those before it is a vendor's: what they have in common stays.
    const both = inBoth(this.span, date);
    if (!both || (both.since === this.span?.since && both.until === this.span.until)) return;
    this.span = both;
    this.known = null;
  }

  /** Takes the version that a source states; an upgraded kubelet has another one than before. */
  private tell(version: string): void {
    if (minorOf(version) === null || version === this.version) return;
    this.version = version;
    this.known = null;
  }

  get found(): ObservedVersion {
    this.known ??= this.conclude();
    return this.known;
  }
  private conclude(): ObservedVersion {
    const { version, span } = this;
    return version === '' ? dated(span) : observedVersion(version);
  }
}

function dated(span: MinorSpan | null): ObservedVersion {
  return span ? { how: 'dated', version: '', span, era: nearestEraOfSpan(span) } : unknownVersion;
}

/** Returns what follows from a reported version; {@link unknownVersion} for a text that is not a version. */
export function observedVersion(version: string): ObservedVersion {
  const minor = minorOf(version);
  const era = nearestEra(version);
  if (minor === null || era === null) return unknownVersion;
  return { how: 'reported', version, span: { since: minor, until: minor }, era };
}

/** True if a kubelet is known to be of the very minor version of an era. */
export const isOfEra = ({ how, span }: ObservedVersion, era: EraVersion): boolean =>
  how === 'reported' && span?.since === minorOfEra(era);

/** The version that the records of an observed run report. */
export function versionOfRecords(records: Iterable<TraceRecord>): ObservedVersion {
  const fold = new VersionFold();
  for (const record of records) fold.take(record);
  return fold.found;
}
