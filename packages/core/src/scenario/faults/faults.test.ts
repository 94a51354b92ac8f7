import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { ScenarioError } from '../document/errors.js';
import { parseAction } from '../document/parse-action.js';
import { running, sleeper, start } from '../testing/run-steps.js';

const seconds = (micros: number) => Math.round(micros / Second);
const exec = (type: string, period = 1) =>
  `, ${type}: {exec: {command: ["true"]}, periodSeconds: ${period}, failureThreshold: 2}`;

const node = 'apiServer: true, fileCheckFrequency: 1s';
const api = (pod: string) => `{to: api, manifest: ${pod}}`;

describe('faults of the registry', () => {
  it.each([
    ['not-found', /not found$/],
    ['unauthorized', /authorization failed$/],
    ['refused', /connection refused$/],
    ['too-many-requests', /429 Too Many Requests$/],
    ['no-such-host', /no such host$/],
    ['timeout', /i\/o timeout$/],
  ])('%s, once', (answer, text) => {
    const t = start(
      `  - fault: {pull: ${answer}, image: "busybox:1.36", times: 1}
  - apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: "busybox:1.36", command: [sleep, "600"]}]}}
  - waitFor: {pod: a, phase: Running, timeout: 120s}
`,
    );
    expect(t.problems()).toEqual([]);
    expect(t.of('fault').map((f) => f.effect)).toEqual([`the registry answers: ${answer}`]);
    const failed = t.events('Failed').find((e) => e.message.startsWith('Failed to pull image'));
    expect(failed?.message).toMatch(text);
    expect(t.events('Pulling')).toHaveLength(2);
  });

  it('hangs until it is cleared, and leaves other images alone', () => {
    const pod = (name: string, image: string) =>
      `  - apply: {apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: app, image: "${image}", command: [sleep, "600"]}]}}\n`;
    const t = start(
      `  - fault: {pull: hang, name: stuck, image: "busybox:1.36"}\n${pod('b', 'alpine:3')}${running('b')}${pod('a', 'busybox:1.36')}  - wait: 60s
  - assert: {pod: a, container: app, waiting: ContainerCreating}
  - clearFaults: stuck
  - wait: 1s
`,
    );
    expect(t.problems()).toEqual([]);
    expect(t.of('fault')).toHaveLength(1);
    expect(t.run.activeFaults()).toEqual([]);
  });
});

describe('faults of containers', () => {
  it('kills again and again, with times that vary by the seed only', () => {
    const steps = `${sleeper('a') + running('a')}  - fault: {kill: {pod: a, container: app}, every: 20s, times: 3, jitter: 0.2}\n  - wait: 120s\n`;
    const kills = (seed: number) => {
      const t = start(steps, { seed });
      expect(t.problems()).toEqual([]);
      return t.of('fault').map((f) => [f.time, f.effect]);
    };
    const one = kills(1);
    expect(one.map(([, effect]) => effect)).toEqual(['kill a/app', 'kill a/app', 'kill a/app']);
    expect(kills(1)).toEqual(one);
    expect(kills(2)).not.toEqual(one);
    const gaps = one.slice(1).map(([time], i) => seconds((time as number) - (one[i]?.[0] as number)));
    for (const gap of gaps) expect(gap >= 16 && gap <= 24).toBe(true);
  });

  it('kills for want of memory, and sandboxes', () => {
    const t = start(
      `${sleeper('a') + running('a')}  - fault: {oom: {pod: a, container: app}, after: 5s}
  - waitFor: {pod: a, container: app, terminated: OOMKilled, restarts: 1, timeout: 30s}
${running('a')}  - fault: {killSandbox: a}
  - waitFor: {event: {pod: a, reason: SandboxChanged}, timeout: 30s}
${running('a')}`,
    );
    expect(t.problems()).toEqual([]);
    const [input] = t.of('input').filter((i) => i.verb === 'fault');
    const [oom] = t.of('fault');
    expect(oom?.effect).toBe('OOM kill a/app');
    expect(seconds((oom?.time ?? 0) - (input?.time ?? 0))).toBe(5);
  });

  it('says what there is where there is nothing to strike, and goes on where it may come', () => {
    expect(start('  - fault: {kill: {pod: a, container: app}}\n').problems()).toEqual([
      'step 1 (fault kill a/app), line 7: pod "a" has no running container "app"; there are: none',
    ]);
    const t = start(`  - fault: {kill: {pod: a, container: app}, every: 4s, times: 1}\n${sleeper('a')}  - wait: 12s\n`);
    expect(t.problems()).toEqual([]);
    expect(t.of('fault').map((f) => f.effect)).toEqual([
      'kill a/app',
      expect.stringMatching(/^nothing to strike: /),
      'kill a/app',
    ]);
    expect(t.restarts('a')).toBe(1);
  });
});

describe('faults of probes', () => {
  it('fail a probe that would succeed, so often', () => {
    const t = start(
      `${sleeper('a', exec('livenessProbe')) + running('a')}  - fault: {probe: liveness, pod: a, container: app, times: 2}
  - waitFor: {pod: a, container: app, restarts: 1, timeout: 20s}
  - wait: 10s
`,
    );
    expect(t.problems()).toEqual([]);
    expect(t.restarts('a')).toBe(1);
    expect(t.events('Unhealthy').map((e) => e.message)).toEqual(['Liveness probe failed: ', 'Liveness probe failed: ']);
    expect(t.of('fault').map((f) => f.method)).toEqual(Array(2).fill('liveness probe of default/a-node1 app'));
  });

  it('flap by a pattern, whatever the program says', () => {
    const t = start(
      `  - fault: {probe: readiness, pattern: SSFF, for: 40s}
${sleeper('a', ', readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1, failureThreshold: 1}') + running('a')}  - waitFor: {pod: a, ready: true, timeout: 10s}
  - wait: 20s
  - waitFor: {pod: a, ready: true, timeout: 5s}
  - waitFor: {pod: a, ready: false, timeout: 60s}
  - wait: 60s
  - assert: {pod: a, ready: false}
`,
    );
    expect(t.problems()).toEqual([]);
    const effects = t.of('fault').filter((f) => f.method !== '');
    expect(effects.slice(0, 6).map((f) => f.effect)).toEqual([
      'succeeds',
      'succeeds',
      'fails',
      'fails',
      'succeeds',
      'succeeds',
    ]);
    expect(t.of('fault').at(-1)?.effect).toBe('over');
  });

  it('hang up to the time-out', () => {
    const t = start(
      `  - fault: {probe: any, pattern: H}
${sleeper('e', exec('livenessProbe'))}${sleeper('h', ', livenessProbe: {httpGet: {port: 80}, periodSeconds: 1, failureThreshold: 1}')}${sleeper('g', ', livenessProbe: {grpc: {port: 80}, periodSeconds: 1, failureThreshold: 1}')}  - waitFor: {pod: e, container: app, restarts: 1}
  - waitFor: {pod: h, container: app, restarts: 1}
  - waitFor: {pod: g, container: app, restarts: 1}
`,
    );
    expect(t.problems()).toEqual([]);
    const of = (pod: string) => t.events('Unhealthy').find((e) => e.object.name === `${pod}-node1`)?.message;
    expect(of('e')).toMatch(/command timed out/);
    expect(of('h')).toMatch(/Client.Timeout exceeded/);
    expect(of('g')).toMatch(/timeout: /);
  });
});

describe('faults of the node', () => {
  it('the runtime is away for a while', () => {
    const t = start(
      `${sleeper('a') + running('a')}  - fault: {runtime: stopped, for: 10s}
  - wait: 5s
${sleeper('b')}  - wait: 4s
  - assert: {records: {kind: cri-return, where: "contains(error.details, 'containerd.sock')"}}
${running('b')}`,
    );
    expect(t.problems()).toEqual([]);
    expect(t.restarts('a')).toBe(0);
    expect(t.of('fault').map((f) => f.effect)).toEqual(['the runtime is stopped', 'over']);
  });

  it('the kubelet stops, or crashes; what survives, survives', () => {
    const t = start(
      `${sleeper('a') + running('a')}  - fault: {kubelet: restart, for: 5s}
  - wait: 2s
  - assert: {pod: a, gone: true}
`,
    );
    // It says that it cannot know: a kubelet that does not run has no pods, gone or not.
    expect(t.problems()[0]).toMatch(/the kubelet does not run$/);
    const u = start(
      `${sleeper('a') + running('a')}  - fault: {kubelet: crash}
  - wait: 8s
${running('a')}  - restart: {kubelet: crash, down: 3s}
  - wait: 2s
  - wait: 8s
  - restart: runtime
${running('a')}`,
    );
    expect(u.problems()).toEqual([]);
    expect(
      u
        .of('process')
        .filter((p) => p.process === 'kubelet')
        .map((p) => p.state),
    ).toEqual(['started', 'killed', 'started', 'killed', 'started']);
    // The container knows nothing of all that.
    expect(u.of('actual-container').filter((c) => c.name === 'app' && c.state === 'running')).toHaveLength(1);
  });

  it('a slow relist', () => {
    const gap = (fault: string) => {
      const t = start(`${fault}${sleeper('a') + running('a')}  - wait: 30s\n`);
      expect(t.problems()).toEqual([]);
      const at = t
        .of('relist')
        .filter((r) => r.scope === 'global')
        .map((r) => r.time);
      return seconds((at.at(-1) ?? 0) - (at.at(-2) ?? 0));
    };
    expect(gap('')).toBe(1);
    expect(gap('  - fault: {relist: 4s}\n')).toBe(5);
  });

  it('is well again when the last of two faults is over', () => {
    const t = start(`  - fault: {network: notReady, name: one, for: 5s}
  - fault: {network: notReady, name: two, for: 30s}
  - wait: 12s
${sleeper('a')}  - wait: 8s
  - assert: {pod: a, phase: Pending}
${running('a')}`);
    expect(t.problems()).toEqual([]);
  });

  it('the network is not ready for a while', () => {
    const t = start(
      `  - fault: {network: notReady, for: 20s}\n  - wait: 8s\n${sleeper('a')}  - wait: 6s\n  - assert: {event: {pod: a, reason: NetworkNotReady}}\n${running('a')}`,
    );
    expect(t.problems()).toEqual([]);
  });

  it('[3:EV-05] memory pressure turns BestEffort pods away, and stays five minutes longer', () => {
    const burstable = ', resources: {requests: {memory: 1Mi}}';
    const t = start(
      `  - fault: {pressure: memory, for: 15s}
  - wait: 11s
${sleeper('best', '', api)}${sleeper('burst', burstable, api)}  - waitFor: {pod: best, phase: Failed, timeout: 10s}
${running('burst')}  - wait: 200s
${sleeper('static') + running('static')}${sleeper('late', '', api)}  - waitFor: {pod: late, phase: Failed, reason: Evicted, timeout: 10s}
  - wait: 120s
${sleeper('well', '', api) + running('well')}`,
      { node },
    );
    expect(t.problems()).toEqual([]);
    expect(t.run.node.podNamed('best')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    });
    expect(t.events('Evicted').map((e) => e.message)).toEqual(
      Array(2).fill('The node had condition: [MemoryPressure]. '),
    );
  });

  it('disk pressure turns all but critical pods away', () => {
    const t = start(
      `  - fault: {pressure: disk}
  - wait: 11s
${sleeper('burst', ', resources: {requests: {memory: 1Mi}}', api)}${sleeper('critical', '', api).replace('spec: {', 'spec: {priority: 2000001000, priorityClassName: system-node-critical, ')}${running('critical')}  - assert: {pod: burst, phase: Failed, reason: Evicted}
`,
      { node },
    );
    expect(t.problems()).toEqual([]);
  });

  it('the wall clock jumps; timers do not', () => {
    const t = start(
      `${sleeper('a') + running('a')}  - fault: {clock: 1h}
  - wait: 2s
${sleeper('b') + running('b')}  - fault: {clock: -2h}
  - wait: 2s
${sleeper('c') + running('c')}`,
    );
    expect(t.problems()).toEqual([]);
    const started = (pod: string) => Date.parse(t.run.node.podNamed(pod)?.status.startTime ?? '') / 1000;
    expect(started('b') - started('a')).toBeGreaterThan(3600);
    expect(started('b') - started('a')).toBeLessThan(3620);
    expect(started('c') - started('b')).toBeLessThan(-7180);
    // Earlier times stay as they were written.
    expect(t.run.node.podNamed('a')?.status.containerStatuses?.[0]?.state?.running?.startedAt).toMatch(/T00:00:0/);
    expect(t.run.kernel.now()).toBeLessThan(20 * Second);
  });

  it('a deadline by the wall clock is reached when that jumps', () => {
    const pod = sleeper('a').replace('spec: {', 'spec: {activeDeadlineSeconds: 600, ');
    const t = start(
      `${pod + running('a')}  - fault: {clock: 20m}\n  - waitFor: {pod: a, phase: Failed, reason: DeadlineExceeded, timeout: 90s}\n`,
    );
    expect(t.problems()).toEqual([]);
  });
});

describe('the API server', () => {
  it('gives pods to the kubelet, and gets their statuses', () => {
    const t = start(
      `${sleeper('a', '', api) + running('a')}  - wait: 1s
  - edit: {pod: a, to: api, patch: {metadata: {labels: {x: one}}}}
  - wait: 1s
  - delete: {pod: a, to: api}
  - waitFor: {pod: a, gone: true, timeout: 20s}
  - wait: 2s
`,
      { node },
    );
    t.run.run({ until: 2.5 * Second });
    expect(t.run.api?.find('a').status).toMatchObject({ phase: 'Running', hostIP: '192.168.0.10' });
    expect(t.problems()).toEqual([]);
    expect(t.run.api?.list()).toEqual([]);
    expect(t.events('Killing')).toHaveLength(1);
  });

  it('cannot be reached for a while: the node goes on, and catches up', () => {
    const t = start(
      `${sleeper('a', '', api) + running('a')}  - wait: 2s
  - fault: {api: unreachable, for: 60s}
  - kill: {pod: a, container: app}
  - waitFor: {pod: a, container: app, restarts: 1}
${sleeper('b', '', api)}  - wait: 10s
  - assert: {pod: b, gone: true}
${running('b').replace('20s', '150s')}  - wait: 15s
`,
      { node },
    );
    expect(t.problems()).toEqual([]);
    expect(t.of('log').some((l) => l.msg === 'Failed to get status for pod')).toBe(true);
    expect(t.run.api?.find('a').status.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  /** The pod that is made `when` the server is back, and after how many seconds its sandbox is. */
  const heardOf = (fault: string) => {
    const t = start(
      `${sleeper('a', '', api) + running('a')}  - wait: 5s
  - fault: ${fault}
  - wait: 61s
${sleeper('b', '', api)}${running('b').replace('20s', '150s')}`,
      { node },
    );
    expect(t.problems()).toEqual([]);
    const logs = (pattern: RegExp) => t.of('log').filter((l) => pattern.test(l.msg));
    const over = t.of('fault').find((f) => f.effect === 'over')?.time ?? 0;
    const added = t.of('pod-config').findLast((c) => c.source === 'api' && c.op === 'ADD')?.time ?? 0;
    return { ...t, logs, later: (added - over) / 1e6 };
  };

  it('[1:E21] is restarted: watches are refused, then too old, then begin anew', () => {
    const t = heardOf('{api: restart, for: 60s}');
    expect(t.logs(/^Watch failed - backing off$/).length).toBeGreaterThan(5);
    const old = t.logs(/^Watch closed$/).filter((l) => /too old resource version/.test(String(l.kv.err)));
    expect(old.map((l) => l.kv.type)).toContain('*v1.Pod');
    expect(t.of('api').filter((r) => r.verb === 'list')).toEqual([]);
    // One more delay after the one that found it back.
    const plain = heardOf('{api: unreachable, for: 60s}');
    expect(plain.logs(/^Watch closed$/)).toEqual([]);
    expect(t.later).toBeGreaterThan(plain.later);
  });

  it('is restarted at once without a time', () => {
    const t = heardOf('{api: restart}');
    expect(t.run.activeFaults()).toEqual([]);
    expect(t.logs(/^Watch closed$/).length).toBeGreaterThan(0);
  });

  it('[1:E23] is silent: the connection is given up after 45 s, heartbeats after their own time', () => {
    const t = heardOf('{api: silent, for: 60s}');
    expect(t.logs(/^Warning: watch ended with error$/).map((l) => l.kv.err)).toContain(
      'an error on the server ("unable to decode an event from the watch stream: http2: client connection lost") has prevented the request from succeeding',
    );
    const errors = t.of('api').flatMap((r) => (r.phase === 'response' && r.error !== undefined ? [r.error] : []));
    for (const why of [/Client\.Timeout exceeded/, /http2: client connection lost/])
      expect(
        errors.some((e) => why.test(e)),
        String(why),
      ).toBe(true);
    expect(errors.some((e) => /refused/.test(e))).toBe(false);
  });

  it('[1:E23] is silent for a moment: everything arrives late, and nothing is asked for again', () => {
    const t = heardOf('{api: silent, for: 20s}');
    expect(t.logs(/backing off|^Watch close|^Warning: watch ended|^Failed to watch/)).toEqual([]);
    expect(t.of('api').filter((r) => r.verb === 'watch' && r.phase === 'end')).toEqual([]);
  });

  it('refuses what a real one would', () => {
    const wrong = (steps: string, n = node) => start(steps, { node: n }).problems()[0];
    expect(wrong(sleeper('a', ', volumeMounts: [{name: x, mountPath: /x}]', api))).toMatch(
      /the API server refuses the pod: .*volumeMounts\[0\]\.name: Not found.*; correct the manifest$/,
    );
    expect(wrong(`${sleeper('a', '', api)}  - edit: {pod: a, to: api, patch: {spec: {hostNetwork: true}}}\n`)).toMatch(
      /pod updates may not change fields other than/,
    );
    expect(wrong('  - delete: {pod: nothing, to: api}\n')).toMatch(
      /no pod "nothing" in the API server; there are: none$/,
    );
    expect(wrong(sleeper('a', '', api), 'fileCheckFrequency: 1s')).toMatch(/give it one with node.apiServer: true$/);
    expect(wrong('  - fault: {api: unreachable}\n', 'fileCheckFrequency: 1s')).toMatch(/node.apiServer: true$/);
  });
});

describe('a run with faults', () => {
  const steps = `  - fault: {pull: refused, times: 1, jitter: 0.5}
  - fault: {probe: readiness, pattern: FS}
  - fault: {relist: 300ms, jitter: 0.5, for: 20s}
  - choose: {select: plegCh}
${sleeper('a', exec('readinessProbe'), api)}${running('a')}  - fault: {kill: {pod: a, container: app}, every: 5s, times: 2, jitter: 0.9}
  - fault: {clock: 90s, after: 3s, jitter: 0.3}
  - fault: {api: unreachable, for: 4s, jitter: 0.4}
  - wait: 8s
  - restart: {kubelet: crash, down: 2s}
  - wait: 10s
`;
  const records = (seed: number) => {
    const t = start(steps, { seed, node });
    expect(t.problems()).toEqual([]);
    return JSON.stringify(t.records);
  };
  it('is a function of its seed, to the byte', () => {
    expect(records(5)).toBe(records(5));
    expect(records(5)).not.toBe(records(6));
  });
});

describe('any action, from outside', () => {
  it('is done between two steps, and leaves a record', () => {
    const t = start(`${sleeper('a') + running('a')}`);
    t.run.run();
    const act = (json: unknown) => t.run.act(parseAction(json));
    act({ fault: { kill: { pod: 'a', container: 'app' }, every: '10s' } });
    t.run.run({ until: t.run.kernel.now() + 3 * Second });
    expect(t.run.activeFaults()).toMatchObject([{ name: 'kill', hits: 1 }]);
    const killed = t.of('actual-container').find((c) => c.state === 'exited');
    const fault = t.of('fault')[0];
    expect(t.of('input').at(-1)).toMatchObject({ verb: 'fault', cause: 0 });
    expect(fault?.cause).toBe(t.of('input').at(-1)?.seq);
    expect(killed?.cause).toBe(fault?.seq);
    act('clearFaults');
    expect(t.run.activeFaults()).toEqual([]);
    act({ exec: { pod: 'a', container: 'app', command: 'touch /tmp/there' } });
    act({ edit: { pod: 'a', patch: { metadata: { labels: { edited: 'yes' } } } } });
    t.run.run({ until: t.run.kernel.now() + 15 * Second });
    expect(t.run.node.podNamed('a')?.metadata.labels).toEqual({ edited: 'yes' });
    act('- fault:\n    runtime: stopped\n');
    expect(t.run.activeFaults()).toMatchObject([{ name: 'runtime' }]);
    expect(() => act({ wait: '5s' })).toThrow('takes time and cannot be done between two steps');
    expect(() => act({ clearFaults: 'kil' })).toThrow(ScenarioError);
  });

  it.each([
    [{ kil: {} }, 'action.kil: there is no verb "kil"; did you mean "kill"?'],
    [{ kill: { pod: 'a' } }, 'action.kill.container: it is missing; it must be a text'],
    [{ fault: { pull: 'gone' } }, /^action\.fault\.pull: it is "gone"; it must be one of /],
    [{ fault: { prob: 'any' } }, 'action.fault.prob: there is no such field; did you mean "probe"?'],
    [
      { fault: { probe: 'any', pattern: 'FX' } },
      /^action\.fault\.pattern: it is "FX"; it must be one letter per probe/,
    ],
    [
      { fault: { runtime: 'stopped', network: 'notReady' } },
      /runtime and network cannot be combined; make a fault of each/,
    ],
    [{ fault: { clock: 'yesterday' } }, /^action\.fault\.clock: it is "yesterday"; it must be how far the clock jumps/],
    [{ restart: {} }, /^action\.restart: it must have exactly one of kubelet and runtime; write/],
    [{ choose: { selct: 'x' } }, /^action\.choose\.selct: there is no such field; did you mean "select"\?/],
    [null, /^action: it is missing; it must be a step/],
    ['fault:\n  prob: any', 'action:2:3: fault.prob: there is no such field; did you mean "probe"?'],
    ['fault: {', /^action:1:\d+: .*correct the YAML there/],
    ['- clearFaults:\n- clearFaults:', /^action:1:1: it is a list; it must be a step/],
    [{ wait: () => 1 }, /^action: it holds a function; it must be plain data/],
    [JSON.parse('{"__proto__": {"kill": 1}}'), /^action: it has a field __proto__; leave it out/],
    [
      JSON.parse(`${'{"apply":'.repeat(100)}1${'}'.repeat(100)}`),
      /^action: it is nested too deeplyly; it may have 64 levels/,
    ],
    [{ raw: { file: 'x', text: 'y'.repeat(2_000_000) } }, /^action: it is too long/],
  ])('says what is wrong: %j', (json, message) => {
    expect(() => parseAction(json)).toThrow(ScenarioError);
    expect(() => parseAction(json)).toThrow(message);
  });
});
