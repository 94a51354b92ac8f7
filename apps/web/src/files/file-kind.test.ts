import { chromeTrace, otlpLines } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { type FileKind, isRecording, kindOfFile } from './file-kind.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const header = {
  format: 'syncloop-recording',
  version: 2,
  core: '',
  title: 'x',
  scenario: 'hello',
  seed: 1,
  runtime: '',
  node: '',
  epochMillis: 0,
  virtual: true,
  createdBy: '',
} as const;

describe('the kind of a file', () => {
  const texts: readonly (readonly [FileKind, string])[] = [
    ['empty', ''],
    ['ndjson', '{"format":"syncloop-recording","version":1}\n{"seq":1}'],
    ['ndjson', '\uFEFF{"title":"a","format": "syncloop-recording"}'],
    ['chrome', [...chromeTrace(header, [])].join('')],
    ['chrome', '[{"name":"a","ph":"X"}]'],
    ['otlp', '{"resourceSpans":[]}'],
    ['moment', '{"syncloop":"moment","version":2}'],
    ['notes', '{ "syncloop": "notes" }'],
    ['manifest', '# mine\napiVersion: v1\nkind: Pod\n'],
    ['manifest', '{"apiVersion":"v1","kind":"Pod"}'],
    ['scenario', '# mine\napiVersion: syncloop.dev/v1\nkind: Scenario\n'],
    ['log', 'I1121 10:00:00.000000       1 kubelet.go:1] "Starting"'],
    ['picture', '<?xml version="1.0"?><svg></svg>'],
    ['json', '{"format":"other"}\n"syncloop-recording"'],
    ['json', '[1,2]'],
    ['text', 'hello'],
    ['text', ' \n '],
    ['binary', 'a\0b'],
    ['binary', '%PDF-1.7'],
    ['archive', 'PK\x03\x04'],
  ];
  for (const [kind, text] of texts)
    it(`${JSON.stringify(text.slice(0, 50))} is ${kind}`, () => expect(kindOfFile(bytes(text))).toBe(kind));

  it('an OTLP export of ours is told from a Chrome trace', () => {
    const records = [{ seq: 1, time: 0, g: 1, span: 0, cause: 0, kind: 'log', level: 'info', text: 'x' }] as never;
    const [line] = [...otlpLines(header, records)];
    if (line !== undefined) expect(kindOfFile(bytes(line))).toBe('otlp');
  });

  it('a recording is one by its first byte, whole or changed by a transfer', () => {
    for (const head of [[0x8b, 0x53, 0x4c, 0x52], [0x8b], [0x53, 0x4c, 0x52, 0x0a]])
      expect(kindOfFile(new Uint8Array(head))).toBe('recording');
    expect(kindOfFile(new Uint8Array([0x1f, 0x8b, 8]))).toBe('gzip');
    expect(kindOfFile(new Uint8Array([0x89, 0x50, 0x4e, 0x47]))).toBe('picture');
    expect(kindOfFile(new Uint8Array([0x1a, 0x45, 0xdf, 0xa3]))).toBe('picture');
  });

  it('only recordings and traces are opened as such', () => {
    expect((['recording', 'ndjson', 'chrome'] as const).every(isRecording)).toBe(true);
    expect((['otlp', 'moment', 'manifest', 'text', 'empty'] as const).some(isRecording)).toBe(false);
  });
});
