import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientMessage, type Command, ProtocolError, parseClientMessage, parseCommand } from '../index.js';

const commands: Command[] = [
  { do: 'pause' },
  { do: 'resume' },
  { do: 'step', unit: 'decision' },
  { do: 'step', unit: 'iteration', count: 3 },
  { do: 'until', where: "kind == 'select'" },
  { do: 'until', where: 'true', within: 5_000_000, pace: 'fast' },
  { do: 'speed', speed: { mode: 'time', factor: 0.5 } },
  { do: 'speed', speed: { mode: 'steps', perSecond: 10 } },
  { do: 'speed', speed: { mode: 'max' } },
  { do: 'choose', index: 1 },
  { do: 'ask', select: true },
  { do: 'apply', manifest: 'kind: Pod' },
  { do: 'apply', manifest: 'kind: Pod', file: 'web.yaml', force: true },
  { do: 'delete', file: 'web.yaml' },
  { do: 'manifests' },
  { do: 'objects' },
  { do: 'logs', container: 'abc' },
  { do: 'logs', container: 'abc', from: 20 },
  { do: 'kill', uid: 'u' },
  { do: 'kill', uid: 'u', container: 'app' },
  { do: 'load', scenario: 'hello', text: 'x', seed: 4 },
  { do: 'load', scenario: 'hello' },
  { do: 'restart' },
  { do: 'rewind', unit: 'record', to: 5 },
  { do: 'scenarios' },
  { do: 'step', unit: 'over', back: true, goroutine: 4, pod: 'web' },
  { do: 'go', to: { seq: 9 } },
  { do: 'go', to: { time: 5_000_000 } },
  { do: 'breakpoints', set: [{ on: 'cri', method: 'StartContainer' }] },
  { do: 'take', seq: 12, case: 1 },
  { do: 'pick', goroutine: 3 },
  { do: 'runnable' },
  { do: 'act', action: { oom: { pod: 'web', container: 'app' } } },
  { do: 'branches' },
  { do: 'branch', name: 'what if' },
  { do: 'switch', branch: 2, to: { step: 4, seq: 11 } },
  { do: 'rename', branch: 2, name: 'other' },
  { do: 'drop', branch: 2 },
  { do: 'compare', branch: 2, with: 1 },
  { do: 'spec' },
  {
    do: 'load',
    scenario: 'hello',
    deviations: [
      { decision: 3, case: 1 },
      { decision: 4, goroutine: 2 },
    ],
    interventions: [{ step: 5, after: 9, time: 100, command: { do: 'kill', uid: 'u' } }],
    to: { step: 8, seq: 20 },
  },
  { do: 'why', question: { about: 'record', seq: 4 } },
  { do: 'whyNot', question: { about: 'pending', uid: 'u' } },
  { do: 'search', breakpoint: { on: 'log', msg: 'x' }, from: 1, to: 9, limit: 3, backwards: true },
  { do: 'history', path: 'pods["u"].phase', limit: 10 },
  { do: 'lastWriter', path: 'loop.phase', seq: 4 },
  { do: 'diff', from: 1, to: 9 },
];

describe('parseClientMessage', () => {
  it('takes every message of the protocol as it is', () => {
    const messages: ClientMessage[] = [
      { type: 'hello', protocol: 1 },
      { type: 'hello', protocol: 1, session: 's', resumeFrom: 5 },
      { type: 'ack', seq: 9 },
      ...commands.map((command, id) => ({ type: 'command', id, command }) as const),
    ];
    for (const m of messages) expect(parseClientMessage(JSON.parse(JSON.stringify(m)))).toEqual(m);
  });

  it('leaves out what it does not know', () => {
    expect(parseCommand({ do: 'pause', extra: 1 })).toEqual({ do: 'pause' });
  });

  it('says which field is wrong, and what it should be', () => {
    const wrong: [unknown, RegExp][] = [
      [null, /^message: it is null; it must be an object$/],
      [[], /message: it is a list/],
      ['hello', /message: it is "hello"/],
      [{}, /message.type: it is missing; it must be one of hello, ack, command/],
      [{ type: 'hello' }, /protocol: it is missing; it must be a whole number/],
      [{ type: 'ack', seq: -1 }, /seq: it is -1/],
      [{ type: 'ack', seq: 1.5 }, /seq: it is 1.5/],
      [{ type: 'command', id: 1 }, /command: it is missing/],
      [{ type: 'command', id: 'x', command: { do: 'pause' } }, /id: it is "x"/],
      [{ type: 'command', id: 1, command: { do: 'explode' } }, /command.do: it is "explode"; did you mean "explore"\?/],
      [
        { type: 'command', id: 1, command: { do: 'step', unit: 'parsec' } },
        /unit: it is "parsec"; it must be one of decision, record, iteration/,
      ],
      [{ type: 'command', id: 1, command: { do: 'step', unit: 'record', count: 0 } }, /count: it is 0/],
      [{ type: 'command', id: 1, command: { do: 'until' } }, /where: it is missing; it must be a text/],
      [{ type: 'command', id: 1, command: { do: 'until', where: 'x'.repeat(5000) } }, /where: it has 5000 characters/],
      [
        { type: 'command', id: 1, command: { do: 'until', where: 'true', within: 0 } },
        /within: it is 0; it must be a whole/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'until', where: 'true', pace: 'slow' } },
        /pace: it is "slow"; it must be/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'speed', speed: { mode: 'time', factor: 0 } } },
        /factor: it is 0; it must be a number above 0/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'speed', speed: { mode: 'time', factor: Number.NaN } } },
        /factor: it is NaN/,
      ],
      [{ type: 'command', id: 1, command: { do: 'speed' } }, /speed: it is missing/],
      [
        { type: 'command', id: 1, command: { do: 'go', to: { seq: 1, time: 2 } } },
        /to: it has seq and time; it must have one/,
      ],
      [{ type: 'command', id: 1, command: { do: 'go', to: {} } }, /to: it has no place; it must have one of seq, step/],
      [{ type: 'command', id: 1, command: { do: 'breakpoints', set: 3 } }, /set: it is 3; it must be a list/],
      [
        {
          type: 'command',
          id: 1,
          command: { do: 'load', scenario: 'x', interventions: [{ command: { do: 'pause' } }] },
        },
        /interventions\[0\].command.do: it is "pause"; it must be one of apply, delete, kill, act/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'why', question: JSON.parse('['.repeat(40) + ']'.repeat(40)) } },
        /question: it is nested too deeplyly/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'act', action: new Array(30_000).fill(0) } },
        /action: it is too large; it may hold 20000 values/,
      ],
      [{ type: 'command', id: 1, command: { do: 'constructor' } }, /command.do: it is "constructor"/],
      [
        { type: 'command', id: 1, command: { do: 'ask', select: 'yes' } },
        /select: it is "yes"; it must be true or false/,
      ],
      [{ type: 'command', id: 1, command: { do: 'apply', manifest: 5 } }, /manifest: it is 5; it must be a text/],
      [
        { type: 'command', id: 1, command: { do: 'apply', manifest: 'x'.repeat(1_000_001) } },
        /manifest: it has 1000001 characters; it may have 1000000/,
      ],
    ];
    for (const [message, text] of wrong) expect(() => parseClientMessage(message)).toThrow(text);
  });

  it('lets no file name out of its folder', () => {
    for (const file of ['../x', '/etc/passwd', 'a/b', 'a\\b', '..', '.', '', 'a\0b', 'x'.repeat(256)])
      expect(() => parseCommand({ do: 'delete', file }), file).toThrow(ProtocolError);
    expect(parseCommand({ do: 'delete', file: '..web.yaml' })).toEqual({ do: 'delete', file: '..web.yaml' });
  });

  it('takes nothing from prototypes', () => {
    expect(() => parseCommand(JSON.parse('{"do":"delete","__proto__":{"file":"x.yaml"}}'))).toThrow(
      'command.file: it is missing',
    );
  });

  it('throws nothing but ProtocolErrors, whatever comes, and leaves prototypes alone', () => {
    const names = commands.map((c) => c.do);
    const hostile = fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'do',
      'set',
      'to',
      'seq',
      'pod',
    );
    const value = fc.oneof(
      fc.anything(),
      fc.dictionary(hostile, fc.anything()),
      fc.constantFrom(...commands),
      fc.array(fc.constantFrom(...commands)),
    );
    fc.assert(
      fc.property(
        value,
        fc.constantFrom('hello', 'command', 'ack', ...names),
        fc.constantFrom(...commands),
        hostile,
        (v, word, good, key) => {
          const mutated = JSON.parse(JSON.stringify(good));
          Object.defineProperty(mutated, key, { value: v, enumerable: true, configurable: true });
          for (const message of [
            v,
            { type: word, ...(Object(v) as object) },
            { type: 'command', id: 1, command: { do: word, ...(Object(v) as object) } },
            { type: 'command', id: 1, command: mutated },
          ])
            try {
              parseClientMessage(message);
            } catch (error) {
              expect(error).toBeInstanceOf(ProtocolError);
            }
        },
      ),
      // Four messages each.
      { numRuns: 2500, seed: 1 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
