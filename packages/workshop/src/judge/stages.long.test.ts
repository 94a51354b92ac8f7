import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createInterpreter, type Interpreter } from '../interpreter/index.js';
import { type Stage, stages } from '../stages/index.js';
import { wrongSolutions } from '../testing/content.js';
import { judge, loadRecordings, type Recorded } from './index.js';

let interpreter: Interpreter;
beforeAll(async () => {
  interpreter = await createInterpreter();
});

describe.each(stages.map((listed) => ({ name: listed.name, listed })))('stage $name', ({ listed }) => {
  let stage: Stage;
  let recorded: readonly Recorded[];
  beforeAll(async () => {
    stage = await listed.load();
    recorded = await loadRecordings(stage);
  });
  const run = (file: string, text: string) => judge(interpreter, stage, recorded, { file, text });

  it('is passed by its reference, on all levels', () => {
    const { levels, passed } = run('reference.ts', stage.files.reference);
    expect(levels.flatMap((l) => l.difference?.text.en ?? [])).toEqual([]);
    // What no recording of a real kubelet does is judged by the other levels alone.
    const recordings = stage.recordings.length > 0 ? 'passed' : 'skipped';
    expect(levels.map((l) => l.state)).toEqual(['passed', recordings, 'passed']);
    expect(passed).toBe(true);
  });

  it('is not passed by its starter, which fails at an example, in words', () => {
    const { levels, passed } = run('starter.ts', stage.files.starter);
    expect(passed).toBe(false);
    expect(levels[0]?.difference?.text.en).toMatch(/^Example “.+”.*: .+ should be .+, and is .+\.$/);
    expect(levels[0]?.difference?.problem).toBeUndefined();
  });

  it('has at least six wrong solutions, and each fails where it says', () => {
    const wrong = wrongSolutions(listed);
    expect(wrong.length).toBeGreaterThanOrEqual(6);
    const found = wrong.map(({ name, text }) => {
      const difference = run(name, text).levels.find((l) => l.difference)?.difference;
      return {
        name,
        at: difference ? `${difference.level} ${difference.case}` : 'passed',
        problem: difference?.problem,
      };
    });
    expect(found).toEqual(wrong.map((w) => ({ name: w.name, at: `${w.level} ${w.case}`, problem: undefined })));
  });

  it('has a starter and a reference that its types allow', () => {
    const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--lib', 'es2022'];
    const folder = mkdtempSync(join(tmpdir(), 'stage-'));
    try {
      writeFileSync(join(folder, 'types.d.ts'), stage.files.types);
      for (const name of ['starter', 'reference'] as const) {
        writeFileSync(join(folder, `${name}.ts`), stage.files[name]);
        execFileSync(process.execPath, [compiler, '--ignoreConfig', ...options, 'types.d.ts', `${name}.ts`], {
          cwd: folder,
          stdio: 'pipe',
        });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has examples that are hidden, and some that are not', () => {
    expect(stage.cases.filter((c) => c.hidden).length).toBeGreaterThanOrEqual(2);
    expect(stage.cases.filter((c) => !c.hidden).length).toBeGreaterThanOrEqual(4);
  });

  it.each(['en', 'zh'] as const)('has its texts in %s', (lang) => {
    for (const text of [stage.title, stage.summary, stage.story, ...stage.hints, ...stage.cases.map((c) => c.about)]) {
      expect(text[lang].length).toBeGreaterThan(1);
      if (lang === 'zh') expect(text.zh).toMatch(/[\u4e00-\u9fff]/);
    }
  });
});
