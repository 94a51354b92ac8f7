import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modulesOf } from './content.mjs';

const kind = { from: 'content/scenarios', type: 'LibraryEntry', schema: 'scenario', lazy: false };
const text = (change = {}) => {
  const lines = {
    name: 'one',
    group: 'node',
    order: 10,
    title: '{en: One, zh: 一}',
    summary: '{en: S, zh: 摘要}',
    ...change,
  };
  const metadata = Object.entries(lines).map(([k, v]) => `  ${k}: ${v}\n`);
  return `# yaml-language-server: $schema=../../../../docs/users/scenario.schema.json\nkind: Scenario\nmetadata:\n${metadata.join('')}spec: {steps: ['\`\${a}\`', "\\n"]}\n`;
};
const made = (change, base = 'one.yaml', of = kind) => modulesOf(of, [[base, text(change)]], parse);

describe('the modules of scenarios and lessons', () => {
  it('hold the text without the line for editors, and where the list has it', async () => {
    const { 'one.ts': one, 'index.ts': index, 'list.ts': list } = made();
    const entry = JSON.parse(/= (\{.*\});/.exec(one)[1]);
    expect(entry).toEqual({ name: 'one', group: 'node', order: 10, text: text().replace(/^.*\n/, '') });
    expect(index).toContain("import { one } from './one.js';");
    // Those who show a list load neither text.
    expect(list).toContain('"title":{');
    expect(list).not.toMatch(/"text":|one\.js/);
  });
  it('of lessons are loaded one by one', () => {
    const { 'one.ts': one, 'index.ts': index } = made({ minutes: 5 }, 'one.yaml', { ...kind, lazy: true });
    expect(one).toContain('export const text = ');
    expect(index).toContain("load: () => import('./one.js')");
    expect(index).toContain('"minutes":5');
    expect(index).not.toContain('Scenario"');
  });
  it.each([
    [
      { name: 'two' },
      'one.yaml',
      'content/scenarios/one.yaml: metadata.name: want "one", as the file is called, got "two"',
    ],
    [{ group: '' }, 'one.yaml', 'one.yaml: metadata.group: missing; name the group'],
    [{ order: 'first' }, 'one.yaml', 'one.yaml: metadata.order: missing; give its place'],
    [{ title: '{en: One}' }, 'one.yaml', 'one.yaml: metadata.title.zh: missing; write it in both languages'],
    [{}, 'One.yaml', 'One.yaml: a file name has small letters'],
    [{ title: '{en: One' }, 'one.yaml', 'content/scenarios/one.yaml: '],
  ])('%j in %s is refused with the place and the remedy', (change, base, message) => {
    expect(() => made(change, base)).toThrow(message);
  });
  it('have a place of their own in their group, and name their schema for editors', () => {
    const texts = [
      ['one.yaml', text()],
      ['two.yaml', text({ name: 'two' })],
    ];
    expect(() => modulesOf(kind, texts, parse)).toThrow(
      'content/scenarios/two.yaml: metadata.order: 10 is that of one.yaml, too, in the group node; change one of them',
    );
    expect(() => modulesOf({ ...kind, schema: 'lesson' }, [['one.yaml', text()]], parse)).toThrow(
      'one.yaml: for editors, the first line must be: # yaml-language-server: $schema=../../../../docs/users/lesson.schema.json',
    );
  });
});
