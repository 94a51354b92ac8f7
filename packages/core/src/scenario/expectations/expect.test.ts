import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import { ScenarioError } from '../document/errors.js';
import { parseScenario } from '../document/parse.js';
import { findScenario } from '../library/index.js';
import { startScenario } from '../run/start.js';
import { running, sleeper, start } from '../testing/run-steps.js';

/** Returns which of these expectations fail after a crash loop of three restarts. */
function crashing(items: string) {
  const pod =
    '  - apply: {apiVersion: v1, kind: Pod, metadata: {name: crash}, spec: {containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sh, -c, "sleep 1; exit 3"]}]}}\n';
  const t = start(`${pod}  - waitFor: {pod: crash, container: app, restarts: 2, timeout: 60s}\n`, {
    after: `expect:\n${items}`,
  });
  const problems = t.problems();
  expect(t.run.outcome).toBe(problems.length > 0 ? 'failed' : 'passed');
  return problems.map((p) => p.replace(/record \d+( at [\d.]+s)?/g, 'record N').replace(/of \d+ /, 'of N '));
}

describe('expectations', () => {
  it('hold, of all kinds', () => {
    expect(
      crashing(`  - {pod: crash, container: app, restarts: 2, atMostRestarts: 2, exitCode: 3, running: true}
  - {pod: other, gone: true}
  - event: {pod: crash, reason: Started, exactly: 3}
  - event: {pod: default/crash-node1, reason: BackOff, message: restarting failed container, type: Warning}
  - event: {reason: Starting}
  - event: {pod: crash, reason: Killing, atMost: 0}
  - records: {kind: probe, exactly: 0}
  - records: {kind: cri-call, where: "method == 'StartContainer'", exactly: 3}
  - records: {kind: decision, where: "state.pods[uid].phase == 'Running'"}
  - sequence:
    - {kind: pleg-event, where: "type == 'ContainerDied'"}
    - {kind: decision, where: "rule == 'doBackOff'"}
    - {kind: cri-call, where: "method == 'StartContainer'"}
  - never: {kind: goroutine-end, where: panic != null}
`),
    ).toEqual([]);
  });

  it('fail with place, text, and what was there instead', () => {
    expect(
      crashing(`  - {pod: crash, container: app, exitCode: 1}
  - {pod: crash, ready: false}
  - {pod: crsh, phase: Running}
  - event: {pod: crash, reason: Started, atMost: 2}
  - event: {pod: crash, reason: BackOf}
  - event: {pod: crash, reason: BackOff, message: pulling}
  - event: {pod: none, reason: Started}
  - records: {kind: cri-call, where: "method == 'StopContainer'"}
  - sequence: [{kind: cri-call, where: "method == 'StartContainer'"}, {kind: cri-call, where: "method == 'StopContainer'"}]
  - sequence: [{kind: probe}]
  - never: {kind: cri-call, where: "method == 'StartContainer'"}
`),
    ).toEqual([
      'expect (crash/app exitCode=1), line 10: the pod is Running; app running, 2 restarts, before that Error with exit code 3',
      'expect (crash ready=false), line 11: the pod is Running, ready; app running, 2 restarts',
      'expect (crsh Running), line 12: there is no such pod; there are: crash-node1',
      'expect (event crash Started at most 2), line 13: it happened 3 times; the events of crash: Pulled 3 times, Created 3 times, Started 3 times, BackOff',
      'expect (event crash BackOf), line 14: it never happened; the events of crash: Pulled 3 times, Created 3 times, Started 3 times, BackOff',
      'expect (event crash BackOff "pulling"), line 15: it never happened; the last BackOff said: Back-off restarting failed container app in pod crash-node1_default(d464a5225493d6b611bac8835754a412)',
      'expect (event none Started), line 16: it never happened; there are no events of none',
      "expect (records cri-call where method == 'StopContainer'), line 17: it never happened, of N cri-call records",
      "expect (sequence cri-call, cri-call), line 18: 1 of N came, the last as record N; after it no cri-call where method == 'StopContainer'",
      'expect (sequence probe), line 19: the first, probe, did not come',
      "expect (never cri-call where method == 'StartContainer'), line 20: it happened 3 times, first as record N",
    ]);
  });

  it('are not looked at after a step that failed', () => {
    const t = start('  - delete: nothing\n', { after: 'expect:\n  - {pod: a, phase: Running}\n' });
    expect(t.problems()).toHaveLength(1);
  });

  it('assert looks at once, and stops there', () => {
    const t = start(`${sleeper('a')}  - assert: {pod: a, gone: true}
${running('a')}  - assert:
    - {pod: a, phase: Running}
    - event: {pod: a, reason: Started, exactly: 1}
  - assert:
    - {pod: a, phase: Pending}
    - {pod: a, ready: true}
    - event: {pod: a, reason: Killing}
  - delete: a
`);
    expect(t.problems()).toEqual([
      expect.stringMatching(
        /^step 5 \(assert a Pending; a ready; event a Killing\), line 13: a Pending: the pod is Running; .*; event a Killing: it never happened; /,
      ),
    ]);
    expect(t.run.manifests()).toHaveLength(1);
  });

  it('waitFor takes them, too, from the start or from now on', () => {
    const t = start(`${sleeper('a')}  - waitFor: {event: {pod: a, reason: Started}, timeout: 20s}
  - kill: {pod: a, container: app}
  - waitFor: {event: {pod: a, reason: Started}}
  - assert: {pod: a, container: app, atMostRestarts: 0}
  - waitFor: {records: {kind: status, where: "status.phase == 'Running'"}, fresh: true}
  - wait: 10s
  - waitFor: {event: {pod: a, reason: Started}, fresh: true, timeout: 3s}
`);
    expect(t.problems()).toEqual([
      expect.stringMatching(/^step 8 \(waitFor event a Started\), line 14: not within 3s: it never happened; /),
    ]);
  });

  it.each([
    ['event: {reasn: X}', 'expect[0].event.reasn: there is no such field; did you mean "reason"?'],
    ['evnt: {reason: X}', 'expect[0].evnt: there is no such field; did you mean "event"?'],
    ['records: {kind: cri-cal}', 'expect[0].records.kind: it is "cri-cal"; did you mean "cri-call"?'],
    [
      'never: {kind: log, where: "v =="}',
      /expect\[0\]\.never\.where: .*, at character \d+ of the expression; correct it there$/,
    ],
    ['event: {reason: X, atLeast: 3, atMost: 2}', 'expect[0].event.atLeast: it is more than atMost, 2; swap them'],
    ['event: {reason: X, exactly: 3, atMost: 2}', 'it cannot be combined with atLeast or atMost; keep one of them'],
    ['sequence: []', 'expect[0].sequence: it has 0 records; it must have 1 to 1000'],
    ['{event: {reason: X}, never: {kind: log}}', 'expect[0]: event and never cannot be combined; keep one'],
    ['{pod: a}', 'nothing to wait for'],
    ['{pod: a, timeout: 5s}', 'expect[0].timeout: there is no such field'],
  ])('says what is wrong: %s', (item, message) => {
    const text = `apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec: {steps: []}\nexpect:\n  - ${item}\n`;
    const parse = () => parseScenario(text, 'test.yaml');
    expect(parse).toThrow(ScenarioError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(/^test\.yaml:6:\d+: /);
  });
});

describe('choose', () => {
  // Slow lists: the loop is held up, and several of its channels are ready at once.
  const { text } = findScenario('slow-runtime');
  const slow = (steps: string) => {
    const records: TraceRecord[] = [];
    const run = startScenario(parseScenario(text.replace('    - wait: 40s', `${steps}    - wait: 40s`)), {
      sink: (r) => records.push(r),
    });
    run.run();
    expect(run.failures).toEqual([]);
    const names = new Map(records.flatMap((r) => (r.kind === 'chan-make' ? [[r.chan, r.name] as const] : [])));
    const choices = records.flatMap((r) =>
      r.kind === 'select' && (r.ready ?? []).length > 1
        ? [
            {
              seq: r.seq,
              of: (r.ready ?? []).map((i) => names.get(r.cases[i] ?? 0)),
              took: names.get(r.cases[r.chosen] ?? 0),
            },
          ]
        : [],
    );
    return { run, records, choices };
  };

  it('takes a channel at the next select that has it among several', () => {
    const { choices: plain, records } = slow('');
    const fault = records.find((r) => r.kind === 'input' && r.verb === 'fault')?.seq ?? 0;
    const channels = new Set(plain.filter((c) => c.seq > fault).flatMap((c) => c.of as string[]));
    expect(channels.size).toBeGreaterThan(2);
    let otherwise = 0;
    for (const channel of channels) {
      const t = slow(`    - choose: {select: ${channel}}\n`);
      const input = t.records.find((r) => r.kind === 'input' && r.verb === 'choose');
      expect(input).toMatchObject({ args: ['select', channel] });
      const first = t.choices.find((c) => c.seq > (input?.seq ?? 0) && c.of.includes(channel));
      expect(first?.took).toBe(channel);
      // Up to there all is as it would be.
      const i = t.choices.indexOf(first as (typeof t.choices)[0]);
      expect(t.choices.slice(0, i).map((c) => c.took)).toEqual(plain.slice(0, i).map((c) => c.took));
      if (plain[i]?.took !== channel) otherwise++;
    }
    expect(otherwise).toBeGreaterThan(0);
  });

  it('changes nothing where the channel does not come up', () => {
    expect(slow('    - choose: {select: nothing}\n').choices.map((c) => c.took)).toEqual(
      slow('').choices.map((c) => c.took),
    );
  });

  it('lets a goroutine go first', () => {
    const order = (first: string | null) => {
      const t = start(`  - clearFaults\n${first === null ? '' : `  - choose: {goroutine: ${first}}\n`}`);
      t.run.run();
      const ran: string[] = [];
      const { kernel } = t.run;
      for (const name of ['one', 'two', 'three'])
        kernel.go(name, function* () {
          ran.push(name);
        });
      kernel.run({ maxSteps: 20 });
      return ran;
    };
    expect(order(null)).toEqual(['one', 'two', 'three']);
    expect(order('three')).toEqual(['three', 'one', 'two']);
    expect(order('two')).toEqual(['two', 'one', 'three']);
    expect(order('nobody')).toEqual(['one', 'two', 'three']);
  });
});
