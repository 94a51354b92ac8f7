import { describe, expect, it } from 'vitest';
import { exponentialBuckets, goFloat, Registry } from './registry.js';

describe('the text that Prometheus reads', () => {
  it.each([
    [0, '0'],
    [0.25, '0.25'],
    [123456, '123456'],
    [1_000_000, '1e+06'],
    [1763745258.5, '1.7637452585e+09'],
    [0.00005, '5e-05'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [-2, '-2'],
    [1e21, '1e+21'],
  ])('%d is %s, as Go writes it', (n, text) => {
    expect(goFloat(n)).toBe(text);
  });

  it('has cumulative buckets, with le as the last label', () => {
    const registry = new Registry();
    const h = registry.histogram({ name: 'h', help: 'a\\b\nc', labels: ['z', 'a'] }, [1, 2]);
    for (const v of [0.5, 1, 1.5, 9]) h.observe(v, { z: '1', a: '2' });
    expect(registry.text()).toBe(
      '# HELP h [ALPHA] a\\\\b\\nc\n# TYPE h histogram\nh_bucket{a="2",z="1",le="1"} 2\nh_bucket{a="2",z="1",le="2"} 3\n' +
        'h_bucket{a="2",z="1",le="+Inf"} 4\nh_sum{a="2",z="1"} 12\nh_count{a="2",z="1"} 4\n',
    );
  });

  it('shows plain metrics from the start, and those with labels once there is a value', () => {
    const registry = new Registry();
    registry.counter({ name: 'b_total', help: 'plain' });
    const labelled = registry.gauge({ name: 'a', help: 'labelled', stability: 'STABLE', labels: ['l'] });
    expect(registry.text()).toBe('# HELP b_total [ALPHA] plain\n# TYPE b_total counter\nb_total 0\n');
    labelled.set(1, { l: 'q"\\\n' });
    labelled.set(2, { l: 'a' }, 1_500.9);
    expect(registry.text().split('\n').slice(0, 4)).toEqual([
      '# HELP a [STABLE] labelled',
      '# TYPE a gauge',
      'a{l="a"} 2 1500',
      'a{l="q\\"\\\\\\n"} 1',
    ]);
    labelled.delete({ l: 'a' });
    expect(registry.text()).not.toContain('l="a"');
  });

  it('refuses labels that a metric does not have, and a name that is taken', () => {
    const registry = new Registry();
    const c = registry.counter({ name: 'c', help: '', labels: ['a'] });
    expect(() => c.add(1, { b: '' })).toThrow('metric c has the labels a, not b');
    expect(() => c.add(1)).toThrow('metric c has the labels a');
    expect(() => registry.counter({ name: 'c', help: '' })).toThrow('c is registered already');
  });

  it('makes exponential buckets as upstream does, by multiplying', () => {
    expect(exponentialBuckets(0.005, 2.5, 14).at(-1)).toBe(745.0580596923828);
    expect(exponentialBuckets(1, 2, 5)).toEqual([1, 2, 4, 8, 16]);
  });
});
