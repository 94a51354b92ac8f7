import { describe, expect, it } from 'vitest';
import { BEGIN, END, figure, markdown, replaced, summarize, targetOf } from './make.mjs';

const row = (more) => ({
  name: 'a row',
  unit: 's',
  direction: 'less',
  job: 'one',
  goal: 10,
  moonshot: 5,
  value: (r) => r.x,
  ...more,
});
const runsOf = (...values) => values.map((x, i) => ({ job: 'one', round: i + 1, seconds: 60, result: { x } }));
const summaryOf = (one, runs) => summarize([one], runs)[0];

describe('summaries', () => {
  it('have the least, the middle and the most of all rounds, in whatever order they came', () => {
    expect(summaryOf(row(), runsOf(9, 3, 40, 7, 8))).toMatchObject({ min: 3, median: 8, max: 40, measured: 5 });
  });
  it('judge the median: at the goal it is met, at the moonshot that', () => {
    const verdict = (direction, x) =>
      summaryOf(row({ direction, moonshot: direction === 'less' ? 5 : 15 }), runsOf(x)).verdict;
    expect([11, 10, 6, 5, 4].map((x) => verdict('less', x))).toEqual(['missed', 'met', 'met', 'moonshot', 'moonshot']);
    expect([9, 10, 14, 15, 16].map((x) => verdict('more', x))).toEqual([
      'missed',
      'met',
      'met',
      'moonshot',
      'moonshot',
    ]);
    expect(summaryOf(row(), runsOf(1, 1, 11, 11, 11)).verdict).toBe('missed');
  });
  it('do not call a row without a moonshot one, nor a row without a goal met', () => {
    expect(summaryOf(row({ moonshot: undefined }), runsOf(0)).verdict).toBe('met');
    expect(summaryOf(row({ moonshot: undefined, goal: undefined }), runsOf(0)).verdict).toBe('missed');
  });
  it('take goals that are multiples of the middle of what a real kubelet took', () => {
    expect(targetOf({ real: [7, 9] }, { ofReal: 1.5 })).toBe(12);
    expect(targetOf({ real: [7, 9] }, 3)).toBe(3);
    expect(targetOf({}, undefined)).toBe(null);
  });
  it('keep the rounds that came to their end when others failed', () => {
    const failed = { job: 'one', round: 2, error: 'no containerd' };
    const found = summaryOf(row(), [...runsOf(1, 2, 3), failed]);
    expect(found).toMatchObject({ median: 2, measured: 3, rounds: 4, verdict: 'moonshot' });
    expect(found.why).toEqual(['failed: no containerd']);
  });
  it('say why a row has no figure', () => {
    const of = (...runs) => summaryOf(row(), runs);
    expect(of({ job: 'one', error: 'boom: no' })).toMatchObject({ verdict: 'failed', why: ['failed: boom: no'] });
    expect(of({ job: 'one', result: { missing: 'no runc' } })).toMatchObject({
      verdict: 'not measured',
      why: ['not measured: no runc'],
    });
    const inPart = of({ job: 'one', result: { page: { skipped: 'there is no chromium' } } });
    expect(inPart.why).toEqual(['not measured: there is no chromium']);
    expect(of({ job: 'one', result: { x: 1, page: { skipped: 'no chromium' } } })).toMatchObject({
      median: 1,
      why: [],
    });
    expect(of({ job: 'one', result: {} }).why[0]).toContain('the result has undefined');
    expect(summaryOf(row({ value: (r) => r.a.b }), runsOf(1)).why[0]).toContain('lacks this value');
    expect(of({ job: 'two', result: { x: 1 } }).why).toEqual(['not measured: the job one was not run']);
    expect(of().verdict).toBe('not measured');
  });
  it('have the median of the peer in the same job', () => {
    const peer = { name: 'grep', value: (r) => r.x * 2 };
    expect(summaryOf(row({ peer }), runsOf(1, 5, 3)).peer).toEqual({ name: 'grep', median: 6 });
    expect(summaryOf(row({ peer: { ...peer, value: () => undefined } }), runsOf(1)).peer.median).toBe(null);
  });
});

describe('figures', () => {
  it('have three digits that mean something', () => {
    const shown = [0.053, 1.257, 8, 12.34, 999.6, 1234, 9999, 231_456, 2_000_000, -163].map(figure);
    expect(shown).toEqual(['0.05', '1.26', '8', '12.3', '1,000', '1,234', '9,999', '231,000', '2,000,000', '-163']);
  });
});

describe('the table', () => {
  const about = {
    machine: { cpus: 2, cpu: 'A processor', memoryGiB: 8, system: 'Linux 6', node: 'v20', programs: ['runc 1.1'] },
    begun: '2026-11-28 20:00',
    commit: 'abc',
    real: { version: 'v1.36.2', date: '2026-11-23', what: '80 pods' },
  };
  const table = (rows, runs) => markdown({ rows, runs, about });
  const lineOf = (text) => text.split('\n').filter((line) => line.startsWith('| a row'));

  it('has a line for each row, with real, goals, figures and verdict', () => {
    const real = row({ real: [7.6, 8.1], goal: { ofReal: 1 }, moonshot: { ofReal: 0.8 } });
    const text = table([real], runsOf(9, 8.5, 8));
    expect(lineOf(text)).toEqual([
      '| a row | s | 7.6–8.1 | ≤ 7.85 (1 of real) | ≤ 6.28 (0.8 of real) | 8 | 8.5 | 9 | **missed** |  |',
    ]);
  });
  it('has as many cells in each line as in its head, whatever a reason says', () => {
    const runs = [
      { job: 'one', error: 'a | b\n  c' },
      { job: 'two', result: { x: 1 } },
    ];
    const peer = { name: 'grep | wc', value: () => 3 };
    const text = table([row(), row({ job: 'two', direction: 'more', peer }), row({ job: 'three' })], runs);
    const cells = (line) => line.replaceAll('\\|', '').split('|').length;
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(lines.map(cells)).size).toBe(1);
    expect(lines).toHaveLength(5);
    expect(text).toContain('failed: a \\| b c');
    expect(lines[3]).toContain('| ≥ 10 | ≥ 5 | 1 | 1 | 1 | **missed** | 3: grep \\| wc |');
  });
  it('shows in the row how many runs failed, and why', () => {
    const text = table([row()], [...runsOf(1, 2), { job: 'one', error: 'boom' }]);
    expect(lineOf(text)[0]).toContain('| moonshot met (2 of 3 runs; failed: boom) |');
  });
  it('describes the machine and counts the verdicts', () => {
    const rows = [row(), row({ goal: 1.5 }), row({ goal: 0.5, moonshot: undefined }), row({ job: 'none' })];
    expect(table(rows, runsOf(1))).toContain('abc: 1 round, 1 min,');
    const text = table(rows, runsOf(1, 1, 1));
    expect(text).toContain('Measured on 2026-11-28 20:00 at commit abc: 3 rounds, 3 min, on 2 × A processor, 8 GiB');
    expect(text).toContain('Linux 6, Node v20, runc 1.1.');
    expect(text).toContain('Of 4 rows 2 meet the goal, 2 of them the moonshot; 1 miss it; 1 have no figure.');
  });
  it('says when others used the processors', () => {
    const noisy = runsOf(1, 2).map((run, i) => ({ ...run, othersBefore: i === 0 ? 0.05 : 0.42 }));
    expect(table([row()], noisy)).toContain(
      'was not quiet**: before 1 of 2 jobs others had more than 10 % of the processors, up to 42 %',
    );
    expect(
      table(
        [row()],
        runsOf(1).map((run) => ({ ...run, othersBefore: 0.1 })),
      ),
    ).not.toContain('not quiet');
  });
});

describe('the document', () => {
  it('gets the table between its markers, and again the same', () => {
    const text = `# Speed\n\n${BEGIN}\nold\n${END}\n\nafter\n`;
    const once = replaced(text, 'new\n', 'README');
    expect(once).toBe(`# Speed\n\n${BEGIN}\n\nnew\n\n${END}\n\nafter\n`);
    expect(replaced(once, 'new\n', 'README')).toBe(once);
  });
  it('must have both markers once, in order', () => {
    for (const text of ['', BEGIN, END, `${END}${BEGIN}`, `${BEGIN}${BEGIN}${END}`, `${BEGIN}${END}${END}`])
      expect(() => replaced(text, 'new', 'README')).toThrow(/^README must have the lines/);
  });
});
