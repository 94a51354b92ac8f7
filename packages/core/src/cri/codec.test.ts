import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rpcCodecs } from './codec.js';
import { ImageService, RuntimeService } from './gen/runtime_pb.js';
import { rpcMethods, rpcs } from './rpcs.js';

const services = [RuntimeService, ImageService];

/** Any message of a type, in the JSON shape: no zero values, since those are left out. */
function anyMessage(desc: DescMessage, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  // Deep messages (a stats answer holds some 300 fields) stay small: fields turn rare with depth.
  const fields = desc.fields
    .filter((f) => depth < 4 || f.message === undefined)
    .map((f) => [f.jsonName, anyField(f, depth)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

function anyField(f: DescField, depth: number): fc.Arbitrary<unknown> {
  switch (f.fieldKind) {
    case 'scalar':
      return anyScalar(f.scalar).filter((v) => !isZero(v));
    case 'enum':
      return fc.constantFrom(...f.enum.values.filter((v) => v.number !== 0).map((v) => v.name));
    case 'message':
      return anyMessage(f.message, depth + 1);
    case 'list': {
      const item =
        f.listKind === 'message'
          ? anyMessage(f.message, depth + 1)
          : f.listKind === 'scalar'
            ? anyScalar(f.scalar)
            : fc.constantFrom(...f.enum.values.map((v) => v.name));
      return fc.array(item, { minLength: 1, maxLength: 2 });
    }
    case 'map':
      return fc.dictionary(anyString, anyString, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  }
}

// An object's __proto__ cannot be a key of a map. No label, annotation or sysctl may be named so.
const anyString = fc.string({ unit: 'binary', maxLength: 8 }).filter((s) => s !== '__proto__');

function anyScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return anyString;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
      return fc.integer();
    case ScalarType.UINT32:
      return fc.integer({ min: 0, max: 0xffff_ffff });
    case ScalarType.INT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 8 }).map((b) => Buffer.from(b).toString('base64'));
    default:
      throw new Error(`runtime.proto has no field of type ${ScalarType[type]} so far: add it here`);
  }
}

const isZero = (v: unknown) => v === '' || v === '0' || v === 0 || v === false;

describe('rpcs', () => {
  it('has every RPC of runtime.proto, with its types', () => {
    const table = rpcMethods.map((method) => ({ method, ...rpcs[method], deadline: undefined }));
    const proto = services.flatMap((service) =>
      service.methods.map((m) => ({
        method: m.localName,
        service: service.name,
        name: m.name,
        request: m.input.name,
        response: m.output.name,
        streaming: m.methodKind === 'server_streaming',
      })),
    );
    expect(proto).toHaveLength(43);
    expect(table).toEqual(proto);
  });
});

describe('rpcCodecs', () => {
  for (const method of rpcMethods) {
    const rpc = services.flatMap((s) => s.methods).find((m) => m.localName === method);
    it(`${method}: message to bytes and back is the same message`, () => {
      for (const [codec, desc] of [
        [rpcCodecs[method].request, rpc?.input],
        [rpcCodecs[method].response, rpc?.output],
      ] as const) {
        if (!desc) throw new Error(`${method} is not in runtime.proto`);
        fc.assert(
          fc.property(anyMessage(desc), (message) => {
            expect(codec.decode(codec.encode(message))).toEqual(message);
          }),
          { numRuns: 25, seed: 1 },
        );
      }
    });
  }

  it('paths are gRPC paths', () => {
    expect(rpcCodecs.getContainerEvents.path).toBe('/runtime.v1.RuntimeService/GetContainerEvents');
    expect(rpcCodecs.imageFsInfo.path).toBe('/runtime.v1.ImageService/ImageFsInfo');
  });

  it('is wire compatible: field numbers and types as in the CRI', () => {
    // container_id = 1 (string), timeout = 2 (varint)
    const bytes = rpcCodecs.stopContainer.request.encode({ containerId: 'abc', timeout: '30' });
    expect(Buffer.from(bytes).toString('hex')).toBe('0a03616263101e');
  });

  it('leaves zero and undefined values out, and accepts both', () => {
    const { request } = rpcCodecs.podSandboxStatus;
    expect(request.encode({ podSandboxId: undefined, verbose: false })).toHaveLength(0);
    const { response } = rpcCodecs.listContainers;
    const listed = { containers: [{ id: 'c', state: 'CONTAINER_CREATED' as const, createdAt: '0', labels: {} }] };
    expect(response.decode(response.encode(listed))).toEqual({ containers: [{ id: 'c' }] });
  });

  it('keeps an empty message apart from none', () => {
    const { request } = rpcCodecs.listPodSandbox;
    const ready = { filter: { state: {} } };
    expect(request.decode(request.encode(ready))).toEqual(ready);
  });

  it('ignores fields that it does not know', () => {
    const { request } = rpcCodecs.version;
    expect(request.encode({ version: '', ...{ isNew: true } })).toHaveLength(0);
  });

  it('names the field whose value does not fit', () => {
    const { request } = rpcCodecs.stopContainer;
    expect(() => request.encode({ containerId: 'abc', timeout: 'soon' })).toThrow(/StopContainerRequest.timeout/);
  });

  it('refuses bytes that are no message', () => {
    expect(() => rpcCodecs.version.request.decode(new Uint8Array([0x0a, 0x05, 0x61]))).toThrow();
  });
});
