import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { Assumption } from '../assumptions.js';
import { inventedIn } from './invented.js';

const assumption = (container: string, does: Assumption['does']): Assumption => ({
  question: {
    ref: 'acme/a',
    full: 'docker.io/acme/a:latest',
    containers: [`p/${container}`],
    does,
    because: 'default',
    near: '',
    settled: does !== null,
    assumed: true,
  },
  does,
  pod: 'p',
  container,
  ports: [],
});
const by = { 'u/app': assumption('app', { kind: 'runs' }), 'u/gone': assumption('gone', null) };
const at = (record: object) => inventedIn({ seq: 1, time: 0, g: 1, span: 0, cause: 0, ...record } as TraceRecord, by);
const event = (container: string, reason: string, message: string, uid = 'u') =>
  at({ kind: 'kube-event', object: { uid, fieldPath: `spec.containers{${container}}` }, reason, message });

describe('what was invented of a record', () => {
  it('is the absence of an image that nobody knows', () => {
    const pull = { kind: 'cri-return', method: 'PullImage', uid: 'u', container: 'gone' };
    expect(at({ ...pull, error: { code: 5, details: 'not found' } })).toEqual({ id: 'u/gone', what: 'missing' });
    expect(at(pull)).toBeNull();
    expect(event('gone', 'Failed', 'Failed to pull image "acme/a"')).toEqual({ id: 'u/gone', what: 'missing' });
    expect(event('app', 'Failed', 'Failed to pull image "acme/a"')).toBeNull();
  });
  it('is the size of its image, how its program ends, and how it answers', () => {
    expect(event('app', 'Pulled', 'Successfully pulled. Image size: 5000000 bytes.')).toEqual({
      id: 'u/app',
      what: 'size',
    });
    expect(at({ kind: 'actual-container', uid: 'u', name: 'app', state: 'exited' })).toEqual({
      id: 'u/app',
      what: 'end',
    });
    expect(at({ kind: 'actual-container', uid: 'u', name: 'app', state: 'running' })).toBeNull();
    expect(at({ kind: 'probe-result', uid: 'u', container: 'app' })).toEqual({ id: 'u/app', what: 'answer' });
  });
  it('is nothing of other pods and containers', () => {
    expect(at({ kind: 'probe-result', uid: 'v', container: 'app' })).toBeNull();
    expect(at({ kind: 'probe-result', uid: 'u', container: 'other' })).toBeNull();
    expect(event('app', 'Pulled', 'Image size: 1 bytes.', 'v')).toBeNull();
    expect(at({ kind: 'select' })).toBeNull();
  });
});
