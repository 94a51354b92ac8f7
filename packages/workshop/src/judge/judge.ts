import { loadEra } from '@syncloop/core/kubelet';
import { erasOfPart, useParts } from '@syncloop/core/kubelet/parts';
import { isProblem, type Problem } from '../interpreter/types.js';
import { type CodeLoader, type LoadedCode, makePartsWith } from '../seams/index.js';
import type { Stage } from '../stages/index.js';
import { judgeExample } from './examples.js';
import { judgeSchedules } from './explorer.js';
import { recordings } from './gen/index.js';
import { isPassed } from './levels.js';
import type { Recorded } from './recorded.js';
import { judgeRecording } from './recordings.js';
import {
  type Difference,
  type Judgement,
  type JudgeProgress,
  type LearnerFile,
  type Level,
  type LevelResult,
  levels,
} from './types.js';

export interface JudgeOptions {
  /** Levels to judge. Default: all. */
  readonly levels?: readonly Level[];
}

/**
 * Loads the recordings that a stage is judged by, and the versions of the kubelet that its parts belong to. Rejects if
 * one of them is not there.
 */
export function loadRecordings(stage: Stage): Promise<readonly Recorded[]> {
  const eras = [...new Set(stage.parts.flatMap(erasOfPart))];
  return inTurn(eras, loadEra).then(() =>
    inTurn(stage.recordings, (name) => {
      const load = recordings[name];
      if (!load) throw new Error(`stage ${stage.name} names the recording ${name}, and there is no such recording`);
      return load();
    }),
  );
}

/** Loads one after the other. */
const inTurn = <T, L>(list: readonly T[], load: (one: T) => Promise<L>): Promise<readonly L[]> =>
  list.reduce<Promise<readonly L[]>>(
    (before, one) => before.then((loaded) => load(one).then((next) => [...loaded, next])),
    Promise.resolve([]),
  );

/**
 * Judges a learner's code, level by level; after a level that failed the others are skipped. Yields before each case,
 * and now and then within one; whoever drives it may stop. While it runs, the host's runs with replaced parts use
 * `loader`.
 */
export function* judging(
  loader: CodeLoader,
  stage: Stage,
  recorded: readonly Recorded[],
  source: LearnerFile,
  options: JudgeOptions = {},
): Generator<JudgeProgress, Judgement> {
  const memory = new Memory(loader);
  const make = makePartsWith(memory.loader, memory.keep);
  useParts((kernel, sources) => {
    // Runs follow each other: the one before is over.
    memory.free();
    return make(kernel, sources);
  });
  const results: LevelResult[] = [];
  try {
    for (const level of levels) {
      const cases = casesOf(stage, recorded, source, level, loader, memory);
      const skipped = cases.length === 0 || results.some((r) => r.state === 'failed');
      if (skipped || !(options.levels ?? levels).includes(level)) {
        results.push({ level, state: 'skipped', cases: cases.length, judged: 0 });
        continue;
      }
      let difference: Difference | null = null;
      let judged = 0;
      for (const { name, judge } of cases) {
        const progress = { level, case: name, judged, cases: cases.length };
        yield progress;
        const work = judge();
        for (let next = work.next(); ; next = work.next()) {
          if (next.done) {
            difference = next.value;
            break;
          }
          yield progress;
        }
        memory.free();
        judged++;
        if (difference) break;
      }
      results.push({
        level,
        state: difference ? 'failed' : 'passed',
        cases: cases.length,
        judged,
        ...(difference && { difference }),
      });
    }
  } finally {
    memory.free();
  }
  return {
    stage: stage.name,
    file: source.file,
    passed: results.every(isPassed),
    levels: results,
  };
}

/** Judges to the end. */
export function judge(...args: Parameters<typeof judging>): Judgement {
  const work = judging(...args);
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

interface Case {
  readonly name: string;
  readonly judge: () => Generator<void, Difference | null>;
}

function casesOf(
  stage: Stage,
  recorded: readonly Recorded[],
  source: LearnerFile,
  level: Level,
  loader: CodeLoader,
  memory: Memory,
): Case[] {
  const atOnce = (name: string, found: () => Difference | null): Case => ({
    name,
    *judge() {
      return found();
    },
  });
  switch (level) {
    case 'examples':
      return stage.cases.map((c) => atOnce(c.name, () => judgeExample(loader, stage, source, c)));
    case 'recordings':
      return recorded.map((r) => atOnce(r.scenario, () => judgeRecording(stage, source, r)));
    case 'explorer':
      return stage.schedules.map((s) => ({
        name: s.name,
        judge: () => judgeSchedules(stage, source, s, () => memory.problem),
      }));
  }
}

/** Frees the code of runs that are over, and remembers the last problem of one. */
class Memory {
  problem: Problem | undefined;
  private readonly loaded = new Set<LoadedCode>();
  readonly loader: CodeLoader;

  constructor(loader: CodeLoader) {
    this.loader = {
      load: (file) => {
        const code = loader.load(file);
        if (isProblem(code)) {
          this.problem = code;
          return code;
        }
        return {
          call: (name, args) => {
            const result = code.call(name, args);
            if (!result.ok) this.problem = result.problem;
            return result;
          },
          dispose: () => code.dispose(),
        };
      },
    };
  }
  keep = (code: LoadedCode): void => {
    this.loaded.add(code);
  };
  free(): void {
    for (const code of this.loaded) code.dispose();
    this.loaded.clear();
  }
}
