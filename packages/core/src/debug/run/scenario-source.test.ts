import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../scenario/document/parse.js';
import { library } from '../../scenario/library/index.js';
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
