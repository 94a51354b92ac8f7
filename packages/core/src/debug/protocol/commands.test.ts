import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CommandName, canDo, commands, interventions, isLooking, isQuery } from './commands.js';

const house = new URL('../', import.meta.url);
/** The files of debug, without tests, in which a command is named: as a word of its own, and not in a comment. */
function filesNaming(name: CommandName): string[] {
  const word = new RegExp(`\\bdo: '${name}'|case '${name}'|^\\s+\\*?${name}(: |\\()`, 'm');
  return readdirSync(house, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing\//.test(file))
    .filter((file) => word.test(readFileSync(new URL(file, house), 'utf8').replace(/^\s*(\/?\*+[ /]|\/\/).*$/gm, '')))
    .sort();
}

describe('the table of commands', () => {
  it('is one of four files that an intervention is in', () => {
    // A record's kind has the same name, of which `why` speaks, and which incidents are made of.
    const found = filesNaming('kill').filter((file) => !/^(why|incidents)\//.test(file));
    expect(found).toEqual([
      'protocol/commands.ts',
      'run/run-as-scenario.ts',
      'run/scenario-simulation.ts',
      'session/session.ts',
    ]);
  });
  it('is one of two files that a command of a simulation is in', () => {
    for (const name of ['rename', 'pick', 'ask', 'drop'] as const)
      expect(
        filesNaming(name).filter((file) => !/branches|travel|run\/run/.test(file)),
        name,
      ).toEqual(['protocol/commands.ts', 'session/session.ts']);
  });
  it('lets who may only look do nothing to the node', () => {
    for (const name of Object.keys(interventions)) {
      const command = { do: name } as never;
      expect(isLooking(command), name).toBe(false);
    }
    expect(Object.keys(commands).filter((name) => isLooking({ do: name } as never))).toEqual(
      expect.arrayContaining(['why', 'objects', 'spec', 'scenarios']),
    );
  });
  it('takes no word for a command that is none', () => {
    for (const word of ['constructor', '__proto__', 'explode']) {
      const command = { do: word } as never;
      expect(isLooking(command) || isQuery(command), word).toBe(false);
    }
  });
  it('knows what a session must be able to do for each', () => {
    const can = {
      control: true,
      speed: true,
      apply: false,
      intervene: false,
      choose: false,
      scenarios: false,
      rewind: true,
      breakpoints: true,
    };
    const possible = Object.keys(commands).filter((name) => canDo({ do: name } as never, can));
    expect(possible).not.toContain('kill');
    expect(possible).toEqual(expect.arrayContaining(['pause', 'step', 'go', 'rewind', 'why', 'manifests']));
    expect(canDo({ do: 'explore' }, { ...can, choose: true })).toBe(true);
  });
});
