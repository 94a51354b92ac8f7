/** Recognises a file by its first bytes and its name. A reader is added with one line of the table `FORMATS`. */
import { utf8Text } from '@syncloop/core/base';
import { CRICaptureReader } from './cri/capture.js';
import type { ConversationOptions } from './cri/conversation.js';
import { ContainerEventsReader } from './cri/events.js';
import type { Evidence, EvidenceReader, SourceKind } from './evidence/index.js';
import { looksLikeDocument } from './log/document.js';
import { LogEvidenceReader } from './log/evidence.js';
import { Unframer } from './log/framings/index.js';
import { readHeader, readJson, readShortHeader } from './log/klog.js';
import { asUTF8, encodingOf } from './log/text-bytes.js';
import { MetricsEvidenceReader } from './metrics/evidence.js';
import { ApiLinesReader } from './pods/api-lines.js';
import { PodsEvidenceReader } from './pods/evidence.js';
import { SpansEvidenceReader } from './spans/evidence.js';
import { reportsTrouble } from './story/bare.js';

/** The number of a file's first bytes by which its format is recognised. */
export const SOURCE_HEAD_BYTES = 64 * 1024;

/** The formats of files that evidence is read from. */
export type SourceFormat =
  | 'log'
  | 'log-json'
  | 'journal-export'
  | 'cri-bytes'
  | 'otlp'
  | 'pods-ndjson'
  | 'pods'
  | 'container-events'
  | 'api-lines'
  | 'metrics';

/** The facts of the observation that readers need. */
export interface ReadContext {
  /** Milliseconds since 1970 that the source's end is not after: when the file was last written. */
  readonly notAfter: number;
  /** Minutes that the log's local time is ahead of UTC, if the user gives them. */
  readonly zoneMinutes?: number;
  /** The node whose lines are read, if a log has lines of several. */
  readonly node?: string;
  /** The node that all logs are of: the first of them chooses it. */
  readonly story?: { node?: string };
  /** True if the source is still written: what it has is read as it comes. */
  readonly live?: boolean;
  /** Milliseconds since 1970 at which a capture began: its `at` count from there. Null if unknown. */
  readonly startedMillis: number | null;
  /**
   * The decoder for the CRI socket: `readMessage` of `@syncloop/core/cri/wire`, which is loaded when it is needed.
   */
  readonly cri?: ConversationOptions;
}

/** The format that was recognised in a file, or why none was. */
export type Recognition =
  | {
      readonly is: 'source';
      readonly format: SourceFormat;
      readonly kind: SourceKind;
      readonly details: string;
      /** False: the format is known, but this version cannot read it. */
      readonly readable: boolean;
    }
  /** It must be decompressed first; its content has the format. */
  | { readonly is: 'gzip' }
  /** `about.json` of a capture, with the time when the capture began. */
  | { readonly is: 'about'; readonly startedMillis: number | null }
  /** Part of a capture that nothing is read from. `why` is a sentence. */
  | { readonly is: 'none'; readonly why: string }
  /** `why` is a sentence with the remedy. */
  | { readonly is: 'unknown'; readonly why: string };

interface Head {
  /** Lower-case base name, without `.gz`. */
  readonly name: string;
  readonly text: string;
  /** Whole lines of `text`, as far as it reaches; the last one may be cut. */
  readonly lines: readonly string[];
  /** The first line as a JSON object; null for any other line. */
  readonly json: { readonly [key: string]: unknown } | null;
}

export interface Format {
  readonly kind: SourceKind;
  /** A sentence for users about what the file is. */
  readonly details: string;
  readonly recognises: (head: Head) => boolean;
  /** Null: the format is known, but this version cannot read it. */
  readonly reader: ((source: string, context: ReadContext) => EvidenceReader) | null;
}

const has = (json: Head['json'], ...keys: readonly string[]) =>
  json !== null && keys.every((k) => Object.hasOwn(json, k));
const klogLines = (lines: readonly string[]): boolean => {
  const unframer = new Unframer();
  return lines.some((line) => {
    const found = unframer.read(line);
    if (!found) return false;
    const { text, framing, program } = found;
    if (
      readHeader(text) !== null ||
      readShortHeader(text) !== null ||
      (text.startsWith('{') && readJson(text) !== null)
    )
      return true;
    // Lines of the programs around a kubelet, as a journal and dmesg have them.
    return KEPT.test(framing) && program !== undefined && AROUND.test(program);
  });
};
const KEPT = /^(?:journal|syslog|kernel)/;
const AROUND = /^(?:systemd|kernel|containerd|dockerd|docker|crio|cri-dockerd)$/;
/** A record of klog anywhere: within a document of JSON that a store of logs has exported. */
const KLOG = /[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w.-]+:\d+\]/;
/** Sections of `minikube logs`, of which that of the kubelet may come late. */
const SECTIONS = /^(?:\* )?==> .{1,200} <==$/m;
/** Reports once why a source is not read. */
class UnreadReader implements EvidenceReader {
  private reported = false;

  constructor(
    private readonly source: string,
    private readonly why: string,
  ) {}

  push(): Evidence[] {
    if (this.reported) return [];
    this.reported = true;
    return [{ kind: 'gap', source: this.source, at: null, place: {}, why: this.why }];
  }
  end(): Evidence[] {
    return [];
  }
}
const log = (source: string, context: ReadContext) =>
  new LogEvidenceReader(source, {
    notAfter: context.notAfter,
    survey: context.live !== true,
    ...(context.story && { story: context.story }),
    ...(context.node !== undefined && { node: context.node }),
    ...(context.zoneMinutes !== undefined && { zoneMinutes: context.zoneMinutes }),
  });
const pods = (source: string, { startedMillis }: ReadContext) => new PodsEvidenceReader(source, { startedMillis });
/** Words of the kubelet in lines that a log collector has reformatted. */
const FROM_KUBELET = /kubelet|klog|SyncLoop|PLEG/;
/** Lines that are looked at for messages without anything around them. */
const MOST_BARE = 500;
const KUBE_POD = /(^|\n)\s*-?\s*kind:\s*"?(Pod|PodList|List)"?\s*(\n|$)/;

/**
 * The formats in the order in which they are tried: the stricter first. The log comes last, because it takes lines of
 * any kind.
 */
const FORMATS: readonly (readonly [SourceFormat, Format])[] = [
  [
    'cri-bytes',
    {
      kind: 'cri',
      details: 'Bytes of the CRI socket.',
      recognises: ({ json, text }) =>
        has(json, 'at', 'conn') || (has(json, 'startedAt') && /^[^\n]*\n\{"at":[\d.]+,"conn":/.test(text)),
      reader: (source, { cri, startedMillis }) =>
        cri
          ? new CRICaptureReader(source, { ...cri, startedAt: startedMillis ?? 0 })
          : new UnreadReader(source, 'The decoder of CRI calls was not loaded: calls are not shown.'),
    },
  ],
  [
    'container-events',
    {
      kind: 'events',
      details: 'Events of the container runtime (GetContainerEvents).',
      recognises: ({ json }) => has(json, 'at', 'event'),
      reader: (source, { startedMillis }) => new ContainerEventsReader(source, { startedAt: startedMillis ?? 0 }),
    },
  ],
  [
    'api-lines',
    {
      kind: 'api',
      details: 'Events and conditions of a node, as the API server has them.',
      recognises: ({ json }) => has(json, 'at', 'apiEvent') || has(json, 'at', 'apiCondition'),
      reader: (source) => new ApiLinesReader(source),
    },
  ],
  [
    'pods-ndjson',
    {
      kind: 'pods',
      details: "Answers of the kubelet's /pods over time.",
      recognises: ({ json }) => has(json, 'at', 'pods'),
      reader: pods,
    },
  ],
  [
    'otlp',
    {
      kind: 'spans',
      details: 'Spans that the kubelet exported (OTLP).',
      recognises: ({ json, text, name }) =>
        has(json, 'resourceSpans') ||
        (has(json, 'at', 'b64') && name.startsWith('otlp')) ||
        /^\s*\{\s*"resourceSpans"\s*:/.test(text),
      reader: (source) => new SpansEvidenceReader(source),
    },
  ],
  [
    'pods',
    {
      kind: 'pods',
      details: 'Pods as kubectl or the API server writes them.',
      recognises: ({ text }) =>
        (/"apiVersion"\s*:\s*"v1"/.test(text) &&
          /"kind"\s*:\s*"(Pod|PodList|List)"/.test(text) &&
          /^\s*\{/.test(text)) ||
        (/(^|\n)apiVersion:\s*v1\s*(\n|$)/.test(text) && KUBE_POD.test(text)),
      reader: pods,
    },
  ],
  [
    'metrics',
    {
      kind: 'metrics',
      details: "Counters of the kubelet's /metrics.",
      recognises: ({ text }) =>
        /^(# HELP |# TYPE |# syncloop scrape )/.test(text) &&
        /\n# TYPE \S+ (counter|gauge|histogram|summary)/.test(text),
      reader: (source) => new MetricsEvidenceReader(source),
    },
  ],
  [
    'journal-export',
    {
      kind: 'log',
      details: "A log in the journal's export format.",
      recognises: ({ text }) => /^__CURSOR=/.test(text),
      reader: log,
    },
  ],
  [
    'log-json',
    {
      kind: 'log',
      details: 'A kubelet log as JSON.',
      recognises: ({ lines }) => lines.some((line) => line.startsWith('{') && readJson(line) !== null),
      reader: log,
    },
  ],
  [
    'log',
    {
      kind: 'log',
      details: 'A kubelet log as text.',
      recognises: ({ lines, name, text }) =>
        klogLines(lines) ||
        ((looksLikeDocument(text) || lines.length > 1) && KLOG.test(text)) ||
        SECTIONS.test(text) ||
        (FROM_KUBELET.test(lines.join('\n')) && /log|journal|kubelet/.test(name)) ||
        lines.slice(0, MOST_BARE).some(reportsTrouble),
      reader: log,
    },
  ],
];

/**
 * Recognises a file by its first bytes (at most `SOURCE_HEAD_BYTES` are looked at) and, if these are not enough, by its
 * name.
 */
export function recognise(fileName: string, bytes: Uint8Array): Recognition {
  const shown = fileName === '' ? 'What was given' : `“${fileName}”`;
  if (bytes.length === 0) return { is: 'unknown', why: `${shown} is empty.` };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { is: 'gzip' };
  const head = headOf(fileName, bytes);
  if (head.name === 'about.json' || has(head.json, 'startedAt', 'scenario')) return aboutOf(head.text);
  if (head.name === 'truth.json')
    return {
      is: 'none',
      why: `${shown} contains the result of a run, which no source of a live kubelet has, so it is not read.`,
    };
  for (const [format, { kind, details, recognises, reader }] of FORMATS)
    if (recognises(head)) return { is: 'source', format, kind, details, readable: reader !== null };
  return {
    is: 'unknown',
    why:
      encodingOf(bytes) === 'utf-8' && bytes.subarray(0, 4096).includes(0)
        ? `${shown} is not text that a kubelet writes: give a log, as from journalctl -u kubelet, or a capture.`
        : `No line in the first ${Math.ceil(Math.min(bytes.length, SOURCE_HEAD_BYTES) / 1024)} KiB of ${shown} is one that a kubelet writes: give its log, as from journalctl -u kubelet, or a capture.`,
  };
}

function headOf(fileName: string, bytes: Uint8Array): Head {
  const text = utf8Text(asUTF8(bytes.subarray(0, SOURCE_HEAD_BYTES))).replace(/^\uFEFF/, '');
  const lines = text.split('\n');
  return {
    name: (fileName.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.gz$/, ''),
    text,
    lines,
    json: jsonOf(lines[0] ?? ''),
  };
}

function jsonOf(line: string): Head['json'] {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    // A line longer than the head, or an object over several lines: its first keys still tell.
    const keys = [...line.slice(0, 200).matchAll(/[{,]"(\w+)":/g)].map((found) => [found[1], true]);
    return keys.length > 0 ? Object.fromEntries(keys) : null;
  }
}

function aboutOf(text: string): Recognition {
  const at = Date.parse(/"startedAt"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? '');
  return { is: 'about', startedMillis: Number.isNaN(at) ? null : at };
}

/** Returns the format of a name, and how it is read. */
export const formatOf = (name: SourceFormat): Format | undefined => FORMATS.find(([n]) => n === name)?.[1];
