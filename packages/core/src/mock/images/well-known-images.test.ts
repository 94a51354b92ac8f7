import { describe, expect, it } from 'vitest';
import { background } from '../../kernel/index.js';
import { Bench } from '../testing/runtime.js';

describe('an image that everybody knows', () => {
  it.each([
    ['nginx', 'CONTAINER_RUNNING', /start worker processes/],
    ['httpd', 'CONTAINER_RUNNING', /resuming normal operations/],
    ['redis', 'CONTAINER_RUNNING', /./],
    ['registry.k8s.io/pause:3.10', 'CONTAINER_RUNNING', /^/],
    ['registry.k8s.io/e2e-test-images/agnhost:2.53', 'CONTAINER_RUNNING', /Paused/],
    ['hello-world', 'CONTAINER_EXITED', /Hello from Docker/],
  ])('%s runs what is in it without being told', (image, state, says) => {
    const b = new Bench();
    b.do(() => b.s.pullImage(background, { image: { image } }), 120);
    const { id } = b.do(() => b.pod('a', [], { image: { image } }), 30);
    b.seconds(3);
    expect(b.status(id)).toMatchObject({ state });
    expect(b.mock.logs('a-node1', 'app')).toMatch(says);
  });

  it('nginx runs what it is told by way of its entrypoint', () => {
    const b = new Bench();
    b.do(() => b.s.pullImage(background, { image: { image: 'nginx' } }), 120);
    const { id } = b.do(() => b.pod('a', [], { image: { image: 'nginx' }, args: ['sh', '-c', 'exit 3'] }), 30);
    b.seconds(1);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 3 });
  });
});
