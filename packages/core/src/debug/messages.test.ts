import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientMessage, type Command, ProtocolError, parseClientMessage, parseCommand } from './index.js';

const commands: Command[] = [
  { do: 'pause' },
  { do: 'resume' },
  { do: 'step', unit: 'decision' },
  { do: 'step', unit: 'iteration', count: 3 },
  { do: 'speed', speed: { mode: 'time', factor: 0.5 } },
  { do: 'speed', speed: { mode: 'steps', perSecond: 10 } },
  { do: 'speed', speed: { mode: 'max' } },
  { do: 'choose', index: 1 },
  { do: 'ask', select: true },
  { do: 'apply', manifest: 'kind: Pod' },
  { do: 'apply', manifest: 'kind: Pod', file: 'web.yaml', force: true },
  { do: 'delete', file: 'web.yaml' },
  { do: 'manifests' },
  { do: 'kill', uid: 'u' },
  { do: 'kill', uid: 'u', container: 'app' },
  { do: 'load', scenario: 'hello', text: 'x', seed: 4 },
  { do: 'load', scenario: 'hello' },
  { do: 'restart' },
  { do: 'rewind', unit: 'record', to: 5 },
  { do: 'scenarios' },
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
      [null, /^message is null; it must be an object$/],
      [[], /message is a list/],
      ['hello', /message is "hello"/],
      [{}, /message.type is missing; it must be "hello", "command" or "ack"/],
      [{ type: 'hello' }, /protocol is missing; it must be a whole number/],
      [{ type: 'ack', seq: -1 }, /seq is -1/],
      [{ type: 'ack', seq: 1.5 }, /seq is 1.5/],
      [{ type: 'command', id: 1 }, /command is missing/],
      [{ type: 'command', id: 'x', command: { do: 'pause' } }, /id is "x"/],
      [{ type: 'command', id: 1, command: { do: 'explode' } }, /command.do is "explode"; it must be pause, /],
      [
        { type: 'command', id: 1, command: { do: 'step', unit: 'mile' } },
        /unit is "mile"; it must be one of decision, record, iteration/,
      ],
      [{ type: 'command', id: 1, command: { do: 'step', unit: 'record', count: 0 } }, /count is 0/],
      [
        { type: 'command', id: 1, command: { do: 'speed', speed: { mode: 'time', factor: 0 } } },
        /factor is 0; it must be a number above 0/,
      ],
      [
        { type: 'command', id: 1, command: { do: 'speed', speed: { mode: 'time', factor: Number.NaN } } },
        /factor is NaN/,
      ],
      [{ type: 'command', id: 1, command: { do: 'speed' } }, /speed is missing/],
      [{ type: 'command', id: 1, command: { do: 'ask', select: 'yes' } }, /select is "yes"; it must be true or false/],
      [{ type: 'command', id: 1, command: { do: 'apply', manifest: 5 } }, /manifest is 5; it must be text/],
      [
        { type: 'command', id: 1, command: { do: 'apply', manifest: 'x'.repeat(1_000_001) } },
        /manifest has 1000001 characters; it may have 1000000/,
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
    expect(() => parseCommand(JSON.parse('{"do":"delete","__proto__":{"file":"x.yaml"}}'))).toThrow('file is missing');
  });

  it('throws nothing but ProtocolErrors, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom('hello', 'command', 'ack', 'pause', 'step'), (value, word) => {
        for (const message of [
          value,
          { type: word, ...(Object(value) as object) },
          { type: 'command', id: 1, command: { do: word, ...(Object(value) as object) } },
        ])
          try {
            parseClientMessage(message);
          } catch (error) {
            expect(error).toBeInstanceOf(ProtocolError);
          }
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
