import { base64Encode, utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import type { Evidence, SpanEvidence } from '../evidence/index.js';
import { captured } from '../testing/capture.js';
import { binaryOfJson, partialSuccessOf, responseBinary, responseJson, SpansEvidenceReader } from './index.js';

const read = (bytes: Uint8Array, piece = 1e9): Evidence[] => {
  const reader = new SpansEvidenceReader('spans');
  const evidence: Evidence[] = [];
  for (let at = 0; at < bytes.length; at += piece) evidence.push(...reader.push(bytes.slice(at, at + piece)));
  return [...evidence, ...reader.end()];
};

const request = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'kubelet' } }] },
      scopeSpans: [
        {
          scope: { name: 'k8s.io/kubernetes/pkg/kubelet' },
          spans: [
            {
              traceId: '0102030405060708090a0b0c0d0e0f10',
              spanId: '1112131415161718',
              name: 'syncPod',
              kind: 1,
              startTimeUnixNano: '1700000000123456789',
              endTimeUnixNano: '1700000001123456789',
              attributes: [
                { key: 'k8s.pod', value: { stringValue: 'default/web' } },
                { key: 'n', value: { intValue: '5' } },
                { key: 'big', value: { intValue: '9007199254740993' } },
                { key: 'list', value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } } },
              ],
              events: [
                {
                  timeUnixNano: '1700000001000000000',
                  name: 'exception',
                  attributes: [{ key: 'exception.message', value: { stringValue: 'back-off' } }],
                },
              ],
              status: { code: 2 },
              somethingNew: { a: 1 },
            },
          ],
        },
      ],
    },
  ],
};
const span: Omit<SpanEvidence, 'place'> = {
  kind: 'span',
  source: 'spans',
  at: 1_700_000_000_123_456,
  end: 1_700_000_001_123_456,
  name: 'syncPod',
  spanKind: 'internal',
  service: 'kubelet',
  scope: 'k8s.io/kubernetes/pkg/kubelet',
  traceId: '0102030405060708090a0b0c0d0e0f10',
  spanId: '1112131415161718',
  parentSpanId: '',
  attributes: { 'k8s.pod': 'default/web', n: 5, big: '9007199254740993', list: [true, 0.5] },
  error: 'back-off',
};

describe('spans', () => {
  it('are read from binary protobuf and from JSON alike, one request a line', () => {
    const json = JSON.stringify(request);
    const b64 = base64Encode(binaryOfJson(request));
    const evidence = read(utf8Bytes(`${json}\n\n${b64}\n{"at":1,"b64":"${b64}"}`));
    expect(evidence).toEqual([
      { ...span, place: { line: 1, offset: 0 } },
      { ...span, place: { line: 3, offset: json.length + 2 } },
      { ...span, place: { line: 4, offset: json.length + b64.length + 3 } },
    ]);
  });

  it('of a capture are the same in pieces of any size', () => {
    const bytes = captured('otlp.ndjson');
    const whole = read(bytes);
    expect(whole).toHaveLength(237);
    expect(whole.every(({ kind }) => kind === 'span')).toBe(true);
    expect(read(bytes, 1000)).toEqual(whole);
  });

  it('that cannot be read are gaps that say what and where', () => {
    const gaps = read(utf8Bytes('hello\n{}\n{"b64":"?"}\nAAAA\n{"resourceSpans":[{"scopeSpans":3}]}\n[]\n'));
    expect(gaps.map((gap) => (gap.kind === 'gap' ? gap.why : gap.kind))).toEqual([
      expect.stringMatching(/^Line 1 has no spans that can be read: .+\.$/),
      'Line 2 has no spans that can be read: the object has no field resourceSpans and no field b64.',
      'Line 3 has no spans that can be read: the field b64 is not base64.',
      expect.stringMatching(/^Line 4 /),
      expect.stringMatching(/^Line 5 /),
      'Line 6 has no spans that can be read: the object has no field resourceSpans and no field b64.',
    ]);
  });

  it('are answered as OTLP has it', () => {
    expect(responseBinary({ rejected: 0, message: '' })).toHaveLength(0);
    expect(responseJson({ rejected: 0, message: '' })).toBe('{}');
    expect(partialSuccessOf(responseBinary({ rejected: 3, message: 'full' }))).toEqual({
      rejected: 3,
      message: 'full',
    });
    expect(JSON.parse(responseJson({ rejected: 3, message: 'full' }))).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: 'full' },
    });
  });
});
