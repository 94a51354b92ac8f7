import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiType, Fields } from '../../api/objects/field.js';
import { apiObjects } from '../../api/objects/index.js';
import { resources } from '../resources/index.js';
import { StatusError } from '../status.js';
import { podPath, setup } from '../testing/setup.js';
import { maxFields, openEnvelope, readProtobuf } from './protobuf.js';

const bytesOf = (text: string) => [...new TextEncoder().encode(text)];
const varint = (n: number): number[] => (n < 128 ? [n] : [(n % 128) | 128, ...varint(Math.floor(n / 128))]);
const message = (field: number, body: readonly number[]) => [...varint(field * 8 + 2), ...varint(body.length), ...body];
const text = (field: number, value: string) => message(field, bytesOf(value));
const number = (field: number, n: number) => [...varint(field * 8), ...varint(n)];
const envelope = (apiVersion: string, kind: string, raw: readonly number[]) =>
  new Uint8Array([0x6b, 0x38, 0x73, 0, ...message(1, [...text(1, apiVersion), ...text(2, kind)]), ...message(2, raw)]);
const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };

describe('bodies in protobuf', () => {
  it('are objects like any other', () => {
    const { call } = setup();
    const meta = message(1, [...text(1, 'c'), ...message(11, [...text(1, 'app'), ...text(2, 'wéb')])]);
    const data = message(2, [...text(1, 'k'), ...text(2, 'v')]);
    const binary = message(3, [...text(1, 'b'), ...message(2, [1, 2, 255])]);
    const { code, body } = call('POST', '/api/v1/namespaces/default/configmaps', {
      headers,
      bytes: envelope('v1', 'ConfigMap', [...meta, ...data, ...binary]),
    });
    expect(code).toBe(422);
    expect(body.message).toContain('metadata.labels: Invalid value: "wéb"');
    const plain = envelope('v1', 'ConfigMap', [...message(1, text(1, 'c')), ...data, ...binary]);
    expect(call('POST', '/api/v1/namespaces/default/configmaps', { headers, bytes: plain }).body).toMatchObject({
      data: { k: 'v' },
      binaryData: { b: 'AQL/' },
    });
  });
  it('end a number after ten bytes, and have a bounded number of fields that nobody knows, too', () => {
    const { call } = setup();
    const post = (path: string, kind: string, raw: Uint8Array) => {
      const head = message(1, [...text(1, 'v1'), ...text(2, kind)]);
      const bytes = new Uint8Array([0x6b, 0x38, 0x73, 0, ...head, 18, ...varint(raw.length), ...raw]);
      return call('POST', path, { headers, bytes }).body;
    };
    // Each byte more would make the number longer: a megabyte of them would take hours.
    const groups = message(2, message(14, message(4, [...Array<number>(70).fill(0x80), 1])));
    expect(post(podPath, 'Pod', new Uint8Array(groups))).toMatchObject({
      code: 400,
      message: expect.stringContaining('a number does not end'),
    });
    const unknown = new Uint8Array(2 * maxFields + 2).fill(0x78);
    expect(post('/api/v1/namespaces/default/configmaps', 'ConfigMap', unknown).code).toBe(413);
  });
  it('of two bytes for each item are bounded by their items, and long packed lists need no stack', () => {
    const { call } = setup();
    const join = (...parts: ArrayLike<number>[]) => {
      const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
      let at = 0;
      for (const p of parts) {
        out.set(p, at);
        at += p.length;
      }
      return out;
    };
    const wrapped = (field: number, body: Uint8Array) => join(varint(field * 8 + 2), varint(body.length), body);
    const post = (spec: Uint8Array) => {
      const pod = join(message(1, text(1, 'p')), wrapped(2, spec));
      const type = message(1, [...text(1, 'v1'), ...text(2, 'Pod')]);
      return call('POST', podPath, { headers, bytes: join([0x6b, 0x38, 0x73, 0], type, wrapped(2, pod)) });
    };
    const containers = new Uint8Array(400_000).map((_, i) => (i % 2 ? 0 : 0x12));
    expect(post(containers).body).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
    const groups = wrapped(14, wrapped(4, new Uint8Array(300_000).fill(1)));
    expect(post(groups).code).toBe(413);
  });
  it('have parts of messages that JSON has in their parents, numbers, amounts, times and ports by name', () => {
    const volume = message(1, [
      ...text(1, 'tmp'),
      ...message(2, message(2, [...text(1, 'Memory'), ...message(2, text(1, '1Mi'))])),
    ]);
    const port = [...number(1, 1), ...text(3, 'http')];
    const probe = [...message(1, message(2, [...text(1, '/'), ...message(2, port)])), ...number(4, 7)];
    const container = message(2, [...text(1, 'app'), ...text(2, 'x:1'), ...message(10, probe)]);
    const spec = message(2, [...volume, ...container, ...number(4, 9), ...text(10, 'n1')]);
    const pod = resources.find((r) => r.kind === 'Pod');
    const started = message(3, [...message(7, [...number(1, 1_767_225_600), ...number(2, 0)])]);
    expect(
      readProtobuf(pod?.type as never, new Uint8Array([...message(1, text(1, 'web')), ...spec, ...started])),
    ).toEqual({
      metadata: { name: 'web' },
      spec: {
        volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
        containers: [
          { name: 'app', image: 'x:1', livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 7 } },
        ],
        terminationGracePeriodSeconds: 9,
        nodeName: 'n1',
      },
      status: { startTime: '2026-01-01T00:00:00Z' },
    });
  });
  it('may carry the options of a deletion', () => {
    const { call } = setup();
    call('POST', podPath, {
      json: { metadata: { name: 'web' }, spec: { nodeName: 'n', containers: [{ name: 'a', image: 'b' }] } },
    });
    const options = envelope('v1', 'DeleteOptions', [...number(1, 0), ...message(2, text(1, 'other'))]);
    expect(call('DELETE', `${podPath}/web`, { headers, bytes: options }).body.message).toContain(
      'the UID in the precondition (other)',
    );
    expect(
      call('DELETE', `${podPath}/web`, { headers, bytes: envelope('v1', 'DeleteOptions', number(1, 0)) }).code,
    ).toBe(200);
    expect(call('GET', `${podPath}/web`).code).toBe(404);
  });
  it('that are broken are refused, however they are', () => {
    const { call } = setup();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        for (const bytes of [
          noise,
          envelope('v1', 'Pod', [...noise]),
          new Uint8Array([0x6b, 0x38, 0x73, 0, ...noise]),
        ]) {
          const { code } = call('POST', podPath, { headers, bytes });
          expect([400, 422]).toContain(code);
          try {
            openEnvelope(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(StatusError);
          }
        }
      }),
    );
  });
  it('have a number for every field of every type, but for those that JSON alone has', () => {
    const missing: string[] = [];
    const seen = new Set<Fields>();
    const walk = (type: ApiType): void => {
      if (type.t === 'list' || type.t === 'map') walk(type.of);
      if (type.t !== 'struct' || seen.has(type.fields)) return;
      seen.add(type.fields);
      for (const [k, f] of Object.entries(type.fields)) {
        if (!f.number) missing.push(`${type.name}.${k}`);
        walk(f);
      }
    };
    for (const type of Object.values(apiObjects).flat()) walk(type);
    expect(seen.size).toBeGreaterThan(150);
    expect(missing.filter((m) => !/\.(kind|apiVersion)$/.test(m))).toEqual([]);
  });
});
