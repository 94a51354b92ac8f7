import { describe, expect, it } from 'vitest';
import { background } from '../../kernel/index.js';
import { Bench } from '../testing/runtime.js';

const ref = 'registry.example/shop/web:3';

function started(b: Bench, does: Parameters<typeof b.mock.setImage>[1], container = 'app', args: string[] = []) {
  b.mock.setImage(ref, does, false);
  b.do(() => b.s.pullImage(background, { image: { image: ref } }), 60);
  const { id } = b.do(() => b.pod('a', [], { metadata: { name: container }, image: { image: ref }, args }), 30);
  return id;
}

describe('an image that only does as it was told', () => {
  it('runs, whatever its command is, and says so in its log', () => {
    const b = new Bench();
    const id = started(b, { does: { kind: 'runs' } }, 'app', ['/no/such/program']);
    b.seconds(60);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_RUNNING' });
    expect(b.mock.logs('a', 'app')).toMatch(/simulated registry\.example\/shop\/web:3: runs/);
  });
  it('ends with its code after its time, and does something else in a container of another name', () => {
    const b = new Bench();
    const does = { kind: 'exits', code: 7, after: 5_000_000 } as const;
    const id = started(b, { does: { kind: 'runs' }, doesIn: { migrate: does } }, 'migrate');
    b.seconds(4);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_RUNNING' });
    b.seconds(2);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 7, reason: 'Error' });
  });
  it('serves HTTP, HTTPS, TCP and gRPC on its ports and on no other', () => {
    const b = new Bench();
    started(b, { does: { kind: 'serves', ports: [8080] } });
    b.seconds(1);
    const host = b.mock.sandboxes()[0]?.ip ?? '';
    const rest = { host, path: '/ready', headers: [], timeout: 1_000_000 };
    const get = (scheme: 'http' | 'https', port: number) =>
      b.do(() => b.mock.probeTransport.httpGet(background, { ...rest, scheme, port }), 5);
    expect(get('http', 8080)).toMatchObject({ status: 200 });
    expect(get('https', 8080)).toMatchObject({ status: 200 });
    expect(b.do(() => b.mock.probeTransport.grpcCheck(background, host, 8080, '', 1_000_000), 5)).toBe('SERVING');
    expect(() => get('http', 9090)).toThrow(/connection refused/);
  });
  it('is missing where it was said so, and comes when that changes', () => {
    const b = new Bench();
    b.mock.setImage(ref, null, false);
    const pull = () => b.do(() => b.s.pullImage(background, { image: { image: ref } }), 60);
    expect(pull).toThrow(/not found/);
    b.mock.setImage(ref, { does: { kind: 'runs' } }, false);
    expect(pull).not.toThrow();
  });
  it('does something else from the next start on', () => {
    const b = new Bench();
    const first = started(b, { does: { kind: 'runs' } });
    b.mock.setImage(ref, { does: { kind: 'exits', code: 1, after: 0 } }, false);
    const { id: second } = b.do(() => b.pod('b', [], { image: { image: ref } }), 30);
    b.seconds(1);
    expect(b.status(first)).toMatchObject({ state: 'CONTAINER_RUNNING' });
    expect(b.status(second)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 1 });
  });
  it('keeps the programs of a well-known image', () => {
    const b = new Bench();
    b.mock.setImage(
      'nginx',
      { does: { kind: 'command' }, doesIn: { wait: { kind: 'exits', code: 0, after: 0 } } },
      false,
    );
    b.do(() => b.s.pullImage(background, { image: { image: 'nginx' } }), 60);
    const { id } = b.do(() => b.pod('a', [], { image: { image: 'nginx' } }), 30);
    b.seconds(2);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_RUNNING' });
    expect(b.mock.logs('a', 'app')).toMatch(/start worker processes/);
  });
});
