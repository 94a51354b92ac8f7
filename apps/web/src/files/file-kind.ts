/**
 * The kind of a file, by its first bytes, as names lie. `recording`, `ndjson` and `chrome` can be opened as recordings;
 * `moment` and `notes` are files that the page has saved. The content of a `gzip` decides what it is.
 */
export type FileKind =
  | 'recording'
  | 'ndjson'
  | 'chrome'
  | 'otlp'
  | 'moment'
  | 'notes'
  | 'manifest'
  | 'scenario'
  | 'log'
  | 'picture'
  | 'archive'
  | 'gzip'
  | 'json'
  | 'text'
  | 'binary'
  | 'empty';

/** The number of bytes that decide. */
export const HEAD_BYTES = 4096;

const begins = (head: Uint8Array, ...bytes: readonly number[]) => bytes.every((b, i) => head[i] === b);
const text = (s: string) => [...s].map((c) => c.charCodeAt(0));

/** Beginnings of the commonest files that get dropped by mistake. */
const MAGIC: readonly (readonly [FileKind, readonly number[]])[] = [
  // The first byte decides, or the name after that byte: the reader then reports that a transfer damaged the recording.
  ['recording', [0x8b]],
  ['recording', text('SLR')],
  ['gzip', [0x1f, 0x8b]],
  ['archive', text('PK\x03\x04')],
  ['archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['archive', text('BZh')],
  ['archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['picture', [0x89, 0x50, 0x4e, 0x47]],
  ['picture', [0xff, 0xd8, 0xff]],
  ['picture', text('GIF8')],
  ['picture', [0x1a, 0x45, 0xdf, 0xa3]],
  ['binary', text('%PDF')],
];

export function kindOfFile(head: Uint8Array): FileKind {
  if (head.length === 0) return 'empty';
  for (const [kind, bytes] of MAGIC) if (begins(head, ...bytes)) return kind;
  // A tar archive names its format behind the fields of its first file.
  if (begins(head.subarray(257), ...text('ustar'))) return 'archive';
  // UTF-16, as PowerShell writes it.
  if (begins(head, 0xff, 0xfe) || begins(head, 0xfe, 0xff)) return 'text';
  if (head.includes(0)) return 'binary';
  return kindOfText(new TextDecoder().decode(head).replace(/^\uFEFF/, ''));
}

function kindOfText(start: string): FileKind {
  const trimmed = start.trimStart();
  if (trimmed === '') return 'text';
  if (/^[{[]/.test(trimmed)) {
    if (/"format"\s*:\s*"syncloop-recording"/.test(trimmed.split('\n', 1)[0] ?? '')) return 'ndjson';
    const own = /^\{\s*"syncloop"\s*:\s*"(moment|notes)"/.exec(trimmed)?.[1];
    if (own) return own as 'moment' | 'notes';
    if (/"resourceSpans"\s*:/.test(trimmed)) return 'otlp';
    if (/"traceEvents"\s*:/.test(trimmed) || /^\[\s*\{[^}]*"ph"\s*:/.test(trimmed)) return 'chrome';
    return /"kind"\s*:\s*"[A-Z]\w+"/.test(trimmed) && /"apiVersion"/.test(trimmed) ? 'manifest' : 'json';
  }
  if (/^apiVersion\s*:\s*["']?syncloop\.dev\//m.test(trimmed)) return 'scenario';
  if (/^apiVersion\s*:/m.test(trimmed) && /^kind\s*:/m.test(trimmed)) return 'manifest';
  if (/^[IWEF]\d{4} \d\d:\d\d:\d\d/.test(trimmed)) return 'log';
  if (/^<(\?xml|svg)/.test(trimmed) && trimmed.includes('<svg')) return 'picture';
  return 'text';
}

/** Kinds of files that the page opens. */
export type OpenKind = 'recording' | 'ndjson' | 'chrome' | 'moment' | 'notes';
/** Kinds of which the page shows one at a time. */
export const opensAlone = (kind: FileKind): boolean => isRecording(kind) || kind === 'moment' || kind === 'notes';
/** Returns true if a file of that kind can be read as a recording. */
export const isRecording = (kind: FileKind): boolean => kind === 'recording' || kind === 'ndjson' || kind === 'chrome';
