import type { ExportTraceServiceRequest } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { decodeResponse, encodeRequest } from './protobuf.js';
import { decodeRequest, encodeResponse } from './testing/official.js';

describe('OTLP in protobuf', () => {
  it('keeps ids, empty texts and large numbers; a lone surrogate becomes the replacement character', () => {
    const request = (text: string): ExportTraceServiceRequest => ({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'empty', value: { stringValue: '' } }] },
          scopeSpans: [
            {
              scope: { name: 's' },
              spans: [
                {
                  traceId: '00ff'.repeat(8),
                  spanId: '0123456789abcdef',
                  parentSpanId: 'fedcba9876543210',
                  name: text,
                  kind: 3,
                  startTimeUnixNano: '1700000000000000001',
                  endTimeUnixNano: '1700000000000000002',
                  attributes: [{ key: 'n', value: { intValue: '-9007199254740993' } }],
                  status: {},
                  flags: 257,
                },
              ],
            },
          ],
        },
      ],
    });
    expect(decodeRequest(encodeRequest(request('\ud800x')))).toEqual(request('\ufffdx'));
  });

  it('reads what a collector rejected, and nothing from bytes that are no answer', () => {
    expect(decodeResponse(encodeResponse(3, 'too old'))).toEqual({ rejected: 3, message: 'too old' });
    expect(decodeResponse(encodeResponse(-3, ''))).toEqual({ rejected: 0, message: '' });
    for (const bytes of [[], [0x0a], [0x0a, 0xff, 0xff], [0xff, 0xff, 0xff], [0x0b]])
      expect(decodeResponse(Uint8Array.from(bytes))).toEqual({ rejected: 0, message: '' });
  });
});
