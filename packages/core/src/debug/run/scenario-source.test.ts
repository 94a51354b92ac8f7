import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../scenario/document/parse.js';
import { findScenario, library } from '../../scenario/library/index.js';
import { SimulationSession } from '../index.js';
import { simulationSource } from './scenario-source.js';

describe('simulationSource', () => {
  it('lists the library with titles by language', () => {
    const list = simulationSource().list();
    expect(list.map((s) => s.name)).toEqual(library.map((s) => s.name));
    expect(list[0]).toMatchObject({
      title: { en: 'Hello, kubelet', zh: expect.any(String) },
      summary: { en: expect.any(String) },
    });
  });

  it('says of each what its whole text says', () => {
    const whole = library.map(({ name, group, text }) => {
      const { title, summary } = parseScenario(text, `${name}.yaml`);
      return { name, group, title, summary };
    });
    expect(simulationSource().list()).toEqual(whole);
  });

  it('has scenarios of the library as they were in an older version of the format', () => {
    const played = (scenario: string) => {
      const session = new SimulationSession(simulationSource(), { scenario, speed: { mode: 'max' }, running: true });
      let left = 3000;
      session.pump(16, () => left-- <= 0);
      let spec: unknown;
      session.execute({ do: 'spec' }, (r) => {
        spec = r.ok ? r.value : r.error;
      });
      return { session, spec };
    };
    const now = played('crash-loop');
    const then = played('crash-loop@v1alpha1');
    expect(now.session.info.scenario).toBe('crash-loop');
    expect(then.session.info.scenario).toBe('crash-loop');
    expect(now.spec).not.toHaveProperty('text');
    // A link or a recording of that run has its text, and so stays what it is.
    expect(then.spec).toMatchObject({ scenario: 'crash-loop', text: expect.stringContaining('v1alpha1') });
    const { node } = parseScenario((then.spec as { text: string }).text);
    expect([node.clusterDNS, findScenario('crash-loop').node.clusterDNS]).toEqual([undefined, ['10.96.0.10']]);
    for (const name of ['crash-loop@v1alpha3', 'crash-loop@', 'crash-loop@v1alpha1@v1alpha1', 'none@v1alpha1'])
      expect(() => played(name)).toThrow(`there is no scenario "${name}"`);
  });

  it('drives a debug session', () => {
    const session = new SimulationSession(simulationSource(), {
      scenario: 'hello',
      speed: { mode: 'max' },
      running: true,
    });
    let left = 600;
    session.pump(16, () => left-- <= 0);
    expect(session.runState()).toMatchObject({ running: true, stopped: '' });
    expect(session.runState().steps).toBeGreaterThan(500);
    expect(session.info).toMatchObject({ scenario: 'hello', title: 'Hello, kubelet', node: 'node1', seed: 1 });
    const results: unknown[] = [];
    session.execute(
      {
        do: 'apply',
        manifest:
          'apiVersion: v1\nkind: Pod\nmetadata:\n  name: mine\nspec: {containers: [{name: app, image: busybox, commands: [x]}]}\n',
      },
      (r) => results.push(r),
    );
    session.execute({ do: 'apply', manifest: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: mine\n' }, (r) =>
      results.push(r),
    );
    session.execute({ do: 'delete', file: 'none.yaml' }, (r) => results.push(r));
    session.execute({ do: 'load', scenario: 'helo' }, (r) => results.push(r));
    expect(results).toMatchObject([
      { ok: true, value: { file: 'mine.yaml' } },
      { ok: false, error: expect.stringContaining('mine.yaml: ') },
      { ok: false },
      { ok: false, error: 'there is no scenario "helo"; did you mean "hello"?' },
    ]);
  });
});
