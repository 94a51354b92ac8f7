/** The flag `--prevented`: writes the run with the change that helps most, as a scenario to be stepped through. */
import type { RemedyReport } from '@syncloop/observe/twin/remedies';
import type { IO } from '../cli/io.js';
import { writeOut } from './write-out.js';

/** Writes the scenario with the best change to a file; says so if there is none. */
export function writeBest(file: string, report: RemedyReport | null, io: IO): void {
  const best = report?.tried.find(({ effect }) => effect === 'prevents' || effect === 'lessens');
  if (best) writeOut(file, io, (write) => write(Buffer.from(best.scenario)));
  else io.err('syncloop: no change helps: there is nothing to write for --prevented\n');
}

/** The flag that writes it. */
export const preventedFlag = {
  type: 'file',
  value: 'FILE',
  help: 'with --prevent: write the run with the change that helps most, as a scenario: FILE.yaml',
} as const;
export const preventedAlone = '--prevented writes what --prevent finds: give --prevent 60 as well';
