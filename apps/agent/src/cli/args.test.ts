import { describe, expect, it } from 'vitest';
import { type FlagSpecs, flagHelp, parseArgs } from './args.js';

const specs = {
  config: { type: 'string', value: 'FILE', help: 'a file' },
  v: { type: 'int', min: 0, max: 10, help: 'verbosity' },
  port: { type: 'int', min: 0, max: 65535, help: 'a port' },
  'no-ui': { type: 'bool', help: 'none' },
  until: { type: 'duration', help: 'how long' },
  tag: { type: 'string', many: true, help: 'several' },
  api: { type: 'int', value: 'PORT', alone: '6443', help: 'a value or none' },
  secret: { type: 'bool', hidden: true, help: 'not shown' },
} as const satisfies FlagSpecs;

const parse = (...argv: string[]) => parseArgs('kubelet', argv, specs);

describe('parseArgs', () => {
  it.each([[['-v', '4']], [['-v=4']], [['-v4']], [['--v=4']], [['--v', '4']]])('takes verbosity as %s', (argv) => {
    expect(parse(...argv).flags).toEqual({ v: 4 });
  });

  it('takes a value only after = where a flag may stand alone', () => {
    expect(parse('--api', '7').flags).toEqual({ api: 6443 });
    expect(parse('--api', '7').positionals).toEqual(['7']);
    expect(parse('--api=7').flags).toEqual({ api: 7 });
    expect(flagHelp(specs)).toContain('--api[=PORT]');
  });

  it('takes values after = or after a blank, and positionals anywhere', () => {
    const { flags, positionals } = parse(
      'a',
      '--config=x=y',
      '--port',
      '0',
      'b',
      '--tag',
      '1',
      '--tag=2',
      '--',
      '--port',
    );
    expect(flags).toEqual({ config: 'x=y', port: 0, tag: ['1', '2'] });
    expect(positionals).toEqual(['a', 'b', '--port']);
  });

  it('takes switches with and without a value, and _ for -', () => {
    expect(parse('--no-ui').flags).toEqual({ 'no-ui': true });
    expect(parse('--no_ui=false', 'x')).toEqual({ flags: { 'no-ui': false }, positionals: ['x'] });
  });

  it('takes durations as Go writes them', () => {
    expect(parse('--until', '1m30.5s').flags).toEqual({ until: 90_500_000 });
  });

  it.each([
    [['--confg', 'x'], 'unknown flag --confg (did you mean --config?); see: syncloop help kubelet'],
    [['--zzzzzzzz'], 'unknown flag --zzzzzzzz; see: syncloop help kubelet'],
    [['-x'], 'unknown flag -x'],
    [['--config'], '--config needs a value: --config=FILE'],
    [['--port', 'http'], '--port is "http", but must be a whole number from 0 to 65535'],
    [['--port=65536'], '--port is "65536", but must be'],
    [['-v', '1.5'], '-v is "1.5", but must be a whole number from 0 to 10'],
    [['--no-ui=maybe'], '--no-ui is "maybe", but must be true or false'],
    [['--until', '5'], '--until is "5", but must be a duration such as 500ms, 20s or 1m30s'],
    [['--until', '-5s'], 'must be a duration'],
    [['--__proto__', 'x'], 'unknown flag --__proto__'],
  ])('refuses %s', (argv, text) => {
    expect(() => parse(...argv)).toThrow(text);
  });

  it('lists what is not hidden', () => {
    expect(flagHelp(specs)).toContain('--config FILE');
    expect(flagHelp(specs)).not.toContain('secret');
  });
});
