/** Files with the code of a stage of the workshop. */
import path from 'node:path';
import type { Kernel } from '@syncloop/core/kernel';
import { defaultEra } from '@syncloop/core/kubelet';
import { erasOfPart, type KubeletParts, partsOf } from '@syncloop/core/kubelet/parts';
import { loadStage, type Stage, stages } from '@syncloop/workshop/stages';
import { SetupError, UsageError } from './errors.js';
import { loadInterpreter } from './learner-code.js';
import { readRegularSync } from './read-file.js';

/** Largest file that is read, bytes. */
const largest = 256 * 1024;

/** The first line of a file that `syncloop workshop start` wrote: it names the stage. */
export const headOf = (stage: string): string => `// syncloop workshop judge --stage ${stage}\n`;
const head = /^\/\/ syncloop workshop judge --stage ([\w-]+)\r?\n/;

export const stageNames = (): string => stages.map((s) => s.name).join(', ');

/** Loads a stage; rejects with a UsageError that names the stages there are. */
export async function stageNamed(name: string): Promise<Stage> {
  try {
    return await loadStage(name);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads a file; throws a SetupError that names it. */
export function readLearnerFile(file: string): string {
  try {
    return readRegularSync(file, { limit: largest }).toString('utf8');
  } catch (error) {
    throw new SetupError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The stage that a file belongs to, by `name` or by its first line; rejects with a UsageError that names the flag. */
export async function stageOfFile(file: string, text: string, name: string | undefined, flag: string): Promise<Stage> {
  const found = name ?? head.exec(text)?.[1];
  if (found === undefined)
    throw new UsageError(`${file} does not say of which stage it is: ${flag}, one of ${stageNames()}`);
  return stageNamed(found);
}

/**
 * Reads code that is to decide in place of parts of this machine's kubelet. Resolves with a function that makes the
 * parts for a kernel, and throws a SetupError if the code is wrong.
 */
export async function partsInFile(file: string): Promise<(kernel: Kernel) => KubeletParts> {
  const text = readLearnerFile(file);
  const stage = await stageOfFile(file, text, undefined, 'let its first line be that of `syncloop workshop start`');
  const others = stage.parts.filter((part) => !erasOfPart(part).includes(defaultEra));
  if (others.length > 0)
    throw new UsageError(
      `${file} is of the stage ${stage.name}, whose kubelet is ${erasOfPart(others[0] as (typeof others)[number]).join(' or ')}; this machine runs one of ${defaultEra}`,
    );
  await loadInterpreter();
  const source = { file: path.basename(file), source: text };
  return (kernel) => {
    try {
      return partsOf(kernel, Object.fromEntries(stage.parts.map((part) => [part, source])));
    } catch (error) {
      throw new SetupError((error as Error).message);
    }
  };
}
