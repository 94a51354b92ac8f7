import { describe, expect, it } from 'vitest';
import { command } from './compare-eras.js';

async function told(...argv: string[]): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const code = await command.run(argv, { out: (text: string) => void out.push(text), err: () => {} } as never);
  return { code, out: out.join('') };
}

describe('syncloop compare-eras', () => {
  it('prints the first difference, the change of design, and what led there in each run', async () => {
    const { code, out } = await told('graceful-delete', '--era', 'v1.21', '--with', 'v1.36');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/the first difference: At 14 s v1\.21 called StopContainer .*; v1\.36 did not\.$/);
    expect(out).toContain('the change (second-kill, since v1.22): A pod is killed once.');
    expect(out).toContain('https://github.com/kubernetes/kubernetes/pull/102344');
    expect(out).toMatch(/^v1\.21 · 14\.\d+s · \d+: called StopContainer/m);
    expect(out).toMatch(/^- loop: The loop of v1\.21 waits for 7 channels/m);
  });
  it('prints both runs side by side, and in Chinese', async () => {
    const { out } = await told('hello', '--era', 'v1.12', '--with', 'v1.21', '--all', '--lang', 'zh');
    expect(out).toContain('从外部看没有不同');
    expect(out).toMatch(/^ {2}1s .* \| 1s /m);
  });
  it('prints the comparison as JSON, the versions as the scenario and the newest have it', async () => {
    const { out } = await told('hello', '--json');
    expect(JSON.parse(out)).toMatchObject({ eras: ['v1.21', 'v1.36'], ended: ['', ''], leftOut: 0 });
  });
  it('says what is wrong with what is asked', async () => {
    await expect(told()).rejects.toThrow('a scenario is required');
    await expect(told('hello', '--era', 'v1.3')).rejects.toThrow('--era is "v1.3", but must be one of v1.12, v1.21');
    await expect(told('hello', '--with', 'v9')).rejects.toThrow('--with is "v9"');
    await expect(told('hello', '--era', 'v1.32', '--with', 'v1.32')).rejects.toThrow('give two different versions');
    await expect(told('hello', '--lang', 'fr')).rejects.toThrow('--lang');
  });
});
